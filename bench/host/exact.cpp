// Exact sums on the host beside plain ones, a Neumaier loop and Python's math.fsum: the same
// values, calls in turns, medians. On one thread CPU time, which a busy machine changes little; on
// all cores wall-clock time, of ours beside a loop that has but one.
// Every exact sum must be that of values added one by one, and the other sums as near as rounding
// lets them be; else it exits with 1.
// usage: warpfold_bench_exact_host [--bytes=N] [--rounds=N] [--no-python] One line of JSON for each
// type, range of values and number of threads.
#include "warpfold/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/host/processor.hpp"
#include "commit.hpp"  // generated at each build
#include "warpfold/host/reduce.hpp"

namespace warpfold::bench {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

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

/// Nanoseconds a value of math.fsum, of a list of values between 0 and 1; 0 without Python.
double fsum_nanoseconds() {
  std::FILE* const python = popen(
      "python3 -c 'import math,random,time\n"
      "v=[random.random() for _ in range(1<<20)]\n"
      "def t():\n"
      " a=time.process_time(); math.fsum(v); return time.process_time()-a\n"
      "print(sorted(t() for _ in range(9))[4]/len(v)*1e9)'",
      "r");
  double result = 0;
  if (python == nullptr) return 0;
  if (std::fscanf(python, "%lf", &result) != 1) result = 0;
  pclose(python);
  return result;
}

/// The sum of the values, and how far from it other ways to sum may be.
template <class T>
struct truth {
  T sum;
  double bound = 0;

  explicit truth(std::span<const T> values) {
    exact_accumulator<T> all;
    for (const T v : values) {
      all.add(v);
      bound += std::fabs(static_cast<double>(v));
    }
    sum = all.round();
    bound *= bound <= std::numeric_limits<T>::max()  // else partial sums may overflow
                 ? static_cast<double>(values.size()) * std::numeric_limits<T>::epsilon()
                 : std::numeric_limits<double>::infinity();
  }

  void check(T result, bool exact) const {
    const bool right = exact ? detail::bits_of(result) == detail::bits_of(sum)
                             : !std::isfinite(bound) || std::fabs(result - sum) <= bound;
    if (right) return;
    std::fprintf(stderr, "wrong: %a, and the sum is %a\n", static_cast<double>(result),
                 static_cast<double>(sum));
    std::exit(1);
  }
};

template <class T>
void compare(std::string_view range, std::size_t bytes, int rounds, double fsum,
             const std::string& command) {
  const auto values = values_of<T>(range, bytes / sizeof(T));
  const truth<T> expected(values);
  for (const unsigned threads : {1U, 0U}) {
    const auto where = host.threads(threads);
    const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    T result = 0;
    const std::function<void()> calls[] = {[&] { result = exact_sum(where, values); },
                                           [&] { result = reduce(where, values); },
                                           [&] { result = neumaier(std::span<const T>(values)); }};
    std::vector<double> nanoseconds[3];
    for (int round = 0; round <= rounds; ++round) {
      for (unsigned c = 0; c < 3; ++c) {
        const double start = seconds(clock);
        calls[c]();
        const double spent = seconds(clock) - start;
        expected.check(result, c == 0);
        if (round > 0) nanoseconds[c].push_back(spent * 1e9 / static_cast<double>(values.size()));
      }
    }
    double median[3];
    for (unsigned c = 0; c < 3; ++c) {
      std::sort(nanoseconds[c].begin(), nanoseconds[c].end());
      median[c] = nanoseconds[c][nanoseconds[c].size() / 2];
    }
    std::printf(
        "{\"type\":\"%s\",\"range\":\"%s\",\"n\":%zu,\"threads\":\"%s\",\"exact_ns\":%.4f,"
        "\"plain_ns\":%.4f,\"neumaier_ns\":%.4f,\"fsum_ns\":%.2f,\"of_plain\":%.3f,"
        "\"times_neumaier\":%.2f,\"times_fsum\":%.1f,\"device\":\"%s\",\"commit\":\"%s\","
        "\"command\":\"%s\"}\n",
        detail::format<T>::name, std::string(range).c_str(), values.size(),
        std::to_string(threads == 0 ? std::thread::hardware_concurrency() : 1).c_str(), median[0],
        median[1], median[2], fsum, median[1] / median[0], median[2] / median[0], fsum / median[0],
        processor().c_str(), commit, command.c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  std::size_t bytes = std::size_t{1} << 26;
  int rounds = 31;
  bool python = true;
  std::string command = "warpfold_bench_exact_host";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    command += " " + std::string(word);
    if (word.starts_with("--bytes=")) {
      bytes = std::strtoull(argv[i] + 8, nullptr, 0);
    } else if (word.starts_with("--rounds=")) {
      rounds = std::atoi(argv[i] + 9);
    } else if (word == "--no-python") {
      python = false;
    } else {
      bytes = 0;
    }
  }
  if (bytes < 4096 || rounds < 1) {
    std::fputs(
        "usage: warpfold_bench_exact_host [--bytes=N] [--rounds=N] [--no-python]\n"
        "  --bytes is 4096 at least, --rounds 1 at least\n",
        stderr);
    return 2;
  }
  const double fsum = python ? warpfold::bench::fsum_nanoseconds() : 0;
  for (const char* const range : {"uniform", "normal", "wide"}) {
    warpfold::bench::compare<float>(range, bytes, rounds, fsum, command);
    warpfold::bench::compare<double>(range, bytes, rounds, fsum, command);
  }
}
