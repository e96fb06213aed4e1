// What the tests of the radix sort share.
#pragma once

#include "tests/library/device/device_sort_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {

template <class K, class Order>
struct bits_less {
  unsigned begin, end;
  bool operator()(const K& a, const K& b) const { return bits(a) < bits(b); }
  [[nodiscard]] auto bits(const K& key) const {
    using number = decltype(rank_of(key));
    const number rank = rank_of(key);
    constexpr bool down = std::is_same_v<Order, descending>;
    const auto all = static_cast<number>(down ? ~rank : rank);
    if (end - begin == 8 * sizeof(K)) return all;
    return static_cast<number>(all >> begin & ((number{1} << (end - begin)) - 1));
  }
};

template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) item_of {
  unsigned char byte[Bytes];
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
