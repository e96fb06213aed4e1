// Shifts by the width of the operand or more, which C++ leaves undefined: a device clamps the
// amount, so that nothing is left (or, of a negative number, the sign). The source step writes `by`
// before the amount of every shift in code of the device.
#pragma once

#include <type_traits>

namespace simt::detail {

/// Not 0 while somebody wants to know of shifts that are too wide.
extern unsigned char watch_shifts;

/// Says that a lane shifts by too much, where somebody wants to know. A branch that the compiler
/// does not see: it is none of the kernel's, and costs no register.
[[gnu::always_inline]] inline void note_shift(unsigned amount, unsigned width) {
#if defined(__x86_64__)
  if (__builtin_constant_p(amount) && amount < width) return;
  asm volatile(
      "cmp %1, %0\n\t"
      "jb 1f\n\t"
      "cmpb $0, %2\n\t"
      "je 1f\n\t"
      "ud2\n\t"  // src/run/fault.cpp knows it by what follows
      ".ascii \"shift\"\n"
      "1:"
      :
      : "r"(amount), "ri"(width), "m"(watch_shifts)
      : "cc");
#else
  static_cast<void>(amount);
  static_cast<void>(width);
#endif
}

template <class T>
struct shift_amount {
  T value;
  // NOLINTNEXTLINE(google-explicit-constructor): for operators of the program's own
  constexpr operator T() const { return value; }
};

template <class T>
inline constexpr bool is_shifted =
    std::is_integral<T>::value || (std::is_enum<T>::value && std::is_convertible<T, int>::value);

template <class T>
[[gnu::always_inline]] constexpr auto by(T amount) {
  if constexpr (is_shifted<T>) {
    return shift_amount<T>{amount};
  } else {
    return amount;
  }
}

template <class Word, class T>
[[gnu::always_inline]] constexpr Word shifted(Word value, T by, bool left) {
  using bits = std::make_unsigned_t<Word>;
  constexpr unsigned width = sizeof(Word) * 8;
  const auto amount = static_cast<unsigned>(by);
  if (!__builtin_is_constant_evaluated()) note_shift(amount, width);
  if (left) return static_cast<Word>(amount < width ? static_cast<bits>(value) << amount : bits{0});
  if constexpr (std::is_signed<Word>::value) {
    return value >> (amount < width ? amount : width - 1);
  } else {
    return amount < width ? value >> amount : Word{0};
  }
}

template <class L, class T, std::enable_if_t<is_shifted<L>, int> = 0>
[[gnu::always_inline]] constexpr auto operator<<(L value, shift_amount<T> n) {
  return shifted(+value, n.value, true);
}
template <class L, class T, std::enable_if_t<is_shifted<L>, int> = 0>
[[gnu::always_inline]] constexpr auto operator>>(L value, shift_amount<T> n) {
  return shifted(+value, n.value, false);
}
template <class L, class T, std::enable_if_t<std::is_integral<L>::value, int> = 0>
[[gnu::always_inline]] constexpr L& operator<<=(L& value, shift_amount<T> n) {
  return value = static_cast<std::remove_cv_t<L>>(shifted(+value, n.value, true));
}
template <class L, class T, std::enable_if_t<std::is_integral<L>::value, int> = 0>
[[gnu::always_inline]] constexpr L& operator>>=(L& value, shift_amount<T> n) {
  return value = static_cast<std::remove_cv_t<L>>(shifted(+value, n.value, false));
}

}  // namespace simt::detail
