// The first k keys on the host's threads: top_k, top_k_by_key, argtop_k, and of each row of a
// matrix.
//
// Keys are integers of 1 to 8 bytes, f16, bf16, f32 or f64, in the order of a sort (NaN is the
// greatest); of equal keys the one with the lower index comes first. The result is the same for any
// number of threads, and that of warpfold::device. For small k, a sample gives a bound for the
// first k keys, and keys beyond it are read once; if k is more than a sixteenth of the number of
// keys, all are sorted. Calls that the device refuses throw usage_error here and write nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "warpfold/first_keys.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/tuning/top_k.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// A key's place in an order, then its index: no two are equal.
struct ranked_index {
  std::uint64_t rank, index;
  friend auto operator<=>(const ranked_index&, const ranked_index&) = default;
};

template <class Order, class K>
[[gnu::always_inline]] inline ranked_index ranked(std::span<const K> keys, std::size_t i) {
  return {sorted_bits<Order>(keys[i]), i};
}

/// Up to which key the first k come, but for bad luck.
template <class Order, class K>
ranked_index sampled_bound(std::span<const K> keys, std::size_t k) {
  const tuning::top_k_sample sample(keys.size(), k);
  const std::size_t part = keys.size() / sample.size;
  std::vector<ranked_index> seen(sample.size);
  std::uint64_t random = 1;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    seen[i] = ranked<Order>(keys, i * part + (random >> 32) % part);
  }
  std::nth_element(seen.begin(), seen.begin() + (sample.rank - 1), seen.end());
  return seen[sample.rank - 1];
}

/// The least of some keys' ranks; without a branch, so that a compiler makes vectors of it.
template <class Order, std::size_t Count, class K>
[[gnu::always_inline]] inline detail::rank_type<K> least_rank(const K* keys) {
  auto least = sorted_bits<Order>(keys[0]);
  for (std::size_t j = 0; j < Count; ++j) least = std::min(least, sorted_bits<Order>(keys[j]));
  return least;
}

/// The keys up to `bound`, in the order of the input.
template <class Tuning, class Order, class K>
std::vector<ranked_index> up_to(std::span<const K> keys, const ranked_index& bound) {
  using rank = detail::rank_type<K>;
  constexpr std::size_t block = 128, chunk = items_in<K>(Tuning::reduce_chunk_bytes);
  const auto most = static_cast<rank>(bound.rank);
  std::vector<std::vector<ranked_index>> found((keys.size() - 1) / chunk + 1);
  for_each_index(found.size(), [&](std::size_t c) {
    std::vector<ranked_index> own;
    const std::size_t end = std::min(keys.size(), (c + 1) * chunk);
    for (std::size_t i = c * chunk; i < end; i += block) {
      const std::size_t stop = std::min(end, i + block);
      if (stop - i == block) {
        const rank least = least_rank<Order, block>(&keys[i]);
        if (least > most || (least == most && i > bound.index)) continue;
      }
      for (std::size_t j = i; j < stop; ++j) {
        const ranked_index x = ranked<Order>(keys, j);
        if (x <= bound) own.push_back(x);
      }
    }
    found[c] = std::move(own);
  });
  std::vector<ranked_index> all;
  for (const auto& own : found) all.insert(all.end(), own.begin(), own.end());
  return all;
}

/// Fewer keys are sorted.
inline constexpr std::size_t sampled_from = 4096;

/// The indices of the first k keys, in their order.
template <class Tuning, class Order, class K>
std::vector<std::size_t> first_indices(std::span<const K> keys, std::size_t k) {
  std::vector<std::size_t> indices;
  if (keys.size() >= sampled_from && k <= keys.size() / 16) {
    auto first = up_to<Tuning, Order>(keys, sampled_bound<Order>(keys, k));
    if (first.size() >= k) {
      const auto end = first.begin() + static_cast<std::ptrdiff_t>(k);
      std::nth_element(first.begin(), end, first.end());
      std::sort(first.begin(), end);
      for (auto x = first.begin(); x != end; ++x) indices.push_back(x->index);
      return indices;
    }
  }
  std::vector<K> sorted(keys.begin(), keys.end());
  indices.resize(keys.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  stable_sort_by_key(host, sorted, indices, Order{});
  indices.resize(k);
  return indices;
}

/// Calls put(i, at, index) for the i-th key that is written, the one at `at` of all.
template <class Less, class Arrangement, class Where, class K, class Put>
void for_each_first(const Where& where, std::span<const K> keys, std::size_t rows,
                    std::size_t columns, std::size_t k, const Put& put) {
  using order = decltype(detail::bitwise_order<Less, K>());
  if (k == 0) return;
  run_on(where, [&] {
    for_each_index(rows, [&](std::size_t row) {
      auto first = first_indices<tuning_of<Where>, order>(keys.subspan(row * columns, columns), k);
      if constexpr (std::is_same_v<Arrangement, in_input_order>) {
        std::sort(first.begin(), first.end());
      }
      for (std::size_t i = 0; i < k; ++i) put(row * k + i, row * columns + first[i], first[i]);
    });
  });
}

}  // namespace host_detail

