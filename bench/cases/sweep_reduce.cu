// Reductions on a device; --sweep: every shape of include/warpfold/tuning/reduce.hpp at every size,
// beside CUB.
#include <cstdint>
#include <string>
#include <vector>

#include "bench/cases/default_sizes.hpp"
#include "bench/cases/reduce_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/peers/cub.cuh"
#include "warpfold/device/reduce/kernel.cuh"

namespace warpfold::bench {
namespace {

template <class Shape, class T>
void add_shape(std::vector<candidate>& all, const reduce_slots<T, T, plus>& s,
               measure::measurement record) {
  const detail::reduce_grid<Shape, T> grid(s.n, detail::current_device().multiprocessors);
  if (Shape::one_tile && !grid.fits_one_tile) return;
  record.form = (Shape::one_tile ? "one tile " : "") + std::to_string(Shape::threads) + "x" +
                std::to_string(Shape::loads) + " loads a thread " +
                std::to_string(Shape::loads_per_thread) + " blocks " +
                std::to_string(Shape::blocks_per_multiprocessor);
  all.push_back(
      {std::move(record), [&s, grid](std::size_t slot) {
         const detail::reduction<T, T, plus, detail::convert<T>> r{s.in(slot), s.n,    s.out(slot),
                                                                   0,          plus{}, {}};
         detail::reduce_as<Shape>(detail::for_cleared(s.on()), r, grid).throw_if_failed("reduce");
       }});
}

template <unsigned T, unsigned L, unsigned S, unsigned B>
using one_tile = tuning::reduce_shape<true, T, L, S, B>;
template <unsigned T, unsigned L, unsigned S, unsigned B>
using many_tiles = tuning::reduce_shape<false, T, L, S, B>;

template <class T>
void sweep_of(session& session, device_place& where, value_type type,
              std::initializer_list<int> exponents) {
  for (const int e : exponents) {
    const bench_case c{.type = type, .n = std::size_t{1} << e, .samples = session.samples(30)};
    const reduce_slots<T, T, plus> s(c, where, std::size_t{64} << 20);
    std::vector<candidate> all{cub_reduce_of<plus>(s, c.record("cub"))};
    const auto tries = [&]<class... Shape>(Shape...) {
      (add_shape<Shape>(all, s, c.record("warpfold")), ...);
    };
    tries(one_tile<512, 2, 1, 2>{}, one_tile<512, 2, 2, 2>{}, one_tile<512, 4, 1, 2>{},
          one_tile<512, 4, 2, 2>{}, one_tile<512, 8, 1, 1>{}, one_tile<512, 8, 2, 1>{},
          one_tile<512, 8, 2, 2>{}, one_tile<512, 8, 4, 2>{}, one_tile<1024, 4, 2, 1>{},
          one_tile<1024, 8, 2, 1>{});
    if (e >= 20) {
      tries(many_tiles<512, 8, 4, 1>{}, many_tiles<512, 8, 8, 1>{}, many_tiles<512, 8, 8, 2>{},
            many_tiles<512, 8, 8, 4>{}, many_tiles<1024, 4, 4, 1>{}, many_tiles<1024, 4, 8, 1>{},
            many_tiles<1024, 4, 8, 2>{});
    }
    session.add(time_on_device(c.samples, where, s.as_slots(), all));
  }
}

/// Of values whose sums add up in one word, and of others.
void sweep(session& s) {
  device_place where = open_device();
  sweep_of<std::int32_t>(
      s, where, value_type::i32,
      {10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30});
  sweep_of<std::int64_t>(s, where, value_type::i64,
                         {12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 29});
}

void run_all(session& s) { run_default_sizes(s, algorithm::reduce); }

}  // namespace

const bench_program program{"reduce", "", "", run_all, sweep, cuda_run_info};

}  // namespace warpfold::bench
