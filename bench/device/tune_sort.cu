// The sweep behind include/warpfold/tuning/sort.hpp: every shape at every size, in one run.
// usage: warpfold_bench_tune_sort [small|middle|large]   one line a shape and size: JSON, times in
// microseconds
#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/device/sorting.cuh"
#include "warpfold/device/sort.cuh"

namespace warpfold::bench {
namespace {

using key = std::uint32_t;
using rows_type = detail::sort_rows<key, std::uint32_t>;
using bits = detail::bit_order<key, ascending>;
using own = detail::own_order<key, own_less>;

struct sweep {
  timer clock;
  sort_inputs inputs{clock.stream()};

  rows_type rows(std::size_t i) const { return {inputs.keys<key>(i), inputs.values(i)}; }

  template <class Call>
  void time(const char* what, const std::string& shape, std::size_t n, Call call) {
    const sort_times t = time_sort<key>(inputs, clock, n, true, call, 1);
    std::printf(
        "{\"what\":\"%s\",\"shape\":\"%s\",\"n\":%zu,\"stream\":%.2f,\"graph\":%.2f,"
        "\"right\":%s}\n",
        what, shape.c_str(), n, median_of(t.stream), median_of(t.graph),
        t.right ? "true" : "false");
    std::fflush(stdout);
  }

  template <class Tile, class Order>
  void merges(const char* what, std::size_t n, detail::merge_choice choice, const Order& order) {
    const detail::sort_memory<key, std::uint32_t> memory(n, inputs.work);
    const std::string runs = choice.runs.rows() == 0 ? "tiles"
                                                     : std::to_string(choice.runs.cluster) + "x" +
                                                           std::to_string(choice.runs.threads);
    time(what,
         std::to_string(Tile::threads) + "x" + std::to_string(Tile::items) + " runs " + runs +
             (choice.cuts_apart ? " cuts apart" : "") + (choice.early ? " early" : ""),
         n, [&](std::size_t i) {
           detail::sort_by_merges<Tile>(rows(i), n, memory, order, choice, clock.stream())
               .throw_if_failed("merges");
         });
  }

  template <class Order, class... Tiles>
  void all_merges(const char* what, std::size_t n, const Order& order, bool clusters) {
    for (const int way : {0, 1, 2, 3}) {
      const bool apart = way % 2 != 0, early = way / 2 != 0;
      (merges<Tiles>(what, n, {{0, 0}, apart, early}, order), ...);
      if (!clusters) continue;
      (merges<Tiles>(what, n, {{16, 1024}, apart, early}, order), ...);
      (merges<Tiles>(what, n, {{8, 1024}, apart, early}, order), ...);
    }
  }
};

template <unsigned T, unsigned I>
using tile = tuning::tile_shape<T, I>;

void small(sweep& s) {
  for (int e = 8; e <= 14; ++e) {
    const std::size_t n = std::size_t{1} << e;
    s.inputs.shape<key>(n);
    for (const unsigned cluster : {1U, 2U, 4U, 8U, 16U}) {
      for (const unsigned threads : {64U, 128U, 256U, 512U, 1024U}) {
        const tuning::rank_shape shape{cluster, threads};
        if (shape.rows() < n || shape.rows() > 2 * n) continue;
        for (const bool narrow : {false, true}) {
          if (narrow && cluster == 1) continue;
          s.time(
              "small",
              std::to_string(cluster) + "x" + std::to_string(threads) + (narrow ? " narrow" : ""),
              n, [&](std::size_t i) {
                detail::sort_by_rank(s.rows(i), s.rows(i), n, shape.rows(), shape, bits{},
                                     s.clock.stream(), narrow ? 0 : ~0U)
                    .throw_if_failed("ranks");
              });
        }
      }
    }
  }
}

void middle(sweep& s) {
  for (int e = 12; e <= 21; ++e) {
    const std::size_t n = std::size_t{1} << e;
    s.inputs.shape<key>(n);
    s.all_merges<bits, tile<128, 7>, tile<256, 7>, tile<256, 15>, tile<512, 7>>("middle", n, bits{},
                                                                                e > 14);
  }
}

void large(sweep& s) {
  for (const int e : {20, 24, 27}) {
    const std::size_t n = std::size_t{1} << e;
    s.inputs.shape<key>(n);
    s.all_merges<own, tile<256, 11>, tile<256, 15>, tile<256, 17>, tile<512, 15>, tile<512, 17>>(
        "large", n, own{}, false);
  }
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    warpfold::bench::sweep s;
    if (what.empty() || what == "small") warpfold::bench::small(s);
    if (what.empty() || what == "middle") warpfold::bench::middle(s);
    if (what.empty() || what == "large") warpfold::bench::large(s);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_bench_tune_sort: %s\n", e.what());
    return 3;
  }
}
