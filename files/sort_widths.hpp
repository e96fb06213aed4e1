// From the sizes of keys and items to words of those sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::files {

template <class Key, class Item>
struct widths {};

/// f(widths<Key, Item>{}); Item is void for no bytes.
template <class F>
auto with_widths(std::size_t key_bytes, std::size_t item_bytes, const F& f) {
  const auto with_item = [&]<class Key>(Key) {
    switch (item_bytes) {
      case 0: return f(widths<Key, void>{});
      case 1: return f(widths<Key, std::uint8_t>{});
      case 4: return f(widths<Key, std::uint32_t>{});
      default: return f(widths<Key, std::uint64_t>{});
    }
  };
  switch (key_bytes) {
    case 1: return with_item(std::uint8_t{});
    case 4: return with_item(std::uint32_t{});
    default: return with_item(std::uint64_t{});
  }
}

}  // namespace warpfold::files
