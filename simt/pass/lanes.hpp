// A loop over the lanes of a warp, from one cut to the next.
#pragma once

#include <array>

#include <llvm/ADT/DenseMap.h>

#include "regions.hpp"

namespace simt::pass {

/// The code of a cut of warps.
struct warp_cut {
  std::size_t index = 0;            // of all cuts
  llvm::Value* waiting = nullptr;   // which lanes have come
  llvm::BasicBlock* run = nullptr;  // lets the active lanes go on
  /// The whole warp has come; it goes on; some lanes do.
  llvm::BasicBlock *together = nullptr, *all = nullptr, *some = nullptr;
};

/// What the code knows of the running warp, lanes as bits of a word.
class warp_parts {
 public:
  static constexpr unsigned size = 32;
  static constexpr std::uint32_t whole = ~0U;

  explicit warp_parts(block_parts& all);

  block_parts& all;
  llvm::IRBuilder<>& b;
  llvm::SmallVector<warp_cut, 16> cuts;
  llvm::SmallVector<kept_value, 16> of_lane, joint;
  llvm::DenseMap<const llvm::AllocaInst*, llvm::AllocaInst*> folded;
  std::uint64_t meeting = 0;                   // in the frame
  llvm::Value *first, *live, *active, *votes;  // its first thread; lanes
  llvm::AllocaInst* result = nullptr;          // of the last meeting
  std::array<llvm::Value*, 3> index{};         // of the first thread
  llvm::Value *threads, *in_rows;              // of the block; a warp's threads lie in a row

  llvm::Value* word(std::uint32_t v) { return b.getInt32(v); }
  /// One that changes from warp to warp. Not in a variable: between so many loops it would be a phi
  /// wherever two ways meet.
  llvm::Value* state();
  llvm::Value* load(llvm::Value* state) { return b.CreateLoad(all.word, state); }
  [[nodiscard]] const cut& cut_at(const warp_cut& c) const { return all.kernel.cuts[c.index]; }
  /// nullptr: it is one of the block.
  [[nodiscard]] const warp_cut* find(std::size_t cut) const;
  /// That the region begins behind; nullptr: none of warps.
  [[nodiscard]] const warp_cut* before(const region& r) const {
    return r.behind >= 0 ? find(static_cast<std::size_t>(r.behind)) : nullptr;
  }
  llvm::Value* address(const kept_value& v, llvm::Value* index);
  /// What `memory` is for the running warp's first thread.
  llvm::Value* of_first(const llvm::AllocaInst* memory);
  llvm::Value* in_meeting(std::uint64_t offset, llvm::Type* type, llvm::Value* index);
  /// Where the region's code finds what its lane keeps, and brings to meetings.
  void find_memory(const region& r, const thread_values& at, llvm::ValueToValueMapTy& values);
  /// What lanes take from lane `source`, or the one they have named.
  llvm::Value* taken(const cut& c, llvm::Value* source, llvm::ValueToValueMapTy& values);
  llvm::Value* load_vector(std::uint64_t offset, llvm::Type* element);
  void store_vector(std::uint64_t offset, llvm::Value* v);
  llvm::Value* bits(llvm::Value* flags) { return b.CreateBitCast(flags, all.word); }

 private:
  std::uint64_t states_ = 0;  // in the frame
  unsigned known_states_ = 0;
};

/// Which lanes have come to which outcome of their region, and with which vote.
struct lane_outcomes {
  llvm::SmallVector<std::uint64_t, 8> ways;  // one bit each
  llvm::SmallVector<llvm::Value*, 8> lanes;
  llvm::Value* votes = nullptr;  // nullptr: nobody votes
};

/// All lanes, without asking which. From where the builder is to behind it.
lane_outcomes loop_over_lanes(warp_parts& warp, const region& r);

}  // namespace simt::pass
