// Scans on a device; --sweep: every shape of include/warpfold/tuning/scan.hpp at every size, beside
// CUB and a copy.
#include <cstdint>
#include <string>
#include <vector>

#include "bench/cases/default_sizes.hpp"
#include "bench/cases/scan_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/peers/cub.cuh"
#include "warpfold/device/scan/dispatch.cuh"
#include "warpfold/ranges.hpp"

namespace warpfold::bench {
namespace {

template <class T>
using slots_of = scan_slots<T, T, plus>;

template <class Shape, class T>
void add_shape(std::vector<candidate>& all, const slots_of<T>& s, measure::measurement record) {
  record.form = std::to_string(Shape::threads) + "x" + std::to_string(Shape::loads) + " blocks " +
                std::to_string(Shape::blocks_per_multiprocessor);
  if constexpr (requires { Shape::stages; }) {
    record.form += " stages " + std::to_string(Shape::stages) + " look-back distance " +
                   std::to_string(Shape::lookback_distance) + " totals " +
                   std::to_string(Shape::totals_per_lane);
  } else {
    record.form += " in one wave";
  }
  all.push_back({std::move(record), [&s](std::size_t slot) {
                   const detail::scan_problem<T, accumulator_for<T>, plus> job{
                       s.in(slot), s.out(slot), s.n, 0, 0, true, plus{}};
                   if constexpr (requires { Shape::stages; }) {
                     detail::launch_pipelined<Shape, true>(detail::for_cleared(s.on()), job)
                         .throw_if_failed("scan");
                   } else {
                     detail::launch_single_wave<Shape>(detail::for_cleared(s.on()), job)
                         .throw_if_failed("scan");
                   }
                 }});
}

template <unsigned T, unsigned L, unsigned S, unsigned D, unsigned B, unsigned P = 4>
using shape = tuning::scan_shape<T, L, S, D, B, P>;

template <unsigned T, unsigned L, unsigned B>
using wave = tuning::single_wave_shape<T, L, B>;

template <class T>
void sweep_of(session& session, device_place& where, const char* type,
              std::initializer_list<int> exponents) {
  for (const int e : exponents) {
    const bench_case c{.what = algorithm::scan,
                       .n = std::size_t{1} << e,
                       .exclusive = true,
                       .samples = session.samples(30)};
    const auto record = [&](const char* who) {
      auto row = c.record(who);
      row.type = type, row.useful_bytes = 2 * c.n * sizeof(T);
      return row;
    };
    const slots_of<T> s(c, where, std::size_t{64} << 20);
    std::vector<candidate> all{cub_scan_of<plus, T>(s, record("cub")),
                               plain_copy(s, record("copy"))};
    const auto tries = [&]<class... Shape>(Shape...) {
      (add_shape<Shape>(all, s, record("warpfold")), ...);
    };
    const auto waves = [&]<class... Shape>(Shape...) {
      ((detail::wave_tiles<Shape, T, accumulator_for<T>>(c.n) <= Shape::threads
            ? add_shape<Shape>(all, s, record("warpfold"))
            : void()),
       ...);
    };
    waves(wave<256, 2, 4>{}, wave<512, 1, 4>{}, wave<512, 2, 4>{}, wave<512, 4, 2>{},
          wave<512, 8, 2>{}, wave<1024, 2, 1>{}, wave<1024, 4, 1>{});
    if (c.n * sizeof(T) >= std::size_t{1} << 20) {
      if constexpr (sizeof(T) > 1) {
        tries(shape<256, 3, 7, 3, 2>{}, shape<256, 3, 5, 2, 3>{}, shape<256, 3, 4, 2, 4>{},
              shape<384, 3, 5, 2, 2>{}, shape<384, 3, 5, 3, 2>{}, shape<512, 3, 4, 2, 2>{},
              shape<512, 3, 4, 2, 2, 8>{});
      } else {
        tries(shape<512, 1, 6, 3, 3>{}, shape<896, 1, 7, 4, 2>{}, shape<384, 3, 8, 4, 1>{});
      }
    }
    session.add(time_on_device(c.samples, where, s.as_slots(), all));
  }
}

void sweep(session& s) {
  device_place where = open_device();
  sweep_of<std::int32_t>(s, where, "i32", {10, 12, 14, 16, 18, 20, 21, 22, 23, 24, 26, 28});
  sweep_of<std::int64_t>(s, where, "i64", {16, 20, 22, 24, 27});
  sweep_of<std::int8_t>(s, where, "i8", {16, 20, 24, 28});
  sweep_of<std::uint16_t>(s, where, "u16", {16, 20, 24, 28});
}

void run_all(session& s) { run_default_sizes(s, algorithm::scan); }

}  // namespace

const bench_program program{"scan", "", "", run_all, sweep, cuda_run_info};

}  // namespace warpfold::bench