/// Writes the first k keys of each of `rows` rows of `columns` keys, one row after another, to the
/// beginning of `out`: k for each row.
template <host_place Where, values Keys, sortable Out, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<Out>> && order_of_first<Order, value_of<Keys>>
void top_k_rows(Where where, const Keys& keys, std::size_t rows, std::size_t columns, std::size_t k,
                Out&& out, Order /*order*/ = {}, Arrangement /*how*/ = {}) {
  const detail::column outputs[] = {{out, "keys", detail::first_keys_overlap}};
  host_detail::throw_refused("warpfold::top_k(host, keys, k, out)",
                             detail::refuse_first(rows, columns, k, {keys, "keys"}, outputs));
  const auto in = view(keys);
  auto* const to = std::ranges::data(out);
  host_detail::for_each_first<Order, Arrangement>(
      where, in, rows, columns, k,
      [&](std::size_t i, std::size_t at, std::size_t) { to[i] = in[at]; });
}
/// The first k keys of all.
template <host_place Where, values Keys, sortable Out, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<Out>> && order_of_first<Order, value_of<Keys>>
void top_k(Where where, const Keys& keys, std::size_t k, Out&& out, Order order = {},
           Arrangement how = {}) {
  top_k_rows(where, keys, 1, std::ranges::size(keys), k, out, order, how);
}

/// Writes the first k keys of each row to `keys_out`, and to `items_out` the items that have their
/// indices among `items`, of which there are as many as keys.
template <host_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Order = descending, arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>> &&
           order_of_first<Order, value_of<Keys>>
void top_k_by_key_rows(Where where, const Keys& keys, const Items& items, std::size_t rows,
                       std::size_t columns, std::size_t k, KeysOut&& keys_out, ItemsOut&& items_out,
                       Order /*order*/ = {}, Arrangement /*how*/ = {}) {
  constexpr char call[] = "warpfold::top_k_by_key(host, keys, items, k, keys_out, items_out)";
  const detail::column outputs[] = {{keys_out, "keys", detail::first_keys_overlap},
                                    {items_out, "items", detail::first_keys_overlap}};
  host_detail::throw_refused(call, detail::refuse_first(rows, columns, k, {keys, "keys"}, outputs));
  host_detail::throw_refused(
      call, detail::refuse_items(std::ranges::size(keys), {items, "items"}, outputs));
  const auto in = view(keys);
  const auto from = view(items);
  auto* const to = std::ranges::data(keys_out);
  auto* const items_to = std::ranges::data(items_out);
  host_detail::for_each_first<Order, Arrangement>(where, in, rows, columns, k,
                                                  [&](std::size_t i, std::size_t at, std::size_t) {
                                                    to[i] = in[at];
                                                    items_to[i] = from[at];
                                                  });
}
/// The first k keys of all, and the items that go with them.
template <host_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Order = descending, arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>> &&
           order_of_first<Order, value_of<Keys>>
void top_k_by_key(Where where, const Keys& keys, const Items& items, std::size_t k,
                  KeysOut&& keys_out, ItemsOut&& items_out, Order order = {},
                  Arrangement how = {}) {
  top_k_by_key_rows(where, keys, items, 1, std::ranges::size(keys), k, keys_out, items_out, order,
                    how);
}

/// Writes the indices of the first k keys of each row to `indices`, counted from the row's
/// beginning. They are integers of 4 or 8 bytes that can count the keys of a row.
template <host_place Where, values Keys, sortable Indices, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires index_type<value_of<Indices>> && order_of_first<Order, value_of<Keys>>
void argtop_k_rows(Where where, const Keys& keys, std::size_t rows, std::size_t columns,
                   std::size_t k, Indices&& indices, Order /*order*/ = {},
                   Arrangement /*how*/ = {}) {
  constexpr char call[] = "warpfold::argtop_k(host, keys, k, indices)";
  using index = value_of<Indices>;
  const detail::column outputs[] = {{indices, "indices", detail::first_keys_overlap}};
  host_detail::throw_refused(call, detail::refuse_first(rows, columns, k, {keys, "keys"}, outputs));
  host_detail::throw_refused(call, detail::refuse_indices<index>(columns));
  auto* const to = std::ranges::data(indices);
  host_detail::for_each_first<Order, Arrangement>(
      where, view(keys), rows, columns, k,
      [&](std::size_t i, std::size_t, std::size_t own) { to[i] = static_cast<index>(own); });
}
/// The indices of the first k keys of all.
template <host_place Where, values Keys, sortable Indices, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires index_type<value_of<Indices>> && order_of_first<Order, value_of<Keys>>
void argtop_k(Where where, const Keys& keys, std::size_t k, Indices&& indices, Order order = {},
              Arrangement how = {}) {
  argtop_k_rows(where, keys, 1, std::ranges::size(keys), k, indices, order, how);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
