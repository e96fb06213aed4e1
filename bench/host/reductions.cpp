// Reductions of more bytes than any cache holds, beside std's and beside the machine's own limit:
// loops on each thread that do nothing but read, in one place or in several at once.
#include <algorithm>
#include <cstring>
#include <execution>
#include <numeric>

#include "bench/contest/host_memory.hpp"
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

/// Of the same memory: from one place to another the rate differs by a fifth.
template <class T>
void add_ceiling(std::vector<job>& jobs, const std::shared_ptr<const std::vector<T>>& in) {
  const std::size_t bytes = in->size() * sizeof(T);
  std::vector<std::uint64_t> words(bytes / 8);
  std::memcpy(words.data(), in->data(), words.size() * 8);
  const std::uint64_t expected = std::accumulate(words.begin(), words.end(), std::uint64_t{0});
  const auto sum = std::make_shared<std::uint64_t>();
  for (const unsigned places : read_places) {
    const auto read = [=] {
      *sum = read_all({reinterpret_cast<const std::uint64_t*>(in->data()), bytes / 8}, places);
    };
    const std::string who = "plain loop, " + std::to_string(places) + " at once";
    jobs.push_back({record("read", type_name<T>(), who, in->size(), bytes), [=] { *sum = 0; }, read,
                    [=] { return *sum == expected; }});
  }
}

template <class T>
void add_of(std::vector<job>& jobs, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(T);
  const auto in = small_numbers<T>(n);
  add_ceiling(jobs, in);
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
  add_of<float>(jobs, s.bytes);
  add_of<double>(jobs, s.bytes);
  add_of<std::int32_t>(jobs, s.bytes);
}

}  // namespace warpfold::bench
