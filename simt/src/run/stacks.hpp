// How much stack a thread of the device has here, and what is said when that was too little.
#pragma once

#include <cstddef>
#include <string>

namespace simt::detail {

inline constexpr std::size_t least_stack_bytes = std::size_t{32} * 1024;
inline constexpr std::size_t most_stack_bytes = std::size_t{64} * 1024 * 1024;

/// Of each thread; it grows between launches alone. The first 4 KiB may lie unused.
extern std::size_t stack_bytes;

/// From the next launch on, threads have so much at least.
void want_stack(std::size_t bytes);
/// The same for a kernel whose variables take so many, beside what its calls take.
void want_stack_for_locals(std::size_t bytes);
/// For a device's limit of so many bytes: the code here needs several times what a device's does.
std::size_t stack_for_limit(std::size_t bytes);

/// What most blocks touch of theirs, to tell how many there is memory for.
std::size_t touched_stack_bytes();

/// What went wrong, and what to do.
std::string stack_advice();

/// This OS thread takes signals on a stack of its own: the one that runs may be at its end.
void take_signals_apart();

}  // namespace simt::detail
