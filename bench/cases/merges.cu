// Merges of sorted ranges in a graph, beside CUB's: keys alone and with items; of two, halves and
// one sixteenth; of eight equal runs, beside the seven merges of two that are three rounds of
// CUB's.
#include <algorithm>
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
#include "warpfold/workspace.hpp"

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
/// Runs of rising keys in a slot, of as many each.
template <class K>
struct rising_runs {
  std::size_t length, step;  // of a run, of a slot
  __device__ K operator()(std::size_t i) const {
    const K width = static_cast<K>(~K{0} / length);
    return static_cast<K>(i % step % length * width + any_number<K>(1, i) % width);
  }
};
struct run_begins {
  std::size_t length;
  __device__ std::size_t operator()(std::size_t i) const { return i * length; }
};
struct places {
  __device__ std::uint32_t operator()(std::size_t i) const { return static_cast<std::uint32_t>(i); }
};

/// Rows of keys and, unless they are to be merged alone, items.
template <class K>
struct row_slots {
  slot_buffer<K> keys;
  slot_buffer<std::uint32_t> items;
  std::size_t n, count;
  bool with_items;

  row_slots(std::size_t rows, std::size_t slots, bool items_too)
      : keys(rows, slots),
        items(items_too ? rows : 1, slots),
        n(rows),
        count(slots),
        with_items(items_too) {}
  std::span<K> keys_of(std::size_t slot) const { return {keys(slot), n}; }
  std::span<std::uint32_t> items_of(std::size_t slot) const { return {items(slot), n}; }
};

