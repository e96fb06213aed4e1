// Words by their size, to move what any value is made of.
#pragma once

#include <cstdint>

namespace simt::detail {

/// An unsigned word of so many bytes that any value may lie in.
template <unsigned Bytes>
struct word_type;
template <>
struct word_type<1> {
  using type [[gnu::may_alias]] = std::uint8_t;
};
template <>
struct word_type<2> {
  using type [[gnu::may_alias]] = std::uint16_t;
};
template <>
struct word_type<4> {
  using type [[gnu::may_alias]] = std::uint32_t;
};
template <>
struct word_type<8> {
  using type [[gnu::may_alias]] = std::uint64_t;
};
template <>
struct word_type<16> {
  using type = std::uint64_t __attribute__((vector_size(16), may_alias));
};
template <unsigned Bytes>
using word_of = typename word_type<Bytes>::type;

}  // namespace simt::detail
