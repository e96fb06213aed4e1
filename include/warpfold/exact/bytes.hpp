// The byte format of exact_accumulator, the same on every machine; docs/exact.md has the layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/exact/kind.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct byte_layout {
  static constexpr unsigned version = 1;
  static constexpr unsigned magic_bytes = 8, version_at = 8, type_at = 9, kind_at = 10,
                            reserved_at = 11, count_at = 12, digits_at = 16;

  __host__ __device__ static constexpr std::size_t size(unsigned digits) {
    return digits_at + 4 * digits + 4;
  }
};
/// "wfexact\n": what translates line ends shows in it.
__host__ __device__ constexpr std::uint8_t magic_byte(unsigned i) {
  constexpr char magic[] = "wfexact\n";
  return static_cast<std::uint8_t>(magic[i]);
}

__host__ __device__ inline void put_word(std::uint8_t* to, std::uint32_t word) {
  for (unsigned k = 0; k < 4; ++k) to[k] = static_cast<std::uint8_t>(word >> 8 * k);
}
__host__ __device__ inline std::uint32_t get_word(const std::uint8_t* from) {
  std::uint32_t word = 0;
  for (unsigned k = 0; k < 4; ++k) word |= std::uint32_t{from[k]} << 8 * k;
  return word;
}

/// CRC-32 as in zlib and PNG.
__host__ __device__ inline std::uint32_t checksum(const std::uint8_t* from, std::size_t size) {
  std::uint32_t crc = 0xffffffff;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= from[i];
    for (unsigned k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

template <class T>
__host__ __device__ void write_bytes(const exact_state<T>& state, std::uint8_t* to) {
  using at = byte_layout;
  constexpr unsigned digits = exact_state<T>::sum_type::count;
  const exact_state<T> same = state.canonical();
  for (unsigned i = 0; i < at::magic_bytes; ++i) to[i] = magic_byte(i);
  to[at::version_at] = at::version;
  to[at::type_at] = sizeof(T);
  to[at::kind_at] = static_cast<std::uint8_t>(kind_of(same.seen));
  to[at::reserved_at] = 0;
  put_word(to + at::count_at, digits);
  for (unsigned j = 0; j < digits; ++j) {
    put_word(to + at::digits_at + 4 * j, static_cast<std::uint32_t>(same.sum.digit[j]));
  }
  put_word(to + at::size(digits) - 4, checksum(to, at::size(digits) - 4));
}

/// What is wrong with the bytes; nullptr if nothing is, and then `state` is what they say.
template <class T>
__host__ __device__ const char* read_bytes(exact_state<T>& state, const std::uint8_t* from,
                                           std::size_t size) {
  using at = byte_layout;
  constexpr unsigned digits = exact_state<T>::sum_type::count;
  if (size < at::digits_at) return "too short for a header";
  for (unsigned i = 0; i < at::magic_bytes; ++i) {
    if (from[i] != magic_byte(i)) return "these do not begin like an exact accumulator";
  }
  if (from[at::version_at] != at::version) return "a version other than 1, the only one known here";
  if (from[at::type_at] != sizeof(T)) return "a sum of another type of values";
  if (get_word(from + at::count_at) != digits) return "not as many digits as the type has";
  if (size != at::size(digits)) return "shorter or longer than the type's accumulators are";
  if (get_word(from + size - 4) != checksum(from, size - 4)) {
    return "the checksum is wrong, they were damaged on the way";
  }
  const unsigned kind = from[at::kind_at];
  if (kind > static_cast<unsigned>(sum_kind::nan) || from[at::reserved_at] != 0) {
    return "a kind of sum that is not known here";
  }
  exact_state<T> result;
  result.seen = seen_in(static_cast<sum_kind>(kind));
  bool any = false;
  for (unsigned j = 0; j < digits; ++j) {
    const std::uint32_t word = get_word(from + at::digits_at + 4 * j);
    any = any || word != 0;
    const bool top = j + 1 == digits;
    result.sum.digit[j] = top ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
  }
  if (any && result.seen != term_flag::number) return "digits of a sum that is no number";
  // 2^64 of the greatest values reach so far.
  constexpr int length = format<T>::bias + 1 + 64 - exact_state<T>::sum_type::base;
  const std::int64_t over =
      result.sum.digit[digits - 1] >> (length - 32 * (static_cast<int>(digits) - 1));
  if (over != 0 && over != -1) return "a sum greater than that of any 2^64 values";
  result.sum.adds_since_carry = 1;
  state = result;
  return nullptr;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