/// Memory of CUB's, whose size it says if there is none.
struct cub_memory {
  void* data;
  std::size_t& bytes;
};
/// Rows a to b and b to c of a slot, to rows a to c.
template <class K>
void merge_by_cub(const row_slots<K>& in, const row_slots<K>& out, std::size_t a, std::size_t b,
                  std::size_t c, std::size_t slot, cub_memory work, cudaStream_t stream) {
  const auto a_count = static_cast<std::int64_t>(b - a), b_count = static_cast<std::int64_t>(c - b);
  const std::size_t out_slot = slot % out.count;
  K *const keys = in.keys(slot % in.count), *const keys_out = out.keys(out_slot) + a;
  if (!in.with_items) {
    cuda_check(cub::DeviceMerge::MergeKeys(work.data, work.bytes, keys + a, a_count, keys + b,
                                           b_count, keys_out, ascending{}, stream),
               "CUB");
    return;
  }
  std::uint32_t *const items = in.items(slot % in.count), *const items_out =
                                                              out.items(out_slot) + a;
  cuda_check(
      cub::DeviceMerge::MergePairs(work.data, work.bytes, keys + a, items + a, a_count, keys + b,
                                   items + b, b_count, keys_out, items_out, ascending{}, stream),
      "CUB");
}
/// Eight runs, in three rounds.
template <class K>
void merge_eight_by_cub(const row_slots<K>& in, const row_slots<K>& out, const row_slots<K>& spare,
                        std::size_t slot, cub_memory work, cudaStream_t stream) {
  const row_slots<K>*from = &in, *to = &out, *next = &spare;
  for (std::size_t run = in.n / 8; run < in.n; run *= 2) {
    for (std::size_t a = 0; a < in.n; a += 2 * run) {
      merge_by_cub(*from, *to, a, a + run, a + 2 * run, slot, work, stream);
    }
    from = to;
    std::swap(to, next);
  }
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
void merge_eight_by_warpfold(const row_slots<K>& in, const row_slots<K>& out,
                             std::span<const std::size_t> offsets, const temp_storage& memory,
                             std::size_t slot, cudaStream_t stream) {
  const auto on = device.on(stream).with(memory);
  const status s = in.with_items ? merge_runs_by_key(on, in.keys_of(slot), in.items_of(slot),
                                                     offsets, out.keys_of(slot), out.items_of(slot))
                                 : merge_runs(on, in.keys_of(slot), offsets, out.keys_of(slot));
  s.throw_if_failed("a timed call");
}

/// What is timed: rows in, out, and as CUB merges them.
template <class K>
struct merge_slots {
  static std::size_t slots(std::size_t n, bool with_items, const device_place& where) {
    const std::size_t row_bytes = sizeof(K) + (with_items ? sizeof(std::uint32_t) : 0);
    return std::min<std::size_t>(device_slots_of(2 * n * row_bytes, where.cache_bytes), 24);
  }
  merge_slots(std::size_t n, bool with_items, const device_place& where)
      : in(n, slots(n, with_items, where), with_items),
        out(n, in.count, with_items),
        expected(n, in.count, with_items) {}

  row_slots<K> in, out, expected;
};

/// Times ours(slot) and cub(out, slot).
template <class K, class Ours, class Cub>
void time_merges(session& s, device_place& where, const merge_slots<K>& rows,
                 const std::string& form, Ours ours, Cub cub) {
  const row_slots<K>&in = rows.in, &out = rows.out, &expected = rows.expected;
  const std::size_t n = in.n, count = in.count;
  const wrong_slots marks(count);
  const cudaStream_t stream = where.stream();
  for (std::size_t slot = 0; slot < count; ++slot) cub(expected, slot);
  where.wait();
  const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(30)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = sizeof(K) == 4 ? "u32" : "u64";
    row.form = form;
    row.useful_bytes = 2 * n * (sizeof(K) + (in.with_items ? sizeof(std::uint32_t) : 0));
    return row;
  };
  const auto check = [&](unsigned* mark, std::size_t slot) {
    compare_kernel<<<512, 256, 0, stream>>>(out.keys(slot), expected.keys(slot), n, mark);
    if (!in.with_items) return;
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
  const std::vector<candidate> candidates{{record("warpfold"), ours},
                                          {record("cub"), [&](std::size_t i) { cub(out, i); }}};
  s.add(time_graphs(c.samples, where, all, candidates));
}

template <class K>
void merge_two(session& s, device_place& where, std::size_t n, std::size_t a, bool with_items,
               const std::string& form) {
  const merge_slots<K> rows(n, with_items, where);
  const auto& in = rows.in;
  const cudaStream_t stream = where.stream();
  fill(in.keys.all(), rising_keys<K>{a, n, in.keys.step()}, stream);
  fill(in.items.all(), places{}, stream);
  std::size_t bytes = 0;
  merge_by_cub(in, rows.out, 0, a, n, 0, {nullptr, bytes}, stream);
  const device_buffer<char> work(bytes);
  time_merges(
      s, where, rows, form,
      [&](std::size_t slot) { merge_by_warpfold(in, rows.out, a, slot, stream); },
      [&](const row_slots<K>& out, std::size_t slot) {
        merge_by_cub(in, out, 0, a, n, slot, {work.data(), bytes}, stream);
      });
}

template <class K>
void merge_eight(session& s, device_place& where, std::size_t n, bool with_items,
                 const std::string& form) {
  const merge_slots<K> rows(n, with_items, where);
  const row_slots<K> spare(n, 1, with_items);
  const device_buffer<std::size_t> offsets(9);
  const temp_storage memory(with_items ? merge_runs_temp_storage_bytes<K, std::uint32_t>(n, 8)
                                       : merge_runs_temp_storage_bytes<K>(n, 8));
  const auto& in = rows.in;
  const cudaStream_t stream = where.stream();
  fill(in.keys.all(), rising_runs<K>{n / 8, in.keys.step()}, stream);
  fill(in.items.all(), places{}, stream);
  fill(offsets, run_begins{n / 8}, stream);
  std::size_t bytes = 0;
  merge_by_cub(in, rows.out, 0, n / 2, n, 0, {nullptr, bytes}, stream);
  const device_buffer<char> work(bytes);
  time_merges(
      s, where, rows, form,
      [&](std::size_t slot) {
        merge_eight_by_warpfold(in, rows.out, std::span(offsets.data(), 9), memory, slot, stream);
      },
      [&](const row_slots<K>& out, std::size_t slot) {
        merge_eight_by_cub(in, out, spare, slot, {work.data(), bytes}, stream);
      });
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {10U, 14U, 16U, 18U, 20U, 22U, 24U, 26U, 28U}) {
    const std::size_t n = std::size_t{1} << bits;
    merge_eight<std::uint32_t>(s, where, n, false, "merge_runs, 8 runs");
    merge_eight<std::uint64_t>(s, where, n, false, "merge_runs, 8 runs");
    merge_eight<std::uint32_t>(s, where, n, true, "merge_runs_by_key, 8 runs, u32 items");
    merge_eight<std::uint64_t>(s, where, n, true, "merge_runs_by_key, 8 runs, u32 items");
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
