// Which way the first k of each row are found, and the memory for it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "warpfold/device/sort/dispatch.cuh"
#include "warpfold/device/top_k/kernel.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class K>
constexpr bool is_wide_row(std::size_t n) {
  return sizeof(K) > 4 || n >= std::numeric_limits<std::uint32_t>::max();
}

/// What an argsort of one row leaves and works in.
template <class K, class Index>
struct sorted_row_storage {
  Index* indices;
  void* inner;
  std::size_t inner_bytes, bytes;

  constexpr explicit sorted_row_storage(std::size_t n, void* memory = nullptr) {
    memory_layout layout(memory);
    indices = layout.take<Index>(n);
    inner_bytes = std::max(argsort_storage<K, Index>(n).bytes, sort_bytes<Index, keys_only>(n));
    inner = layout.take<char>(inner_bytes);
    bytes = layout.bytes();
  }
};

/// Bytes for the first k of rows of n keys.
template <class K>
constexpr std::size_t top_k_bytes(std::size_t rows, std::size_t n, std::size_t k) {
  if (rows == 0 || k == 0 || k > n) return 256;
  if (k > tuning::top_k::most) {
    return is_wide_row<std::uint8_t>(n) ? sorted_row_storage<K, std::uint64_t>(n).bytes
                                        : sorted_row_storage<K, std::uint32_t>(n).bytes;
  }
  if (n * sizeof(K) <= tuning::top_k::alone_to || rows > tuning::top_k::most_shared_rows) {
    return 256;
  }
  memory_layout layout;
  if (is_wide_row<K>(n)) {
    (void)shared_rows<ranked_keys<K, ascending, true>>(rows, n, k, layout);
  } else if constexpr (sizeof(K) <= 4) {
    (void)shared_rows<ranked_keys<K, ascending, false>>(rows, n, k, layout);
  }
  return layout.bytes();
}

/// Of a block's dynamic shared memory: room for as many candidates as will fit, `most` at most.
template <class Ranked>
unsigned list_room(const device_properties& device, unsigned k, unsigned most) {
  using number = typename Ranked::number;
  const std::size_t other = sizeof(top_k_shared<Ranked>) + 1024 + std::bit_ceil(k) * sizeof(number);
  const std::size_t fits = (device.shared_bytes - other) / sizeof(number);
  return static_cast<unsigned>(std::min<std::size_t>(most, fits / 32 * 32));
}

template <bool ByIndex, class Ranked, class Out>
status top_k_of_rows(const work_place& where, const top_k_problem<Ranked, Out>& problem) {
  using number = typename Ranked::number;
  using tuning = tuning::top_k;
  const device_properties device = current_device();
  const warpfold::tuning::top_k_sample sample(problem.n, problem.k);
  const auto blocks_a_row = [&](unsigned threads, unsigned room) -> launch_config {
    return {.grid = static_cast<unsigned>(problem.rows),
            .block = threads,
            .shared_bytes = (room + std::bit_ceil(problem.k)) * sizeof(number),
            .stream = where.stream,
            .programmatic_launch = true};
  };
  if (problem.n * sizeof(typename Ranked::key) <= tuning::alone_to ||
      problem.rows > tuning::most_shared_rows || problem.rows >= device.multiprocessors) {
    const unsigned room = list_room<Ranked>(device, problem.k, tuning::listed);
    return try_launch(blocks_a_row(tuning::threads, room), top_k_alone_kernel<Ranked, ByIndex, Out>,
                      problem, sample, room);
  }
  const std::size_t bytes = top_k_bytes<typename Ranked::key>(problem.rows, problem.n, problem.k);
  const scratch memory(where, bytes, bytes, false);
  if (!memory.state().ok()) return memory.state();
  memory_layout layout(memory.data());
  const shared_rows<Ranked> rows(problem.rows, problem.n, problem.k, layout);
  launch_config config = blocks_a_row(tuning::finish_threads, 0);
  config.shared_bytes = 0;
  status s = try_launch(config, top_k_sample_kernel<Ranked, Out>, problem, sample, rows);
  if (!s.ok()) return s;
  const std::size_t most = std::max<std::size_t>(
      1, std::size_t{device.multiprocessors} * tuning::blocks_per_multiprocessor / problem.rows);
  const std::size_t tile = std::size_t{16} * tuning::words * tuning::threads;
  const std::size_t tiles = (problem.n * sizeof(typename Ranked::key) + tile - 1) / tile;
  const auto parts = static_cast<unsigned>(std::min(most, tiles));
  config.grid = static_cast<unsigned>(problem.rows) * parts;
  config.block = tuning::threads;
  s = try_launch(config, top_k_filter_kernel<Ranked, Out>, problem, rows, parts);
  if (!s.ok()) return s;
  const unsigned room = list_room<Ranked>(device, problem.k, tuning::finish_listed);
  return try_launch(blocks_a_row(tuning::finish_threads, room),
                    top_k_finish_kernel<Ranked, ByIndex, Out>, problem, rows, room);
}

/// By a sort of each row.
template <bool ByIndex, class Index, class Order, class K, class Out>
status top_k_of_sorted(const work_place& where, const K* keys, std::size_t rows, std::size_t n,
                       std::size_t k, const Out& out) {
  const std::size_t bytes = sorted_row_storage<K, Index>(n).bytes;
  const scratch memory(where, bytes, bytes, false);
  if (!memory.state().ok()) return memory.state();
  const sorted_row_storage<K, Index> storage(n, memory.data());
  const work_place inner{where.stream, storage.inner, storage.inner_bytes};
  for (std::size_t row = 0; row < rows; ++row) {
    status s = argsort(inner, keys + row * n, storage.indices, n, Order{});
    if constexpr (ByIndex) {
      if (s.ok()) {
        const key_value_view<Index, keys_only> first{storage.indices, nullptr};
        s = sort(inner, first, k, ascending{});
      }
    }
    if (s.ok()) {
      s = try_launch({.grid = static_cast<unsigned>(std::min<std::size_t>((k + 255) / 256, 4096)),
                      .block = 256,
                      .stream = where.stream,
                      .programmatic_launch = true},
                     top_k_gather_kernel<K, Index, Out>, keys,
                     static_cast<const Index*>(storage.indices), row, n, k, out);
    }
    if (!s.ok()) return s;
  }
  return {};
}

/// Writes the first k of each row of n keys.
template <bool ByIndex, class Order, class K, class Out>
status top_k(const work_place& where, const K* keys, std::size_t rows, std::size_t n, std::size_t k,
             const Out& out) {
  if (rows == 0 || k == 0) return {};
  const memory_size needed{
      top_k_bytes<K>(rows, n, k),
      "the temp_storage is smaller than top_k_temp_storage_bytes<K>(n, k, rows)"};
  if (const status s = refuse_memory(where, needed); !s.ok()) return s;
  if (k > tuning::top_k::most) {
    if (is_wide_row<std::uint8_t>(n)) {
      return top_k_of_sorted<ByIndex, std::uint64_t, Order>(where, keys, rows, n, k, out);
    }
    return top_k_of_sorted<ByIndex, std::uint32_t, Order>(where, keys, rows, n, k, out);
  }
  const auto by = [&]<class Ranked>(Ranked) {
    return top_k_of_rows<ByIndex>(
        where, top_k_problem<Ranked, Out>{keys, rows, n, static_cast<unsigned>(k), out});
  };
  if constexpr (sizeof(K) <= 4) {
    if (!is_wide_row<K>(n)) return by(ranked_keys<K, Order, false>{});
  }
  return by(ranked_keys<K, Order, true>{});
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
