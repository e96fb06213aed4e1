// Loops that may have no end ask the machine now and then whether to go on: it knows the launch's
// limit, and sees a thread that comes back to where it was.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

#include "strides.hpp"

namespace simt::pass {

/// The function that they call, with the thread's number in the block.
inline constexpr const char* keeps_running = "simt_keeps_running";

/// How many a loop goes between two questions.
inline constexpr std::uint32_t rounds_between = 4096;

/// Asks, of the thread that is filled in later; `only_reads`: a loop that writes nothing.
llvm::CallInst* ask(llvm::IRBuilder<>& b, bool only_reads);

/// The same once in many times, by how often the place `b` is at was passed: `passed`, of 64 bits.
/// Leaves `b` in a block of its own behind.
void ask_at_times(llvm::IRBuilder<>& b, llvm::Value* passed);

/// The same in rounds that the lanes of a warp go together, counted in `left`, of 32 bits: of
/// `thread`.
void ask_at_times(llvm::IRBuilder<>& b, llvm::Value* left, llvm::Value* thread);

/// Loops that are known to end after a constant number of rounds, or have no loop in them and are
/// known to end, as after few rounds at most, don't ask; nor do those that come to a barrier of the
/// block in every round; nor those that `strided` has.
void count_rounds(llvm::Function& f, llvm::FunctionAnalysisManager& analyses,
                  llvm::ArrayRef<strided_loop> strided);

}  // namespace simt::pass
