// Set operations on two sorted ranges of as many keys, alone and with items, beside Thrust's:
// single calls, which leave the number of keys on the device or wait for it, and graphs of those
// that can be captured. A quarter of the keys of one range are in the other.
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

struct of_keys {
  static constexpr bool by_key = false;
};
struct union_call : of_keys {
  static constexpr const char* name = "set_union";
  static auto by_thrust(auto... args) { return thrust::set_union(args...); }
  static status by_warpfold(const auto&... args) { return set_union(args...); }
};
struct intersection_call : of_keys {
  static constexpr const char* name = "set_intersection";
  static auto by_thrust(auto... args) { return thrust::set_intersection(args...); }
  static status by_warpfold(const auto&... args) { return set_intersection(args...); }
};
struct difference_call : of_keys {
  static constexpr const char* name = "set_difference";
  static auto by_thrust(auto... args) { return thrust::set_difference(args...); }
  static status by_warpfold(const auto&... args) { return set_difference(args...); }
};
struct symmetric_call : of_keys {
  static constexpr const char* name = "set_symmetric_difference";
  static auto by_thrust(auto... args) { return thrust::set_symmetric_difference(args...); }
  static status by_warpfold(const auto&... args) { return set_symmetric_difference(args...); }
};

/// Both ranges have items; an intersection takes those of the first.
struct union_by_key_call {
  static constexpr bool by_key = true;
  static constexpr const char* name = "set_union_by_key, u32 items";
  static auto by_thrust(auto... args) { return thrust::set_union_by_key(args...).first; }
  static status by_warpfold(const auto&... args) { return set_union_by_key(args...); }
};
struct intersection_by_key_call {
  static constexpr bool by_key = true;
  static constexpr const char* name = "set_intersection_by_key, u32 items";
  static auto by_thrust(auto on, auto a, auto a_end, auto b, auto b_end, auto items, auto,
                        auto... out) {
    return thrust::set_intersection_by_key(on, a, a_end, b, b_end, items, out...).first;
  }
  static status by_warpfold(const auto& on, const auto& a, const auto& items, const auto& b,
                            const auto&, const auto&... out) {
    return set_intersection_by_key(on, a, items, b, out...);
  }
};

/// Keys, and items where a call has them.
template <class K, class Call>
struct set_rows {
  slot_buffer<K> keys;
  slot_buffer<std::uint32_t> items;

  set_rows(std::size_t n, std::size_t count) : keys(n, count), items(Call::by_key ? n : 1, count) {}
};

/// Both ranges and the results of either library in `count` slots.
template <class K, class Call>
struct set_runs {
  std::size_t n, half, count;
  cudaStream_t stream;
  set_rows<K, Call> in, out, expected;
  device_buffer<std::size_t> selected;
  workspace memory;
  wrong_slots marks;
  std::vector<std::size_t> kept;

  set_runs(std::size_t rows, std::size_t slots, cudaStream_t on)
      : n(rows),
        half(rows / 2),
        count(slots),
        stream(on),
        in(n, count),
        out(n, count),
        expected(n, count),
        selected(count),
        memory(set_workspace_bytes<K>(n)),
        marks(count) {
    fill(in.keys.all(), two_rising<K>{half, in.keys.step()}, stream);
    fill(in.items.all(), two_rising<std::uint32_t>{half, in.items.step()}, stream);
    for (std::size_t slot = 0; slot < count; ++slot) kept.push_back(by_thrust(expected, slot));
  }

  std::size_t by_thrust(const set_rows<K, Call>& to, std::size_t slot) const {
    const K* const keys = in.keys(slot);
    const auto call = [&](auto... rest) {
      K* const end = Call::by_thrust(thrust::cuda::par.on(stream), keys, keys + half, keys + half,
                                     keys + n, rest...);
      return static_cast<std::size_t>(end - to.keys(slot));
    };
    if constexpr (Call::by_key) {
      const std::uint32_t* const items = in.items(slot);
      return call(items, items + half, to.keys(slot), to.items(slot));
    } else {
      return call(to.keys(slot));
    }
  }
  void by_warpfold(std::size_t slot) const {
    const std::span<const K> keys(in.keys(slot), n);
    const std::span<K> keys_out(out.keys(slot), n);
    const auto call = [&](const auto&... rest) {
      Call::by_warpfold(device.on(stream).with(memory), rest..., selected.data() + slot)
          .throw_if_failed("a timed call");
    };
    if constexpr (Call::by_key) {
      const std::span<const std::uint32_t> items(in.items(slot), n);
      call(keys.first(half), items.first(half), keys.subspan(half), items.subspan(half), keys_out,
           std::span<std::uint32_t>(out.items(slot), n));
    } else {
      call(keys.first(half), keys.subspan(half), keys_out);
    }
  }
  void renew() {
    out.keys.all().set_bytes(0xff, stream);
    out.items.all().set_bytes(0xff, stream);
    selected.set_bytes(0xff, stream);
  }
  mistakes check(std::size_t begin, std::size_t end) {
    return marks.count(end, stream, [&](unsigned* mark) {
      for (std::size_t i = begin; i < end; ++i) {
        compare_kernel<<<512, 256, 0, stream>>>(out.keys(i), expected.keys(i), kept[i], mark + i);
        if constexpr (Call::by_key) {
          compare_kernel<<<512, 256, 0, stream>>>(out.items(i), expected.items(i), kept[i],
                                                  mark + i);
        }
      }
    });
  }
  mistakes check_numbers(std::size_t begin, std::size_t end) {
    mistakes found = check(begin, end);
    const auto numbers = selected.on_host(count, stream);
    for (std::size_t i = begin; i < end; ++i) {
      found += one_result(numbers[i] == kept[i], "another number of keys");
    }
    return found;
  }
};

template <class K, class Call>
void time_sets(session& s, device_place& where, std::size_t n) {
  constexpr std::size_t item_bytes = Call::by_key ? sizeof(std::uint32_t) : 0;
  const std::size_t count = std::min<std::size_t>(
      device_slots_of(2 * n * (sizeof(K) + item_bytes), where.cache_bytes), 24);
  set_runs<K, Call> runs(n, count, where.stream());
  const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(30)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = sizeof(K) == 4 ? "u32" : "u64";
    row.form = Call::name;
    row.useful_bytes = (n + runs.kept[0]) * sizeof(K) + 2 * runs.kept[0] * item_bytes;
    return row;
  };
  const slots all{
      .count = count,
      .calls_per_graph = count,
      .renew = [&] { runs.renew(); },
      .check = [&](std::size_t begin, std::size_t end) { return runs.check(begin, end); }};
  const std::vector<candidate> candidates{
      {record("warpfold"), [&](std::size_t slot) { runs.by_warpfold(slot); }, true,
       [&](std::size_t begin, std::size_t end) { return runs.check_numbers(begin, end); }},
      {record("thrust"), [&](std::size_t slot) { runs.by_thrust(runs.out, slot); }, false}};
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
    time_sets<std::uint32_t, union_by_key_call>(s, where, n);
    time_sets<std::uint32_t, intersection_by_key_call>(s, where, n);
  }
}

}  // namespace

const bench_program program{"sets", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
