// Keys as unsigned numbers that are in the keys' order, in place.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "warpfold/order.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::files {

/// Ranks take the room of the keys. Descending ranks are the complements.
inline void keys_to_ranks(value_type type, bool descending, std::span<std::byte> keys) {
  visit_type(type, [&]<class K>(std::type_identity<K>) {
    using rank = decltype(rank_of(K{}));
    auto* const bytes = keys.data();
    for (std::size_t i = 0; i + sizeof(K) <= keys.size(); i += sizeof(K)) {
      K key;
      std::memcpy(&key, bytes + i, sizeof key);
      const rank r = descending ? static_cast<rank>(~rank_of(key)) : rank_of(key);
      std::memcpy(bytes + i, &r, sizeof r);
    }
  });
}

inline void ranks_to_keys(value_type type, bool descending, std::span<std::byte> ranks) {
  visit_type(type, [&]<class K>(std::type_identity<K>) {
    using rank = decltype(rank_of(K{}));
    auto* const bytes = ranks.data();
    for (std::size_t i = 0; i + sizeof(K) <= ranks.size(); i += sizeof(K)) {
      rank r;
      std::memcpy(&r, bytes + i, sizeof r);
      const K key = key_of<K>(descending ? static_cast<rank>(~r) : r);
      std::memcpy(bytes + i, &key, sizeof key);
    }
  });
}

}  // namespace warpfold::files
