// Reductions of more bytes than any cache holds, beside std's and beside the machine's own limit: a
// loop on each thread that does nothing but read.
#include <algorithm>
#include <cstring>
#include <execution>
#include <numeric>
#include <thread>

#include "bench/host/job.hpp"
#include "bench/host/values.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::bench {
namespace {

measure::measurement record(std::string op, std::string type, std::string who, std::size_t n,
                            std::size_t bytes) {
  measure::measurement row;
  row.ladder = "reduce", row.op = std::move(op), row.type = std::move(type);
  row.name = std::move(who), row.n = n, row.useful_bytes = bytes;
  return row;
}

/// The sum of the 8-byte words in a stretch of memory, four times four at a time.
std::uint64_t read_words(const std::uint64_t* words, std::size_t n) {
  using pack [[gnu::vector_size(16)]] = std::uint64_t;
  pack sum[4] = {};
  for (std::size_t i = 0; i + 8 <= n; i += 8) {
    pack now[4];
    std::memcpy(now, words + i, sizeof now);
    sum[0] += now[0], sum[1] += now[1], sum[2] += now[2], sum[3] += now[3];
  }
  const pack all = sum[0] + sum[1] + (sum[2] + sum[3]);
  return all[0] + all[1];
}

void add_ceiling(std::vector<job>& jobs, std::size_t bytes) {
  const std::size_t n = bytes / 64 * 8;
  const auto words = random_keys<std::uint64_t>(n);
  const std::uint64_t expected = std::accumulate(words->begin(), words->end(), std::uint64_t{0});
  const auto sum = std::make_shared<std::uint64_t>();
  jobs.push_back({record("read", "bytes", "plain loop", n * 8, n * 8), [=] { *sum = 0; },
                  [=] {
                    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
                    std::vector<std::uint64_t> part(threads);
                    std::vector<std::thread> running;
                    const std::size_t lines = n / 8;
                    for (std::size_t t = 0; t < threads; ++t) {
                      const std::size_t begin = lines * t / threads * 8;
                      const std::size_t end = lines * (t + 1) / threads * 8;
                      running.emplace_back([&, t, begin, end] {
                        part[t] = read_words(words->data() + begin, end - begin);
                      });
                    }
                    for (std::thread& thread : running) thread.join();
                    *sum = std::accumulate(part.begin(), part.end(), std::uint64_t{0});
                  },
                  [=] { return *sum == expected; }});
}

template <class T>
void add_of(std::vector<job>& jobs, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(T);
  const auto in = small_numbers<T>(n);
  const auto add = [&](const char* op, const char* who, auto call, auto expected) {
    const auto result = std::make_shared<decltype(expected)>();
    jobs.push_back({record(op, type_name<T>(), who, n, bytes),
                    {},
                    [=] { *result = call(*in); },
                    [=] { return *result == expected; }});
  };
  const T sum = static_cast<T>(std::accumulate(in->begin(), in->end(), 0.0));
  add(
      "sum", "warpfold", [](const auto& v) { return reduce(host, v); }, sum);
  add(
      "sum", "std::reduce(par_unseq)",
      [](const auto& v) {
        return std::reduce(std::execution::par_unseq, v.begin(), v.end(), T{0});
      },
      sum);
  const auto first =
      static_cast<std::uint64_t>(std::min_element(in->begin(), in->end()) - in->begin());
  add(
      "argmin", "warpfold", [](const auto& v) { return argmin(host, v).index; }, first);
  add(
      "argmin", "std::min_element(par_unseq)",
      [](const auto& v) {
        return static_cast<std::uint64_t>(
            std::min_element(std::execution::par_unseq, v.begin(), v.end()) - v.begin());
      },
      first);
  const double mean = static_cast<double>(sum) / static_cast<double>(n);
  add(
      "statistics", "warpfold", [](const auto& v) { return statistics(host, v).mean; }, mean);
}

}  // namespace

void add_reductions(std::vector<job>& jobs, const sizes& s) {
  add_ceiling(jobs, s.bytes);
  add_of<float>(jobs, s.bytes);
  add_of<double>(jobs, s.bytes);
  add_of<std::int32_t>(jobs, s.bytes);
}

}  // namespace warpfold::bench
