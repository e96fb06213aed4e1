// Reductions and scans in the canonical order in a graph, beside the same calls at the default
// level and CUB's; and rows. The values are whole numbers, so that every sum and scan is checked
// exactly; tests/library/device/canonical_check.cu checks the bits.
#include <string>
#include <vector>

#include "bench/cases/reduce_slots.cuh"
#include "bench/cases/scan_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/program.hpp"
#include "bench/peers/cub.cuh"

namespace warpfold::bench {
namespace {

/// plus, which says nothing of its values' order.
struct ordered_plus {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
  template <class T>
  __host__ __device__ static T identity() {
    return T{0};
  }
};

void done(status state) { state.throw_if_failed("a timed call"); }

measure::measurement record_of(const bench_case& c, const char* who, const char* form) {
  auto row = c.record(who);
  row.form = form;
  return row;
}

template <class T>
void compare_sums(session& s, device_place& where, value_type type, std::size_t n) {
  const bench_case c{.type = type, .n = n, .samples = s.samples(41)};
  const reduce_slots<T, T, plus> memory(c, where, canonical_workspace_bytes<T>(n));
  const auto candidate_of = [&](const char* form, auto on, auto op) {
    return candidate{record_of(c, "warpfold", form), [&memory, on, op](std::size_t slot) {
                       done(reduce_into(on, memory.values(slot), memory.out(slot), T{0}, op));
                     }};
  };
  const auto on = memory.on();
  const auto canonical = on.with(determinism::gpu_to_gpu);
  s.add(time_graphs(
      c.samples, where, memory.as_slots(),
      std::vector<candidate>{candidate_of("canonical", canonical, pairwise_plus{}),
                             candidate_of("plain", on, plus{}),
                             candidate_of("canonical, in order", canonical, ordered_plus{}),
                             candidate_of("plain, in order", on, ordered_plus{}),
                             cub_reduce_of<plus>(memory, record_of(c, "cub", ""))}));
}

template <class T>
void compare_scans(session& s, device_place& where, value_type type, std::size_t n) {
  const bench_case c{
      .what = algorithm::scan, .type = type, .n = n, .exclusive = true, .samples = s.samples(41)};
  const scan_slots<T, T, plus> memory(c, where, canonical_workspace_bytes<T>(n));
  const auto candidate_of = [&](const char* form, auto on) {
    return candidate{record_of(c, "warpfold", form), [&memory, on](std::size_t slot) {
                       done(exclusive_scan(on, std::span<const T>(memory.in(slot), memory.n),
                                           std::span<T>(memory.out(slot), memory.n), T{0}));
                     }};
  };
  const auto on = memory.on();
  s.add(time_graphs(
      c.samples, where, memory.as_slots(),
      std::vector<candidate>{candidate_of("canonical", on.with(determinism::gpu_to_gpu)),
                             candidate_of("plain", on),
                             cub_scan_of<plus, T>(memory, record_of(c, "cub", "")),
                             plain_copy(memory, record_of(c, "copy", ""))}));
}

template <class T>
void compare_rows(session& s, device_place& where, value_type type, std::size_t columns) {
  const std::size_t rows = (std::size_t{1} << 26) / columns;
  const bench_case c{.type = type, .n = rows * columns, .samples = s.samples(41)};
  const reduce_slots<T, T, plus> memory(c, where, canonical_workspace_bytes<T>(c.n));
  const slot_buffer<T> out(rows, 1);
  const auto candidate_of = [&](std::string form, auto on) {
    auto row = record_of(c, "warpfold", "");
    row.form = form + ", rows of " + std::to_string(columns);
    return candidate{
        row,
        [&memory, &out, on, rows, columns](std::size_t slot) {
          done(reduce_rows(on, memory.values(slot), rows, columns, std::span<T>(out(0), rows)));
        },
        true, [](std::size_t, std::size_t) { return mistakes{}; }};
  };
  const auto on = memory.on();
  s.add(time_graphs(
      c.samples, where, memory.as_slots(),
      std::vector<candidate>{candidate_of("canonical", on.with(determinism::gpu_to_gpu)),
                             candidate_of("plain", on)}));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {10U, 14U, 16U, 18U, 20U, 21U, 22U, 24U, 26U, 28U}) {
    compare_sums<float>(s, where, value_type::f32, std::size_t{1} << bits);
    compare_sums<double>(s, where, value_type::f64, std::size_t{1} << bits);
    compare_scans<float>(s, where, value_type::f32, std::size_t{1} << bits);
    compare_scans<double>(s, where, value_type::f64, std::size_t{1} << bits);
  }
  for (const std::size_t columns : {8, 32, 128, 1000, 1024, 65536}) {
    compare_rows<float>(s, where, value_type::f32, columns);
  }
}

}  // namespace

const bench_program program{"canonical", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
