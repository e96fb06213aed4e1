// Scans on the host, beside std's.
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "bench/contest/host_contest.hpp"
#include "bench/contest/host_memory.hpp"
#include "bench/contest/numbers.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::bench {
namespace {

/// Where the scan is not what it must be; empty if it is nowhere.
template <class T, class Op>
std::string first_mistake(const T* in, const T* out, std::size_t n, bool exclusive) {
  T sum = Op::template identity<T>();
  for (std::size_t i = 0; i < n; ++i) {
    const T next = Op{}(sum, in[i]), expected = exclusive ? sum : next;
    if (!(out[i] == expected)) return fmt::format("[{}] is {}, not {}", i, out[i], expected);
    sum = next;
  }
  return "";
}

template <class T, class Op, class Theirs>
std::vector<measure::measurement> run_as(const problem& p, std::span<const std::string> against) {
  const std::size_t n = p.n, slots = slots_of(2 * n * sizeof(T), calls_of(p, against));
  slot_memory<T> in(n, slots), out(n, slots);
  in.fill([&](std::size_t i) { return number<T>(p, i); });
  T poison;
  std::memset(&poison, 0xff, sizeof poison);
  constexpr T none = Op::template identity<T>();
  std::vector<host_contestant> contestants{{"warpfold", [&](std::size_t slot) {
                                              const std::span<const T> from(in.slot(slot), n);
                                              if (p.exclusive) {
                                                exclusive_scan(host, from, out.slot(slot), none,
                                                               Op{});
                                              } else {
                                                inclusive_scan(host, from, out.slot(slot), Op{});
                                              }
                                            }}};
  // libstdc++'s parallel scans of floats take 0 for the identity of every operator: a wrong
  // maximum.
  constexpr bool theirs_is_right = !std::is_floating_point_v<T> || std::is_same_v<Op, plus>;
  if (theirs_is_right && against_tbb(against)) {
    contestants.push_back({"tbb", [&](std::size_t slot) {
                             const T* const first = in.slot(slot);
                             T* const to = out.slot(slot);
                             const auto& par = std::execution::par;
                             if (p.exclusive) {
                               std::exclusive_scan(par, first, first + n, to, none, Theirs{});
                             } else {
                               std::inclusive_scan(par, first, first + n, to, Theirs{}, none);
                             }
                           }});
  }
  return time_on_host(p,
                      {slots, [&] { out.fill([=](std::size_t) { return poison; }); },
                       [&](std::size_t slot) {
                         return first_mistake<T, Op>(in.slot(slot), out.slot(slot), n, p.exclusive);
                       }},
                      contestants);
}

}  // namespace

std::vector<measure::measurement> run_host_scan(const problem& p,
                                                std::span<const std::string> against) {
  return with_numbers(
      p, [&]<class T, class Op, class Theirs>() { return run_as<T, Op, Theirs>(p, against); });
}

}  // namespace warpfold::bench
