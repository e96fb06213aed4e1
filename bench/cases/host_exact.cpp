// Exact sums on the host beside plain ones, a Neumaier loop and Python's math.fsum. On one thread
// it takes the processor's time; on all cores wall-clock time, of ours beside a loop that has but
// one.
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/cases/exact_truth.hpp"
#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::bench {
namespace {

template <class T>
T any_bits(std::mt19937_64& bits) {
  while (true) {
    const T value =
        detail::from_bits<T>(static_cast<typename detail::format<T>::bits_type>(bits()));
    if (std::isfinite(value)) return value;
  }
}

template <class T>
std::vector<T> values_of(std::string_view range, std::size_t n) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<T> unit(0, 1);
  std::normal_distribution<T> normal;
  std::vector<T> values(n);
  for (T& v : values) {
    v = range == "uniform" ? unit(bits) : range == "normal" ? normal(bits) : any_bits<T>(bits);
  }
  return values;
}

template <class T>
T neumaier(std::span<const T> values) {
  T sum = 0, rest = 0;
  for (const T v : values) {
    const T next = sum + v;
    rest += std::fabs(sum) >= std::fabs(v) ? (sum - next) + v : (v - next) + sum;
    sum = next;
  }
  return sum + rest;
}

/// Of a list of 2^20 values between 0 and 1; no row without Python.
measurements fsum(unsigned samples) {
  auto row = sum_record<double>("math.fsum", "uniform", std::size_t{1} << 20);
  row.form = "1 thread", row.call = "single", row.backend = measure::backend_kind::host;
  const std::string program =
      "import math,random,time\n"
      "v=[random.random() for _ in range(1<<20)]\n"
      "def t():\n"
      " a=time.process_time(); math.fsum(v); return time.process_time()-a\n"
      "for _ in range(" +
      std::to_string(samples) + "): print(t()*1e6)";
  std::FILE* const python = popen(("python3 -c '" + program + "' 2>/dev/null").c_str(), "r");
  if (python == nullptr) return {};
  row.timing.emplace();
  for (double us = 0; std::fscanf(python, "%lf", &us) == 1;) row.timing->samples_us.push_back(us);
  row.verdict.right = true;  // Python's word for it
  return pclose(python) == 0 ? measurements{row} : measurements{};
}

template <class T>
void compare(session& s, const char* range) {
  const auto values =
      values_of<T>(range, s.args.number("bytes", std::size_t{1} << 26, 4096) / sizeof(T));
  const exact_truth<T> truth(values);
  for (const unsigned threads : {1U, 0U}) {
    const auto where = host.threads(threads);
    const unsigned count = threads == 0 ? std::thread::hardware_concurrency() : threads;
    T result = 0;
    const auto by = [&](const char* who, auto sum) {
      auto record = sum_record<T>(who, range, values.size());
      record.form = std::to_string(count) + (count == 1 ? " thread" : " threads");
      const bool exact = !record.reference;
      return candidate{record, [&, sum](std::size_t) { result = sum(); }, true,
                       [&, exact](std::size_t, std::size_t) { return truth.check(result, exact); }};
    };
    const std::vector<candidate> candidates{
        by("warpfold", [&] { return exact_sum(where, values); }),
        by("warpfold plain", [&] { return reduce(where, values); }),
        by("neumaier", [&] { return neumaier(std::span<const T>(values)); })};
    const slots memory{.renew = [&] { result = std::numeric_limits<T>::quiet_NaN(); }};
    s.add(time_on_host(s.samples(31), memory, candidates,
                       threads == 1 ? host_clock::processor : host_clock::wall));
  }
}

void run_all(session& s) {
  if (!s.args.has("no-python")) s.add(fsum(s.samples(9)));
  for (const char* const range : {"uniform", "normal", "wide"}) {
    compare<float>(s, range);
    compare<double>(s, range);
  }
}

}  // namespace

const bench_program program{"exact_host", " bytes= no-python", "[--bytes=N] [--no-python]", run_all,
                            nullptr,      host_run_info};

}  // namespace warpfold::bench
