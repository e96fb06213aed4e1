// A function as its basic blocks are observed: where each leads, the loops that they form, and what
// stands in them beside the callback at their beginning.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace simt::observe {

using value_set = llvm::DenseSet<const llvm::Value*>;
inline constexpr std::size_t npos = ~std::size_t{0};

/// Of the function that is called, or "".
inline llvm::StringRef callee_name(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr) return "";
  const auto* const f =
      llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
  return f != nullptr ? f->getName() : "";
}

inline bool begins(llvm::StringRef name, llvm::StringRef with) { return name.consume_front(with); }

/// The callback of a basic block.
inline bool is_guard(const llvm::Instruction& i) {
  return callee_name(i) == "__sanitizer_cov_trace_pc_guard";
}
inline bool is_watched(const llvm::BasicBlock& b) {
  for (const llvm::Instruction& i : b) {
    if (is_guard(i)) return true;
  }
  return false;
}
inline bool is_watched(const llvm::Function& f) {
  for (const llvm::BasicBlock& b : f) {
    if (is_watched(b)) return true;
  }
  return false;
}

/// Calls `f(value)` for each operand that is no constant.
template <class F>
void for_each_value(const llvm::User& i, F f) {
  for (const llvm::Value* const v : i.operand_values()) {
    if (llvm::isa<llvm::Instruction>(v) || llvm::isa<llvm::Argument>(v)) f(v);
  }
}
inline bool has_any_of(const llvm::User& i, const value_set& of) {
  bool found = false;
  for_each_value(i, [&](const llvm::Value* v) { found |= of.contains(v); });
  return found;
}

/// Whether the opcode is one of these.
template <class... Opcodes>
bool is(const llvm::Instruction& i, Opcodes... opcodes) {
  return ((i.getOpcode() == opcodes) || ...);
}
inline bool is_call(const llvm::Instruction& i) {
  return is(i, llvm::Instruction::Call, llvm::Instruction::Invoke);
}
inline bool is_decision(const llvm::Instruction& i) {
  return is(i, llvm::Instruction::Br, llvm::Instruction::Switch);
}

struct basic_block {
  const llvm::BasicBlock* at = nullptr;
  bool watched = false;
  std::vector<const llvm::Instruction*> code;  // less the callback
  std::vector<std::size_t> successors;
  const llvm::Loop* loop = nullptr;  // the outermost one that it is in
  unsigned ways_there = 0;
};

struct control_flow {
  llvm::DominatorTree before;
  llvm::LoopInfo loops;
  std::vector<basic_block> blocks;  // in the function's order
  llvm::DenseMap<const llvm::BasicBlock*, std::size_t> numbers;

  explicit control_flow(llvm::Function& f);
  control_flow(const control_flow&) = delete;
  control_flow& operator=(const control_flow&) = delete;

  /// The block that a value is made in; npos: it is given to the function.
  [[nodiscard]] std::size_t maker_of(const llvm::Value* v) const {
    const auto* const i = llvm::dyn_cast<llvm::Instruction>(v);
    return i != nullptr ? numbers.lookup(i->getParent()) : npos;
  }
};

}  // namespace simt::observe
