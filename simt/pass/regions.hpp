// What the loops over a block's threads and those over a warp's lanes have in common.
#pragma once

#include <cstdint>
#include <memory>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "context.hpp"
#include "cuts.hpp"

namespace simt::pass {

/// What threads run from one start to the cuts that they come to.
struct region {
  llvm::BasicBlock* start = nullptr;
  int behind = -1;  // which cut; -1: the kernel's start
  llvm::SmallVector<llvm::BasicBlock*, 16> blocks{};
  std::uint64_t outcomes = 0;         // bit 0: threads end, then a bit for each cut
  llvm::BasicBlock* enter = nullptr;  // once for the block
  bool warps = false;                 // some of its cuts are of warps

  /// Whether its code does so itself.
  [[nodiscard]] bool uses(const llvm::AllocaInst* memory) const;
};

constexpr unsigned ended = 1;
inline std::uint64_t outcome(std::size_t cut) { return std::uint64_t{2} << cut; }
inline bool several(std::uint64_t outcomes) { return (outcomes & (outcomes - 1)) != 0; }

/// Memory of a value that all threads have in common: what it is for the block at a cut, before
/// any thread goes on; what the running thread makes of it; and what it will be for the block when
/// all warps have come.
struct joint_value {
  llvm::AllocaInst *of_thread, *of_block, *next;
};

struct kept_value {
  llvm::AllocaInst* memory;
  std::uint64_t place;  // in the block's frame
};

/// At least so many instructions would be in its regions of warps: to be asked before it is cut up.
unsigned least_of_lanes(const llvm::Function& f);

class block_parts {
 public:
  block_parts(llvm::Function& f, const cut_kernel& kernel);

  llvm::Function& f;
  const cut_kernel& kernel;
  llvm::IRBuilder<> b;
  llvm::Type* word;
  std::unique_ptr<block_context> context;
  llvm::SmallVector<region, 16> regions;
  llvm::SmallVector<joint_value, 16> joint;
  llvm::SmallVector<kept_value, 16> own;
  llvm::AllocaInst *outcomes = nullptr, *votes = nullptr, *applications = nullptr;
  std::uint64_t frame = 0, alive = 0;
  bool some_end_early = false;
  unsigned of_warps = 0;  // about as many instructions are in regions of warps

  /// False: there is too much of it, or too much of warps.
  bool find_regions(unsigned most_of_warps);
  /// Makes room for what is kept.
  void prepare();
  llvm::BasicBlock* block(const char* name);
  /// Memory of the block's own.
  llvm::AllocaInst* of_block(llvm::Type* type, llvm::Value* first = nullptr);
  /// In the frame, for so many.
  std::uint64_t place(llvm::Type* type, std::uint64_t align, unsigned count);
  llvm::Value* address(std::uint64_t place, llvm::Type* type, std::uint64_t align,
                       llvm::Value* index);
  void copy(llvm::AllocaInst* to, llvm::AllocaInst* from);
  llvm::Value* load(llvm::AllocaInst* a) { return b.CreateLoad(a->getAllocatedType(), a); }
  /// Which cut it is, or -1.
  [[nodiscard]] int cut_of(const llvm::BasicBlock* at) const;
  [[nodiscard]] const joint_value& joint_of(const llvm::AllocaInst* a) const;
  /// The region's code once more, as `values` has it; without the ways into it.
  llvm::SmallVector<llvm::BasicBlock*, 16> clone(const region& r, llvm::ValueToValueMapTy& values);
  /// What a thread asks the machine for is known.
  void settle(llvm::BasicBlock& in, const thread_values& at);
  /// A thread's vote at its barrier.
  void count_vote(const cut& c);
  /// Where threads have come to different cuts.
  void fail();
  /// CUDA promises no order of what threads do between cuts, so the vectoriser needs none.
  llvm::MDNode* parallel();
  void mark_accesses();

 private:
  void find_blocks();

  llvm::Value* frame_base_ = nullptr;
  llvm::MDNode* group_ = nullptr;
};

}  // namespace simt::pass
