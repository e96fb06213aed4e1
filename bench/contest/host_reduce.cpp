// Reductions on the host, beside std::reduce.
#include <algorithm>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "bench/contest/host_contest.hpp"
#include "bench/contest/host_memory.hpp"
#include "bench/contest/numbers.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::bench {
namespace {

template <class T, class Op, class Theirs>
std::vector<measure::measurement> run_as(const problem& p, std::span<const std::string> against) {
  const std::size_t slots = slots_of(p.n * sizeof(T), calls_of(p, against));
  slot_memory<T> in(p.n, slots);
  in.fill([&](std::size_t i) { return number<T>(p, i); });
  constexpr T none = Op::template identity<T>();
  std::vector<T> results(slots);
  std::vector<std::optional<T>> expected(slots);  // the truth, once it was asked for
  std::vector<host_contestant> contestants{
      {"warpfold", [&](std::size_t slot) {
         results[slot] = reduce(host, std::span<const T>(in.slot(slot), p.n), none, Op{});
       }}};
  if (against_tbb(against)) {
    contestants.push_back({"tbb", [&](std::size_t slot) {
                             const T* const first = in.slot(slot);
                             results[slot] = std::reduce(std::execution::par_unseq, first,
                                                         first + p.n, none, Theirs{});
                           }});
  }
  return time_on_host(p,
                      {slots, [&] { std::memset(results.data(), 0xff, slots * sizeof(T)); },
                       [&](std::size_t slot) {
                         if (!expected[slot]) {
                           expected[slot] =
                               std::accumulate(in.slot(slot), in.slot(slot) + p.n, none, Op{});
                         }
                         const T result = results[slot], truth = *expected[slot];
                         return result == truth ? "" : fmt::format("{}, not {}", result, truth);
                       }},
                      contestants);
}

}  // namespace

std::vector<measure::measurement> run_host_reduce(const problem& p,
                                                  std::span<const std::string> against) {
  return with_numbers(
      p, [&]<class T, class Op, class Theirs>() { return run_as<T, Op, Theirs>(p, against); });
}

}  // namespace warpfold::bench
