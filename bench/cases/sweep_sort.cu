// Sorts on a device; --sweep: every shape of include/warpfold/tuning/sort.hpp at every size, for
// small, middle and large ones, or for those named behind it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/cases/default_sizes.hpp"
#include "bench/cases/sort_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "warpfold/device/sort/dispatch.cuh"

namespace warpfold::bench {
namespace {

using key = std::uint32_t;
using rows_type = detail::key_value_view<key, std::uint32_t>;
using bits = detail::radix_order<key, ascending>;
using by_comparator = detail::comparator_order<key, own_less>;

/// Pairs of one size, and the shapes that will sort them.
struct size_sweep {
  size_sweep(device_place& where, std::size_t n)
      : inputs(where, n, true, 77, 16 * n + (std::size_t{64} << 20)) {}

  sort_slots<key> inputs;
  std::vector<candidate> candidates;

  [[nodiscard]] rows_type rows(std::size_t slot) const {
    return {inputs.keys(slot), inputs.items(slot)};
  }

  template <class Call>
  void add(const std::string& shape, Call call) {
    const bench_case c{
        .what = algorithm::sort, .type = value_type::u32, .n = inputs.n, .pairs = true};
    auto record = c.record("warpfold");
    record.form = shape;
    candidates.push_back(
        {std::move(record), [call](std::size_t slot) { call(slot).throw_if_failed("a sort"); }});
  }

  void add_ranks(tuning::cluster_shape shape) {
    add(std::to_string(shape.cluster) + "x" + std::to_string(shape.block_rows),
        [this, shape](std::size_t i) {
          return detail::sort_by_clusters(rows(i), rows(i), inputs.n, shape.rows(), shape, bits{},
                                          inputs.where.stream());
        });
  }

  template <class Tile, class RunTile, class Order>
  void add_merges(const Order& order, tuning::cluster_shape runs, bool apart,
                  bool programmatic_launch) {
    const detail::sort_storage<key, std::uint32_t> memory(inputs.n, inputs.work.data());
    const auto shape = [](unsigned a, unsigned b, unsigned blocks = 1) {
      return std::to_string(a) + "x" + std::to_string(b) +
             (blocks > 1 ? " of " + std::to_string(blocks) : "");
    };
    const std::string sorted =
        runs.rows() == 0 ? "tiles " + shape(RunTile::threads, RunTile::items, RunTile::blocks)
                         : shape(runs.cluster, runs.block_rows);
    const tuning::merge_plan<Tile, RunTile> plan{runs, apart, programmatic_launch};
    add(shape(Tile::threads, Tile::items, Tile::blocks) + " runs " + sorted +
            (apart ? " separate partition pass" : "") +
            (programmatic_launch ? " programmatic launch" : ""),
        [this, memory, order, plan](std::size_t i) {
          const detail::sort_buffers buffers{rows(i), rows(i), memory.spare, nullptr};
          return detail::sort_by_merges(buffers, inputs.n, memory.work, order, plan,
                                        inputs.where.stream());
        });
  }

  void run(session& s, unsigned samples) const {
    s.add(time_on_device(s.samples(samples), inputs.where, inputs.as_slots(), candidates));
  }
};

template <unsigned T, unsigned I, unsigned B = 1>
using tile = tuning::tile_shape<T, I, B>;

void small(session& session, device_place& where) {
  for (int e = 8; e <= 14; ++e) {
    const std::size_t n = std::size_t{1} << e;
    size_sweep s(where, n);
    for (const unsigned cluster : {1U, 8U, 16U}) {
      for (const unsigned block_rows : {64U, 128U, 256U, 512U, 1024U}) {
        const tuning::cluster_shape shape{cluster, block_rows};
        if (shape.rows() == n) s.add_ranks(shape);
      }
    }
    if (!s.candidates.empty()) s.run(session, 20);
  }
}

template <class Tile, class RunTile = Tile>
void middle_merges(size_sweep& s) {
  using shape = tuning::cluster_shape;
  for (const shape runs : {shape{0, 0}, {1, 512}, {1, 1024}, {8, 512}, {16, 256}, {16, 512}}) {
    if (runs.rows() != 0 && runs.rows() < Tile::rows) continue;
    s.add_merges<Tile, RunTile>(bits{}, runs, false, true);
  }
  s.add_merges<Tile, RunTile>(bits{}, {1, 1024}, false, false);
}

void middle(session& session, device_place& where) {
  for (int e = 12; e <= 20; ++e) {
    size_sweep s(where, std::size_t{1} << e);
    middle_merges<tile<64, 7>>(s);
    middle_merges<tile<128, 7>>(s);
    middle_merges<tile<256, 7>>(s);
    s.run(session, 20);
  }
}

void large(session& session, device_place& where) {
  for (const int e : {20, 22, 23, 24, 25, 27}) {
    size_sweep s(where, std::size_t{1} << e);
    for (const bool apart : {false, true}) {
      for (const bool programmatic_launch : {false, true}) {
        if (programmatic_launch && e > 24) continue;
        const auto add = [&]<class Tile, class RunTile>(Tile, RunTile) {
          s.add_merges<Tile, RunTile>(by_comparator{}, {0, 0}, apart, programmatic_launch);
        };
        add(tile<256, 11>{}, tile<512, 11>{});
        add(tile<256, 11, 5>{}, tile<512, 11, 3>{});
        add(tile<256, 17>{}, tile<512, 17>{});
        add(tile<256, 17, 4>{}, tile<256, 17>{});
        add(tile<256, 17, 4>{}, tile<512, 17>{});
        add(tile<256, 17, 4>{}, tile<512, 17, 2>{});
        add(tile<256, 17, 5>{}, tile<512, 17, 2>{});
      }
    }
    s.run(session, 10);
  }
}

void sweep(session& s) {
  device_place where = open_device();
  const auto& words = s.args.words();
  const auto wanted = [&](const char* part) {
    return words.empty() || std::find(words.begin(), words.end(), part) != words.end();
  };
  if (wanted("small")) small(s, where);
  if (wanted("middle")) middle(s, where);
  if (wanted("large")) large(s, where);
}

void run_all(session& s) { run_default_sizes(s, algorithm::sort); }

}  // namespace

const bench_program program{"sort", "", "[small] [middle] [large]", run_all, sweep, cuda_run_info};

}  // namespace warpfold::bench
