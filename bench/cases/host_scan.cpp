// Scans on the host, beside std's and beside a copy.
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "bench/cases/host_cases.hpp"
#include "bench/harness/host_memory.hpp"
#include "bench/harness/numbers.hpp"
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
measurements run_as(const bench_case& c, std::span<const std::string> against) {
  const std::size_t n = c.n,
                    count = host_slots_of(2 * n * sizeof(T), calls_of(c, 1 + against.size()));
  slot_memory<T> in(n, count), out(n, count);
  in.fill([&](std::size_t i) { return number<T>(c, i); });
  T poison;
  std::memset(&poison, 0xff, sizeof poison);
  constexpr T none = Op::template identity<T>();
  std::vector<candidate> candidates{{c.record("warpfold"), [&](std::size_t slot) {
                                       const std::span<const T> from(in.slot(slot), n);
                                       if (c.exclusive) {
                                         exclusive_scan(host, from, out.slot(slot), none, Op{});
                                       } else {
                                         inclusive_scan(host, from, out.slot(slot), Op{});
                                       }
                                     }}};
  // libstdc++'s parallel scans of floats take 0 for the identity of every operator: a wrong
  // maximum.
  constexpr bool theirs_is_right = !std::is_floating_point_v<T> || std::is_same_v<Op, plus>;
  if (theirs_is_right && is_asked(against, "tbb")) {
    candidates.push_back({c.record("tbb"), [&](std::size_t slot) {
                            const T* const first = in.slot(slot);
                            T* const to = out.slot(slot);
                            const auto& par = std::execution::par;
                            if (c.exclusive) {
                              std::exclusive_scan(par, first, first + n, to, none, Theirs{});
                            } else {
                              std::inclusive_scan(par, first, first + n, to, Theirs{}, none);
                            }
                          }});
  }
  if (is_asked(against, "copy")) {
    auto record = c.record("parallel memcpy");
    record.op = "copy";
    candidates.push_back(
        {record, [&](std::size_t slot) { copy_all(out.slot(slot), in.slot(slot), n * sizeof(T)); },
         true,
         [&](std::size_t slot, std::size_t) {
           return one_result(std::memcmp(out.slot(slot), in.slot(slot), n * sizeof(T)) == 0);
         }});
  }
  const slots memory{.count = count,
                     .renew = [&] { out.fill([=](std::size_t) { return poison; }); },
                     .check =
                         [&](std::size_t slot, std::size_t) {
                           const auto mistake =
                               first_mistake<T, Op>(in.slot(slot), out.slot(slot), n, c.exclusive);
                           return one_result(mistake.empty(), mistake);
                         }};
  return time_on_host(c.samples, memory, candidates);
}

}  // namespace

measurements run_host_scan(const bench_case& c, std::span<const std::string> against) {
  return with_numbers(
      c, [&]<class T, class Op, class Theirs>() { return run_as<T, Op, Theirs>(c, against); });
}

}  // namespace warpfold::bench
