// Loads and stores of volatile objects. CUDA takes them for relaxed atomics, and the compiler's
// callbacks do not tell them from others: a call before each does.
//
//   %1 = load volatile i32, ptr %p      call void @…note_volatile…(ptr %p)
//                                       %1 = load volatile i32, ptr %p
//
// The machine's own headers keep accesses whole by volatile; theirs stay as they are.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::observe {

inline constexpr const char* volatile_hook = "_ZN4simt6detail13note_volatileEPVKv";
inline constexpr const char* polled_hook = "_ZN4simt6detail11note_polledEPVKv";

/// Before the optimiser.
void note_volatiles(llvm::Module& m);

/// In what the optimiser has made of that: loads that decide when the loop around them is left, as
/// of a word that another thread must write, are told apart by another call, …note_polled…. At the
/// others lanes meet (lockstep.hpp).
void note_polls(llvm::Module& m);

}  // namespace simt::observe
