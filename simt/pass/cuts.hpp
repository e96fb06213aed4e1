// Where threads come to before they go on: barriers of the block, and branches that all its threads
// take the same way, for the sake of the barriers behind them; operations of a warp, and loops that
// its lanes go round together. What lives across a cut is put into memory.
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "strides.hpp"

namespace simt::pass {

enum class cut_kind : std::uint8_t {
  barrier,       // of the block, or a vote there
  branch,        // that all threads of the block take the same way
  warp_barrier,  // a meeting of lanes that a mask names
  ballot,
  exchange,   // of values
  converged,  // a meeting of lanes that nobody names
  round,      // of a loop: nobody waits there, but lanes go on together
};

/// What is made of all values, once for all that have met.
struct fold {
  llvm::Function* f = nullptr;  // of the values and of those that came
  llvm::DebugLoc at;
  llvm::AllocaInst* made = nullptr;
};

struct cut {
  cut_kind kind = cut_kind::barrier;
  llvm::BasicBlock* at = nullptr;       // in which nothing else is
  llvm::AllocaInst* brought = nullptr;  // a vote's or ballot's predicate, the branch's condition
  llvm::AllocaInst* taken = nullptr;    // the vote's result, or what an exchange hands over
  std::optional<std::uint32_t> mask;    // of a meeting, where it is known
  bool of_grid = false;                 // a barrier at which the block waits for all others
  bool brings_source = false;           // an exchange that takes one lane's value
  std::optional<unsigned> rank;         // of lanes in lockstep: who goes first
  llvm::SmallVector<int, 32> sources;   // of each lane, where they are known
  llvm::SmallVector<fold, 1> folds;
  llvm::SmallVector<llvm::AllocaInst*, 2> lines;   // of a round: strided_loop::lines
  llvm::SmallVector<llvm::BasicBlock*, 2> starts;  // where threads go on

  [[nodiscard]] bool is_of_warp() const { return kind >= cut_kind::warp_barrier; }
  [[nodiscard]] bool meets() const { return is_of_warp() && kind != cut_kind::round; }
  [[nodiscard]] bool has_mask() const { return meets() && kind != cut_kind::converged; }
};

/// What a lane brings to a meeting, and finds there.
struct meeting_memory {
  llvm::Type* element = nullptr;  // of what is exchanged: 32 bits if that is enough for all
  llvm::AllocaInst *mask = nullptr, *source = nullptr, *value = nullptr;
  llvm::AllocaInst* all = nullptr;                   // each lane's value
  llvm::SmallVector<llvm::AllocaInst*, 4> gathered;  // that stand for `all`
  llvm::AllocaInst* result = nullptr;                // the ballot, or the lanes that came
};

struct cut_kernel {
  llvm::SmallVector<cut, 8> cuts;                    // of the block, then those of warps
  llvm::SmallVector<llvm::AllocaInst*, 16> joint;    // memory of values that all threads share
  llvm::SmallVector<llvm::AllocaInst*, 16> own;      // of which every thread has one
  llvm::SmallVector<llvm::AllocaInst*, 16> of_lane;  // the same, which its warp alone needs
  meeting_memory meeting;
};

cut_kernel cut_up(llvm::Function& f, llvm::ArrayRef<strided_loop> rounds,
                  llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
