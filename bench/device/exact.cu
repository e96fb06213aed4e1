// Exact sums beside plain ones, ours and CUB's, for values of several ranges: one run, the same
// buffers, cold. Every exact sum must equal the host's, to the bit.
// usage: warpfold_bench_exact [--quick] > results.json
//        warpfold_bench_exact --sweep      every shape: one line of JSON each, in microseconds
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>

#include "bench/device/exact_data.cuh"
#include "bench/device/memory.cuh"
#include "bench/device/run_info.cuh"
#include "commit.hpp"  // generated at each build
#include "warpfold/exact.hpp"
#include "warpfold/reduce.hpp"

namespace warpfold::bench {
namespace {

struct setting {
  bench_memory memory;
  timer clock;
  std::vector<measure::measurement> rows;
  bool quick = false;

  template <class T>
  void fill(range r) const {
    fill_range_kernel<<<2048, 256>>>(reinterpret_cast<T*>(memory.in), pool_bytes / sizeof(T), r);
    require(cudaDeviceSynchronize(), "fill the pool");
  }
  template <class T>
  const T* in(std::size_t call, const rotation& where) const {
    return reinterpret_cast<const T*>(memory.in + where.offset(call));
  }
  /// The result of the call with number 1.
  template <class T, class Call>
  T result_of(Call call) const {
    T result;
    require(cudaMemset(memory.out, 0xff, sizeof(T)), "poison the result");
    call(1);
    require(cudaStreamSynchronize(clock.stream()), "a sum");
    require(cudaMemcpy(&result, memory.out, sizeof(T), cudaMemcpyDeviceToHost), "read it");
    return result;
  }
  template <class Call>
  double graph_us(std::size_t bytes, Call call) {
    const bool large = bytes >= std::size_t{1} << 28;
    return median_of(clock.graph_calls(call, large ? 20 : calls_per_graph(bytes), 5));
  }
  template <class Call>
  void time(measure::measurement row, std::size_t bytes, Call call) {
    const bool large = bytes >= std::size_t{1} << 28;
    row.backend = "cuda";
    row.form = "stream";
    row.timing = measure::timing{clock.stream_calls(call, quick ? 5 : large ? 15 : 41)};
    rows.push_back(row);
    row.form = "graph";
    row.timing = measure::timing{clock.graph_calls(call, large ? 20 : calls_per_graph(bytes),
                                                   quick   ? 2
                                                   : large ? 5
                                                           : 11)};
    rows.push_back(row);
  }
};

std::string text_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void check(status s) { s.throw_if_failed("a timed call"); }

template <class T>
void compare(setting& s, range r, std::size_t n) {
  const rotation where(pool_bytes, n * sizeof(T));
  auto* const out = reinterpret_cast<T*>(s.memory.out);
  const auto stream = s.clock.stream();
  const auto on = device.on(stream).with(workspace_view{s.memory.work, s.memory.work_bytes});
  const auto values = [&](std::size_t i) { return std::span<const T>(s.in<T>(i, where), n); };
  const T truth = host_truth(s.in<T>(1, where), n).round();
  const auto timed = [&](const char* name, auto call, bool exact) {
    measure::measurement row;
    const T result = s.result_of<T>(call);
    row.ladder = exact ? "exact-sum" : "sum", row.name = name, row.op = name_of(r);
    row.type = detail::format<T>::name, row.n = n, row.useful_bytes = n * sizeof(T);
    const double error = std::fabs(static_cast<double>(result) - static_cast<double>(truth));
    // A plain sum has no error bound that a range such as `wide` would not make infinite.
    row.verdict = {!exact || same_bits(result, truth), text_of(result), text_of(truth), error, 0};
    s.time(row, n * sizeof(T), call);
  };
  timed(
      "warpfold", [&](std::size_t i) { check(exact_sum_into(on, values(i), out)); }, true);
  timed(
      "warpfold plain", [&](std::size_t i) { check(reduce_into(on, values(i), out)); }, false);
  timed(
      "cub plain",
      [&](std::size_t i) {
        std::size_t bytes = s.memory.work_bytes;
        const cudaError_t state = with_count(n, [&](auto count) {
          return cub::DeviceReduce::Sum(s.memory.scratch, bytes, values(i).data(), out, count,
                                        stream);
        });
        require(state, "CUB's sum");
      },
      false);
}

/// Of the first and the second half of the values.
template <class T>
void time_dot(setting& s, range r, std::size_t n) {
  const rotation where(pool_bytes, 2 * n * sizeof(T));
  auto* const out = reinterpret_cast<T*>(s.memory.out);
  const auto on =
      device.on(s.clock.stream()).with(workspace_view{s.memory.work, s.memory.work_bytes});
  const auto call = [&](std::size_t i) {
    const std::span<const T> both(s.in<T>(i, where), 2 * n);
    check(exact_dot_into(on, both.first(n), both.last(n), out));
  };
  const T truth = host_dot_truth(s.in<T>(1, where), n), result = s.result_of<T>(call);
  measure::measurement row;
  row.ladder = "exact-dot", row.name = "warpfold", row.op = name_of(r);
  row.type = detail::format<T>::name, row.n = n, row.useful_bytes = 2 * n * sizeof(T);
  row.verdict = {same_bits(result, truth), text_of(result), text_of(truth), 0, 0};
  s.time(row, row.useful_bytes, call);
}

template <class Shape, class T>
void try_shape(setting& s, range r, std::size_t n) {
  const rotation where(pool_bytes, n * sizeof(T));
  auto* const out = reinterpret_cast<T*>(s.memory.out);
  const auto on =
      device.on(s.clock.stream()).with(workspace_view{s.memory.work, s.memory.work_bytes});
  const auto ours = [&](std::size_t i) {
    const detail::terms_of<std::span<const T>> terms{s.in<T>(i, where), n, {}};
    check(detail::launch_exact_as<Shape>(detail::for_cleared(on), terms, {.out = out}));
  };
  const T standard = s.result_of<T>([&](std::size_t i) {
    check(exact_sum_into(on, std::span<const T>(s.in<T>(i, where), n), out));
  });
  const bool right = same_bits(s.result_of<T>(ours), standard);
  std::printf(
      "{\"type\":\"%s\",\"range\":\"%s\",\"n\":%zu,\"shape\":\"%ux%u blocks %u\",\"graph\":%.2f,"
      "\"right\":%s}\n",
      detail::format<T>::name, name_of(r), n, Shape::threads, Shape::loads,
      Shape::blocks_per_multiprocessor, s.graph_us(n * sizeof(T), ours), right ? "true" : "false");
  std::fflush(stdout);
}

template <class T>
void try_plain(setting& s, range r, std::size_t n) {
  const rotation where(pool_bytes, n * sizeof(T));
  auto* const out = reinterpret_cast<T*>(s.memory.out);
  const auto on =
      device.on(s.clock.stream()).with(workspace_view{s.memory.work, s.memory.work_bytes});
  const double us = s.graph_us(n * sizeof(T), [&](std::size_t i) {
    check(reduce_into(on, std::span<const T>(s.in<T>(i, where), n), out));
  });
  std::printf("{\"type\":\"%s\",\"range\":\"%s\",\"n\":%zu,\"shape\":\"plain\",\"graph\":%.2f}\n",
              detail::format<T>::name, name_of(r), n, us);
}

template <unsigned T, unsigned L, unsigned B>
using shape = tuning::exact_shape<T, L, B>;

void sweep(setting& s) {
  for (const range r : {range::uniform, range::wide}) {
    s.fill<float>(r);
    for (const int e : {14, 18, 20, 22, 24, 28}) {
      const std::size_t n = std::size_t{1} << e;
      if (r == range::wide && e != 28) continue;
      try_plain<float>(s, r, n);
      try_shape<shape<128, 4, 4>, float>(s, r, n);
      try_shape<shape<128, 4, 8>, float>(s, r, n);
      try_shape<shape<128, 8, 8>, float>(s, r, n);
      try_shape<shape<256, 4, 4>, float>(s, r, n);
      try_shape<shape<256, 8, 4>, float>(s, r, n);
      try_shape<shape<256, 4, 6>, float>(s, r, n);
      try_shape<shape<512, 4, 1>, float>(s, r, n);
      try_shape<shape<512, 8, 1>, float>(s, r, n);
      try_shape<shape<512, 4, 2>, float>(s, r, n);
      try_shape<shape<512, 8, 2>, float>(s, r, n);
      try_shape<shape<512, 4, 3>, float>(s, r, n);
      try_shape<shape<512, 2, 3>, float>(s, r, n);
    }
    s.fill<double>(r);
    for (const int e : {14, 18, 20, 22, 24, 28}) {
      const std::size_t n = std::size_t{1} << e;
      if (r == range::wide && e != 28) continue;
      try_plain<double>(s, r, n);
      try_shape<shape<64, 8, 6>, double>(s, r, n);
      try_shape<shape<128, 4, 3>, double>(s, r, n);
      try_shape<shape<128, 8, 3>, double>(s, r, n);
      try_shape<shape<192, 4, 2>, double>(s, r, n);
      try_shape<shape<192, 8, 2>, double>(s, r, n);
      try_shape<shape<256, 8, 1>, double>(s, r, n);
      try_shape<shape<320, 8, 1>, double>(s, r, n);
      try_shape<shape<384, 4, 1>, double>(s, r, n);
      try_shape<shape<384, 8, 1>, double>(s, r, n);
      try_shape<shape<416, 4, 1>, double>(s, r, n);
      try_shape<shape<416, 6, 1>, double>(s, r, n);
      try_shape<shape<416, 8, 1>, double>(s, r, n);
    }
  }
}

template <class T>
void compare_all(setting& s) {
  for (const range r : {range::uniform, range::normal, range::wide, range::cancelling}) {
    s.fill<T>(r);
    for (const int e : {10, 14, 18, 20, 22, 24, 26}) {
      if (r == range::uniform) compare<T>(s, r, std::size_t{1} << e);
    }
    compare<T>(s, r, std::size_t{1} << 28);
    if (r == range::uniform || r == range::wide) time_dot<T>(s, r, std::size_t{1} << 27);
  }
}

int run(bool quick) {
  setting s;
  s.quick = quick;
  compare_all<float>(s);
  compare_all<double>(s);
  std::puts(measure::json_document(s.rows, cuda_run_info(commit, "warpfold_bench_exact")).c_str());
  int wrong = 0;
  for (const auto& row : s.rows) {
    if (row.verdict.right) continue;
    wrong = 1;
    std::fprintf(stderr, "wrong: %s of %zu %s, %s: %s, expected %s\n", row.name.c_str(), row.n,
                 row.type.c_str(), row.op.c_str(), row.verdict.result.c_str(),
                 row.verdict.expected.c_str());
  }
  return wrong;
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    const std::string word = argc > 1 ? argv[1] : "";
    if (word == "--sweep") {
      warpfold::bench::setting s;
      warpfold::bench::sweep(s);
      return 0;
    }
    return warpfold::bench::run(word == "--quick");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_bench_exact: %s\n", e.what());
    return 3;
  }
}
