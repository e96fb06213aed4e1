// The first k keys of all ranks, on every rank.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/mpi/staging.hpp"
#include "warpfold/ranks/top_k.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/gather.cuh"
#include "warpfold/device/top_k.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// The first k of this rank's keys.
template <class Order, host_place Where, class K>
std::vector<ranks_detail::candidate<K>> first_here(const Where& where, std::span<const K> keys,
                                                   std::size_t k) {
  std::vector<std::uint64_t> indices(k);
  argtop_k(where, keys, k, indices, Order{});
  std::vector<ranks_detail::candidate<K>> first;
  for (const std::uint64_t i : indices) first.push_back({keys[i], i});
  return first;
}

#if WARPFOLD_HAS_DEVICE
template <class Order, device_place Where, class K>
std::vector<ranks_detail::candidate<K>> first_here(const Where& where, std::span<const K> keys,
                                                   std::size_t k) {
  if (k == 0) return {};
  const detail::device_buffer<std::uint64_t> index_memory(k, "indices of the first keys",
                                                          where.stream());
  const detail::device_buffer<K> key_memory(k, "the first keys", where.stream());
  const std::span indices(index_memory.data(), k);
  argtop_k(where, keys, k, indices, Order{}).throw_if_failed("argtop_k of ", keys.size(), " keys");
  gather(where, keys, indices, std::span(key_memory.data(), k))
      .throw_if_failed("a gather of ", k, " keys");
  const auto index = copied(where, index_memory.data(), k);
  const auto key = copied(where, key_memory.data(), k);
  std::vector<ranks_detail::candidate<K>> first;
  for (std::size_t i = 0; i < k; ++i) first.push_back({key[i], index[i]});
  return first;
}
#endif

/// check(n of all ranks) throws what is wrong with the call; result_of(candidate) is written.
template <class Order, class Arrangement, class Where, class Keys, class Out, class Check,
          class ResultOf>
void put_first(const across_ranks<Where>& place, const char* name, const Keys& keys, std::size_t k,
               Out& out, const Check& check, const ResultOf& result_of) {
  using K = value_of<Keys>;
  require_same_call<K, Order, Arrangement>(place, name, k);
  const auto in = view(keys);
  const auto first = ranks_detail::first_candidates<Order, Arrangement, K>(
      transport(place), in.size(), k,
      [&](std::size_t m) { return first_here<Order>(place.here(), in, m); },
      [&](std::size_t n) {
        const detail::column output(out, "keys", detail::first_keys_overlap);
        if (output.meets({keys, "keys"})) {
          throw usage_error("warpfold::", name, ": ", detail::first_keys_overlap);
        }
        if (k > n || k > output.count) {
          throw usage_error("warpfold::", name, "(across(…), keys, k, …) of the first ", k, " of ",
                            n, " keys of all ranks into room for ", output.count,
                            ": pass a k that is not more than either");
        }
        check(n);
      });
  auto room = room_for(place.here(), out);
  for (std::size_t i = 0; i < k; ++i) room[i] = result_of(first[i]);
  put(place.here(), room, out, k);
}

}  // namespace mpi_detail

/// Writes the first k keys of all ranks to the beginning of `out`, on every rank; of equal keys
/// those of lower ranks come first. All ranks pass the same k, at most as many as all have.
template <class Where, values Keys, sortable Out, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<Out>> && order_of_first<Order, value_of<Keys>>
void top_k(const across_ranks<Where>& place, const Keys& keys, std::size_t k, Out&& out,
           Order /*order*/ = {}, Arrangement /*how*/ = {}) {
  mpi_detail::put_first<Order, Arrangement>(
      place, "top_k", keys, k, out, [](std::size_t) {}, [](const auto& c) { return c.key; });
}

/// Writes the indices of the first k keys to `indices`, counted among all ranks' keys, one rank's
/// behind the other's. They are integers of 4 or 8 bytes that can count the keys of all ranks.
template <class Where, values Keys, sortable Indices, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires index_type<value_of<Indices>> && order_of_first<Order, value_of<Keys>>
void argtop_k(const across_ranks<Where>& place, const Keys& keys, std::size_t k, Indices&& indices,
              Order /*order*/ = {}, Arrangement /*how*/ = {}) {
  using index = value_of<Indices>;
  mpi_detail::put_first<Order, Arrangement>(
      place, "argtop_k", keys, k, indices,
      [](std::size_t n) {
        host_detail::throw_refused("warpfold::argtop_k(across(…), keys, k, indices)",
                                   detail::refuse_indices<index>(n));
      },
      [](const auto& c) { return static_cast<index>(c.index); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
