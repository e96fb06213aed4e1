// Reductions and scans of f32 whose number is in device memory, beside the same calls with it on
// the host: where it is the bound, and where the bound is 16 times as large.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/cases/reduce_slots.cuh"
#include "bench/cases/scan_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/program.hpp"
#include "warpfold/device/sized.cuh"

namespace warpfold::bench {
namespace {

constexpr std::size_t most_values = std::size_t{1} << 28;

struct same_number {
  std::size_t n;
  __device__ std::size_t operator()(std::size_t) const { return n; }
};

/// The values of a slot and, where there are fewer, what is behind them.
template <class Slots>
std::span<const float> values_of(const Slots& s, std::size_t slot, std::size_t most) {
  return {s.in(slot), most};
}

/// put(values, most, slot) with a number of either kind.
template <class Slots, class Put>
void compare(session& to, const bench_case& c, const Slots& s, Put put) {
  const device_buffer<std::size_t> number(1);
  fill(number, same_number{c.n}, s.where.stream());
  const auto record = [&](const char* form) {
    auto row = c.record("warpfold");
    row.form = form;
    return row;
  };
  std::vector<candidate> all{{record("n on the host"),
                              [&](std::size_t slot) { put(values_of(s, slot, c.n), c.n, slot); }}};
  for (const std::size_t times : {1U, 16U}) {
    if (times * c.n > most_values) continue;
    all.push_back({record(times == 1 ? "at most n" : "at most 16 n"), [&, times](std::size_t slot) {
                     const std::size_t most = times * c.n;
                     put(device_sized(values_of(s, slot, most), number.data()), most, slot);
                   }});
  }
  to.add(time_on_device(c.samples, s.where, s.as_slots(), all));
}

void run_all(session& to) {
  device_place where = open_device();
  for (unsigned bits = 16; bits <= 28; bits += 2) {
    bench_case c{.type = value_type::f32, .n = std::size_t{1} << bits, .samples = to.samples(101)};
    const std::size_t room = std::min(16 * c.n, most_values);
    {
      const reduce_slots<float, float, plus> s(c, where, 0, room);
      compare(to, c, s, [&](const auto& values, std::size_t, std::size_t slot) {
        reduce_into(s.on(), values, s.out(slot)).throw_if_failed("a timed reduction");
      });
    }
    c.what = algorithm::scan;
    const scan_slots<float, float, plus> s(c, where, scan_workspace_bytes<float>(room), room);
    compare(to, c, s, [&](const auto& values, std::size_t most, std::size_t slot) {
      inclusive_scan(s.on(), values, std::span<float>(s.out(slot), most))
          .throw_if_failed("a timed scan");
    });
  }
}

}  // namespace

const bench_program program{"sized", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
