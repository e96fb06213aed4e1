// Merges of two sorted ranges in a graph, beside CUB's: keys alone and with items, halves and one
// sixteenth.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_merge.cuh>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/merge.hpp"
#include "warpfold/order.hpp"

namespace warpfold::bench {
namespace {

/// Two runs of rising keys in a slot, `a` of them in the first: each is random in a width of its
/// own.
template <class K>
struct rising_keys {
  std::size_t a, n, step;  // of a slot
  __device__ K operator()(std::size_t i) const {
    const std::size_t at = i % step;
    const bool first = at < a;
    const K width = static_cast<K>(~K{0} / (first ? a : n - a));
    return static_cast<K>((first ? at : at - a) * width + any_number<K>(1, i) % width);
  }
};
struct places {
  __device__ std::uint32_t operator()(std::size_t i) const { return static_cast<std::uint32_t>(i); }
};

/// Rows of keys and, unless they are to be merged alone, items.
template <class K>
struct row_slots {
  slot_buffer<K> keys;
  slot_buffer<std::uint32_t> items;
  std::size_t n;
  bool with_items;

  row_slots(std::size_t rows, std::size_t count, bool items_too)
      : keys(rows, count), items(items_too ? rows : 1, count), n(rows), with_items(items_too) {}
  std::span<K> keys_of(std::size_t slot) const { return {keys(slot), n}; }
  std::span<std::uint32_t> items_of(std::size_t slot) const { return {items(slot), n}; }
};

template <class K>
void merge_by_cub(const row_slots<K>& in, const row_slots<K>& out, std::size_t a, std::size_t slot,
                  void* work, std::size_t& bytes, cudaStream_t stream) {
  const auto a_count = static_cast<std::int64_t>(a), b_count = static_cast<std::int64_t>(in.n - a);
  K *const keys = in.keys(slot), *const keys_out = out.keys(slot);
  std::uint32_t *const items = in.items(slot), *const items_out = out.items(slot);
  cuda_check(in.with_items ? cub::DeviceMerge::MergePairs(work, bytes, keys, items, a_count,
                                                          keys + a, items + a, b_count, keys_out,
                                                          items_out, ascending{}, stream)
                           : cub::DeviceMerge::MergeKeys(work, bytes, keys, a_count, keys + a,
                                                         b_count, keys_out, ascending{}, stream),
             "CUB");
}
template <class K>
void merge_by_warpfold(const row_slots<K>& in, const row_slots<K>& out, std::size_t a,
                       std::size_t slot, cudaStream_t stream) {
  const auto keys = in.keys_of(slot);
  const auto on = device.on(stream);
  if (!in.with_items) {
    merge(on, keys.first(a), keys.subspan(a), out.keys_of(slot)).throw_if_failed("a timed call");
    return;
  }
  const auto items = in.items_of(slot);
  merge_by_key(on, keys.first(a), items.first(a), keys.subspan(a), items.subspan(a),
               out.keys_of(slot), out.items_of(slot))
      .throw_if_failed("a timed call");
}

template <class K>
void merge_two(session& s, device_place& where, std::size_t n, std::size_t a, bool with_items,
               const std::string& form) {
  const std::size_t row_bytes = sizeof(K) + (with_items ? sizeof(std::uint32_t) : 0);
  const std::size_t count =
      std::min<std::size_t>(device_slots_of(2 * n * row_bytes, where.cache_bytes), 24);
  const row_slots<K> in(n, count, with_items), out(n, count, with_items),
      expected(n, count, with_items);
  const wrong_slots marks(count);
  const cudaStream_t stream = where.stream();
  fill(in.keys.all(), rising_keys<K>{a, n, in.keys.step()}, stream);
  fill(in.items.all(), places{}, stream);
  std::size_t bytes = 0;
  merge_by_cub(in, out, a, 0, nullptr, bytes, stream);
  const device_buffer<char> work(bytes);
  for (std::size_t slot = 0; slot < count; ++slot) {
    merge_by_cub(in, expected, a, slot, work.data(), bytes, stream);
  }
  where.wait();
  const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(30)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = sizeof(K) == 4 ? "u32" : "u64";
    row.form = form;
    row.useful_bytes = 2 * n * row_bytes;
    return row;
  };
  const auto check = [&](unsigned* mark, std::size_t slot) {
    compare_kernel<<<512, 256, 0, stream>>>(out.keys(slot), expected.keys(slot), n, mark);
    if (!with_items) return;
    compare_kernel<<<512, 256, 0, stream>>>(out.items(slot), expected.items(slot), n, mark);
  };
  const slots all{.count = count,
                  .calls_per_graph = count,
                  .renew =
                      [&] {
                        out.keys.all().set_bytes(0xff, stream);
                        out.items.all().set_bytes(0xff, stream);
                      },
                  .check =
                      [&](std::size_t begin, std::size_t end) {
                        return marks.count(end, stream, [&](unsigned* mark) {
                          for (std::size_t i = begin; i < end; ++i) check(mark + i, i);
                        });
                      }};
  const std::vector<candidate> candidates{
      {record("warpfold"), [&](std::size_t slot) { merge_by_warpfold(in, out, a, slot, stream); }},
      {record("cub"),
       [&](std::size_t slot) { merge_by_cub(in, out, a, slot, work.data(), bytes, stream); }}};
  s.add(time_graphs(c.samples, where, all, candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {10U, 14U, 16U, 18U, 20U, 22U, 24U, 26U, 28U}) {
    const std::size_t n = std::size_t{1} << bits;
    for (const std::size_t part : {2U, 16U}) {
      const std::string halves = part == 2 ? "" : ", a sixteenth";
      merge_two<std::uint32_t>(s, where, n, n / part, false, "merge" + halves);
      merge_two<std::uint64_t>(s, where, n, n / part, false, "merge" + halves);
      merge_two<std::uint32_t>(s, where, n, n / part, true, "merge_by_key, u32 items" + halves);
      merge_two<std::uint64_t>(s, where, n, n / part, true, "merge_by_key, u32 items" + halves);
    }
  }
}

}  // namespace

const bench_program program{"merges", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
