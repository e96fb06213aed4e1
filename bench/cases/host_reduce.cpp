// Reductions on the host, beside std's and beside loops that only read.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/cases/host_cases.hpp"
#include "bench/harness/host_memory.hpp"
#include "bench/harness/numbers.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::bench {
namespace {

/// Inputs, and the results of type R; truth(values) is asked for once a slot.
template <class T, class R>
class value_slots {
 public:
  value_slots(const bench_case& c, std::size_t candidates)
      : n(c.n),
        count(host_slots_of(n * sizeof(T), calls_of(c, candidates))),
        in(n, count),
        results(count),
        truth_(count) {
    in.fill([&](std::size_t i) { return number<T>(c, i); });
  }
  [[nodiscard]] std::span<const T> values(std::size_t slot) const { return {in.slot(slot), n}; }

  template <class Truth>
  [[nodiscard]] slots as_slots(Truth truth) {
    return {.count = count,
            .renew = [this] { std::memset(results.data(), 0xff, count * sizeof(R)); },
            .check =
                [this, truth](std::size_t slot, std::size_t) {
                  if (!truth_[slot]) truth_[slot] = truth(values(slot));
                  const R result = results[slot], expected = *truth_[slot];
                  return one_result(result == expected,
                                    fmt::format("{}, not {}", result, expected));
                }};
  }

  std::size_t n, count;
  slot_memory<T> in;
  std::vector<R> results;

 private:
  std::vector<std::optional<R>> truth_;
};

/// What no reduction is faster than: of the same memory, since from one place to another the rate
/// differs by a fifth.
template <class Slots>
void add_reads(std::vector<candidate>& candidates, const Slots& s, const bench_case& c,
               std::vector<std::uint64_t>& sums) {
  sums.resize(s.count);
  const auto words = [&s](std::size_t slot) {
    const auto bytes = std::as_bytes(s.values(slot));
    return std::span(reinterpret_cast<const std::uint64_t*>(bytes.data()), bytes.size() / 8);
  };
  for (const unsigned places : read_places) {
    auto record = c.record(fmt::format("plain loop, {} at once", places));
    record.op = "read";
    candidates.push_back(
        {record, [=, &sums](std::size_t slot) { sums[slot] = read_all(words(slot), places); }, true,
         [=, &sums](std::size_t slot, std::size_t) {
           const auto all = words(slot);
           return one_result(std::exchange(sums[slot], 0) ==
                             std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
         }});
  }
}

template <class T, class Op, class Theirs>
measurements run_as(const bench_case& c, std::span<const std::string> against) {
  value_slots<T, T> s(c, 1 + against.size());
  constexpr T none = Op::template identity<T>();
  std::vector<std::uint64_t> sums;
  std::vector<candidate> candidates;
  if (is_asked(against, "read")) add_reads(candidates, s, c, sums);
  candidates.push_back({c.record("warpfold"), [&](std::size_t slot) {
                          s.results[slot] = reduce(host, s.values(slot), none, Op{});
                        }});
  if (is_asked(against, "tbb")) {
    candidates.push_back({c.record("tbb"), [&](std::size_t slot) {
                            const auto v = s.values(slot);
                            s.results[slot] = std::reduce(std::execution::par_unseq, v.begin(),
                                                          v.end(), none, Theirs{});
                          }});
  }
  return time_on_host(c.samples, s.as_slots([=](std::span<const T> v) {
    return std::accumulate(v.begin(), v.end(), none, Op{});
  }),
                      candidates);
}

template <class T>
measurements argmin_as(const bench_case& c, std::span<const std::string> against) {
  using index = std::uint64_t;
  value_slots<T, index> s(c, 2);
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.op = "argmin";
    return row;
  };
  std::vector<candidate> candidates{{record("warpfold"), [&](std::size_t slot) {
                                       s.results[slot] = argmin(host, s.values(slot)).index;
                                     }}};
  if (is_asked(against, "tbb")) {
    candidates.push_back({record("tbb"), [&](std::size_t slot) {
                            const auto v = s.values(slot);
                            s.results[slot] = static_cast<index>(
                                std::min_element(std::execution::par_unseq, v.begin(), v.end()) -
                                v.begin());
                          }});
  }
  return time_on_host(c.samples, s.as_slots([](std::span<const T> v) {
    return static_cast<index>(std::min_element(v.begin(), v.end()) - v.begin());
  }),
                      candidates);
}

template <class T>
measurements statistics_as(const bench_case& c) {
  value_slots<T, double> s(c, 1);
  auto record = c.record("warpfold");
  record.op = "statistics";
  const candidate ours{
      record, [&](std::size_t slot) { s.results[slot] = statistics(host, s.values(slot)).mean; }};
  // Whole numbers, of which f64 holds the sum.
  return time_on_host(c.samples, s.as_slots([](std::span<const T> v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  }),
                      std::span(&ours, 1));
}

}  // namespace

measurements run_host_reduce(const bench_case& c, std::span<const std::string> against) {
  return with_numbers(
      c, [&]<class T, class Op, class Theirs>() { return run_as<T, Op, Theirs>(c, against); });
}
measurements run_host_argmin(const bench_case& c, std::span<const std::string> against) {
  return with_numbers(c, [&]<class T, class, class>() { return argmin_as<T>(c, against); });
}
measurements run_host_statistics(const bench_case& c) {
  return with_numbers(c, [&]<class T, class, class>() { return statistics_as<T>(c); });
}

}  // namespace warpfold::bench
