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

  void ranks(std::size_t n, tuning::rank_shape shape) {
    time("small", std::to_string(shape.cluster) + "x" + std::to_string(shape.block_rows), n,
         [&](std::size_t i) {
           detail::sort_by_rank(rows(i), rows(i), n, shape.rows(), shape, bits{}, clock.stream())
               .throw_if_failed("ranks");
         });
  }

  template <class Tile, class RunTile, class Order>
  void merges(const char* what, std::size_t n, const Order& order, tuning::rank_shape runs,
              bool apart, bool early) {
    const detail::sort_memory<key, std::uint32_t> memory(n, inputs.work);
    const auto shape = [](unsigned a, unsigned b, unsigned blocks = 1) {
      return std::to_string(a) + "x" + std::to_string(b) +
             (blocks > 1 ? " of " + std::to_string(blocks) : "");
    };
    const std::string sorted =
        runs.rows() == 0 ? "tiles " + shape(RunTile::threads, RunTile::items, RunTile::blocks)
                         : shape(runs.cluster, runs.block_rows);
    const tuning::merge_plan<Tile, RunTile> plan{runs, apart, early};
    time(what,
         shape(Tile::threads, Tile::items, Tile::blocks) + " runs " + sorted +
             (apart ? " cuts apart" : "") + (early ? " early" : ""),
         n, [&](std::size_t i) {
           detail::sort_by_merges(rows(i), n, memory, order, plan, clock.stream())
               .throw_if_failed("merges");
         });
  }
};

template <unsigned T, unsigned I, unsigned B = 1>
using tile = tuning::tile_shape<T, I, B>;

void small(sweep& s) {
  for (int e = 8; e <= 14; ++e) {
    const std::size_t n = std::size_t{1} << e;
    s.inputs.shape<key>(n);
    for (const unsigned cluster : {1U, 8U, 16U}) {
      for (const unsigned block_rows : {64U, 128U, 256U, 512U, 1024U}) {
        const tuning::rank_shape shape{cluster, block_rows};
        if (shape.rows() == n) s.ranks(n, shape);
      }
    }
  }
}

template <class Tile, class RunTile = Tile>
void middle_merges(sweep& s, std::size_t n) {
  using shape = tuning::rank_shape;
  for (const shape runs : {shape{0, 0}, {1, 512}, {1, 1024}, {8, 512}, {16, 256}, {16, 512}}) {
    if (runs.rows() != 0 && runs.rows() < Tile::rows) continue;
    s.merges<Tile, RunTile>("middle", n, bits{}, runs, false, true);
  }
  s.merges<Tile, RunTile>("middle", n, bits{}, {1, 1024}, false, false);
}

void middle(sweep& s) {
  for (int e = 12; e <= 20; ++e) {
    const std::size_t n = std::size_t{1} << e;
    s.inputs.shape<key>(n);
    middle_merges<tile<64, 7>>(s, n);
    middle_merges<tile<128, 7>>(s, n);
    middle_merges<tile<256, 7>>(s, n);
  }
}

void large(sweep& s) {
  for (const int e : {20, 22, 23, 24, 25, 27}) {
    const std::size_t n = std::size_t{1} << e;
    s.inputs.shape<key>(n);
    for (const bool apart : {false, true}) {
      for (const bool early : {false, true}) {
        if (early && n > std::size_t{1} << 24) continue;
        const auto time = [&]<class Tile, class RunTile>(Tile, RunTile) {
          s.merges<Tile, RunTile>("large", n, own{}, {0, 0}, apart, early);
        };
        time(tile<256, 11>{}, tile<512, 11>{});
        time(tile<256, 11, 5>{}, tile<512, 11, 3>{});
        time(tile<256, 17>{}, tile<512, 17>{});
        time(tile<256, 17, 4>{}, tile<256, 17>{});
        time(tile<256, 17, 4>{}, tile<512, 17>{});
        time(tile<256, 17, 4>{}, tile<512, 17, 2>{});
        time(tile<256, 17, 5>{}, tile<512, 17, 2>{});
      }
    }
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
