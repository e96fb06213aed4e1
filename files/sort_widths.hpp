// From the sizes of keys and items to words of those sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::files {

template <class Key, class Item>
struct widths {};

/// f(widths<Key, Item>{}) for keys and items of 4 and 8 bytes, or no items, for which Item is void.
template <class F>
auto with_wide_words(std::size_t key_bytes, std::size_t item_bytes, const F& f) {
  const auto with_item = [&]<class Key>(Key) {
    switch (item_bytes) {
      case 0: return f(widths<Key, void>{});
      case 4: return f(widths<Key, std::uint32_t>{});
      default: return f(widths<Key, std::uint64_t>{});
    }
  };
  return key_bytes == 4 ? with_item(std::uint32_t{}) : with_item(std::uint64_t{});
}

/// The same where either may have a single byte, too.
template <class F>
auto with_widths(std::size_t key_bytes, std::size_t item_bytes, const F& f) {
  if (key_bytes == 1) {
    switch (item_bytes) {
      case 0: return f(widths<std::uint8_t, void>{});
      case 1: return f(widths<std::uint8_t, std::uint8_t>{});
      case 4: return f(widths<std::uint8_t, std::uint32_t>{});
      default: return f(widths<std::uint8_t, std::uint64_t>{});
    }
  }
  if (item_bytes != 1) return with_wide_words(key_bytes, item_bytes, f);
  return key_bytes == 4 ? f(widths<std::uint32_t, std::uint8_t>{})
                        : f(widths<std::uint64_t, std::uint8_t>{});
}

}  // namespace warpfold::files
