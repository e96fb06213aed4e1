// The first k keys of all ranks: each rank finds the first k of its own, all of them get those of
// all ranks, and keep the first k. A rank receives ranks * k keys at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "warpfold/host/top_k.hpp"
#include "warpfold/ranks/transport.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// A key and its index among all ranks' keys, one rank's behind the other's.
template <class K>
struct candidate {
  K key;
  std::uint64_t index;
};

/// first_here(m) returns the indices and keys of the first m of this rank's n, in their order;
/// check(n of all ranks) throws what is wrong with the call.
template <class Order, class Arrangement, class K, transport Ranks, class FirstHere, class Check>
std::vector<candidate<K>> first_candidates(const Ranks& ranks, std::size_t n, std::size_t k,
                                           const FirstHere& first_here, const Check& check) {
  using order = decltype(detail::bitwise_order<Order, K>());
  const auto begins = begins_of(ranks.all_gather(std::uint64_t{n}));
  std::vector<candidate<K>> mine;
  ranks.agreed([&] {
    check(begins.back());
    mine = first_here(std::min(k, n));
  });
  for (auto& c : mine) c.index += begins[ranks.rank()];
  auto first = ranks.all_gather_rows(std::span<const candidate<K>>(mine));
  const auto place = [](const candidate<K>& c) {
    return host_detail::ranked_index{host_detail::sorted_bits<order>(c.key), c.index};
  };
  std::sort(first.begin(), first.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  first.resize(k);
  if constexpr (std::is_same_v<Arrangement, in_input_order>) {
    std::sort(first.begin(), first.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
  }
  return first;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
