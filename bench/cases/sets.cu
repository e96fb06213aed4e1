// Set operations on two sorted ranges of as many keys, beside Thrust's: single calls, which leave
// the number of keys on the device or wait for it, and graphs of those that can be captured. A
// quarter of the keys of one range are in the other.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <thrust/execution_policy.h>
#include <thrust/set_operations.h>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/sets.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::bench {
namespace {

/// Two ranges of rising keys in a slot, `half` in each.
template <class K>
struct two_rising {
  std::size_t half, step;  // of a range, of a slot
  __device__ K operator()(std::size_t i) const {
    const std::size_t at = i % step;
    return static_cast<K>(at % half * 4 + any_number<K>(at < half ? 1 : 2, i) % 4);
  }
};

struct union_call {
  static constexpr const char* name = "set_union";
  static auto by_thrust(auto... args) { return thrust::set_union(args...); }
  static status by_warpfold(const auto&... args) { return set_union(args...); }
};
struct intersection_call {
  static constexpr const char* name = "set_intersection";
  static auto by_thrust(auto... args) { return thrust::set_intersection(args...); }
  static status by_warpfold(const auto&... args) { return set_intersection(args...); }
};
struct difference_call {
  static constexpr const char* name = "set_difference";
  static auto by_thrust(auto... args) { return thrust::set_difference(args...); }
  static status by_warpfold(const auto&... args) { return set_difference(args...); }
};
struct symmetric_call {
  static constexpr const char* name = "set_symmetric_difference";
  static auto by_thrust(auto... args) { return thrust::set_symmetric_difference(args...); }
  static status by_warpfold(const auto&... args) { return set_symmetric_difference(args...); }
};

template <class K, class Call>
void time_sets(session& s, device_place& where, std::size_t n) {
  const std::size_t half = n / 2;
  const std::size_t count =
      std::min<std::size_t>(device_slots_of(2 * n * sizeof(K), where.cache_bytes), 24);
  const slot_buffer<K> in(n, count), out(n, count), expected(n, count);
  const device_buffer<std::size_t> selected(count);
  const workspace memory(set_workspace_bytes<K>(n));
  const wrong_slots marks(count);
  const cudaStream_t stream = where.stream();
  fill(in.all(), two_rising<K>{half, in.step()}, stream);
  const auto by_thrust = [&](const slot_buffer<K>& to, std::size_t slot) {
    const K* const keys = in(slot);
    K* const end = Call::by_thrust(thrust::cuda::par.on(stream), keys, keys + half, keys + half,
                                   keys + n, to(slot));
    return static_cast<std::size_t>(end - to(slot));
  };
  const auto by_warpfold = [&](std::size_t slot) {
    const std::span<const K> keys(in(slot), n);
    Call::by_warpfold(device.on(stream).with(memory), keys.first(half), keys.subspan(half),
                      std::span<K>(out(slot), n), selected.data() + slot)
        .throw_if_failed("a timed call");
  };
  std::vector<std::size_t> kept;
  for (std::size_t slot = 0; slot < count; ++slot) kept.push_back(by_thrust(expected, slot));
  const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(30)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = sizeof(K) == 4 ? "u32" : "u64";
    row.form = Call::name;
    row.useful_bytes = (n + kept[0]) * sizeof(K);
    return row;
  };
  const auto check = [&](std::size_t begin, std::size_t end) {
    return marks.count(end, stream, [&](unsigned* mark) {
      for (std::size_t i = begin; i < end; ++i) {
        compare_kernel<<<512, 256, 0, stream>>>(out(i), expected(i), kept[i], mark + i);
      }
    });
  };
  const auto check_numbers = [&](std::size_t begin, std::size_t end) {
    mistakes found = check(begin, end);
    const auto numbers = selected.on_host(count, stream);
    for (std::size_t i = begin; i < end; ++i) {
      found += one_result(numbers[i] == kept[i], "another number of keys");
    }
    return found;
  };
  const slots all{.count = count,
                  .calls_per_graph = count,
                  .renew =
                      [&] {
                        out.all().set_bytes(0xff, stream);
                        selected.set_bytes(0xff, stream);
                      },
                  .check = check};
  const std::vector<candidate> candidates{
      {record("warpfold"), by_warpfold, true, check_numbers},
      {record("thrust"), [&](std::size_t slot) { by_thrust(out, slot); }, false}};
  s.add(time_on_device(c.samples, where, all, candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {10U, 14U, 16U, 18U, 20U, 22U, 24U, 26U, 28U}) {
    const std::size_t n = std::size_t{1} << bits;
    time_sets<std::uint32_t, union_call>(s, where, n);
    time_sets<std::uint32_t, intersection_call>(s, where, n);
    time_sets<std::uint32_t, difference_call>(s, where, n);
    time_sets<std::uint32_t, symmetric_call>(s, where, n);
    time_sets<std::uint64_t, union_call>(s, where, n);
    time_sets<std::uint64_t, intersection_call>(s, where, n);
  }
}

}  // namespace

const bench_program program{"sets", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
