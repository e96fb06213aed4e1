// Loads and stores of volatile objects, put into LLVM's assembly of a kernel file before the
// optimiser. CUDA takes them for relaxed atomics, and the compiler's callbacks do not tell them
// from others: a call before each does.
//
//   %1 = load volatile i32, ptr %p      call void @…note_volatile…(ptr %p)
//                                       %1 = load volatile i32, ptr %p
//
// The machine's own headers keep accesses whole by volatile; theirs stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace simt::source_step {

std::string with_noted_volatiles(std::string_view assembly);

/// In what the optimiser has made of that: loads that decide when the loop around them is left, as
/// of a word that another thread must write, are told apart by another call, …note_polled…. At the
/// others lanes meet (lockstep.hpp).
std::string with_noted_polls(std::string_view assembly);

}  // namespace simt::source_step
