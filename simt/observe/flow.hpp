// Which basic blocks of a function wait for what was loaded before, and which for other threads.
#pragma once

#include <cstdint>
#include <vector>

#include "code.hpp"

namespace simt::observe {

struct flow {
  /// A load's address, or where the block leads, depends on what an earlier visit in the same loop
  /// loaded (outside of loops: in any block there), or it is of a loop and loads what others may
  /// write meanwhile: loads before and after can't be under way together.
  bool waits = false;
  /// It leads to or is part of a loop that reads one word again and again, and leaves by what it
  /// reads: another thread must write it.
  bool polls = false;
  /// Of a block that is a loop by itself, and is unrolled: its values that the next iteration
  /// begins with, each with what it was in this one.
  struct carried_value {
    const llvm::Value *now, *next;
    bool by_constant, by_same;  // it steps by a constant; by what is the same in all iterations
  };
  std::vector<carried_value> carried;
  /// The block that decides whether this one is entered, if nothing else depends on that: this one
  /// is the body of an `if` without an `else`.
  std::size_t guard = npos;
  /// Lanes of a warp may go two ways from here that meet again: a device says before where that is,
  /// and waits there.
  bool parts_lanes = false;
  /// It leads back to an earlier block of a loop of several.
  bool goes_round = false;
  /// How many values it must move when it goes round: those of the next iteration that are others
  /// of this one.
  std::uint64_t moves = 0;
  /// How many of its accesses are of shared memory: their pointers come from no argument.
  unsigned shared_accesses = 0, accesses = 0;
  /// It loads from memory that is not shared, and stores there.
  bool is_through_memory = false;
};

/// By block. `arguments`: pointers to what the function was given by value, which is no load to
/// wait for.
std::vector<flow> flows_of(const control_flow& f, const value_set& arguments);

}  // namespace simt::observe
