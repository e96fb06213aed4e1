// What each basic block of a kernel file costs a device, put beside its place in clang's table of
// basic blocks: the flags there have one bit that says something, and these have the others.
//
//   63    61    52    50     48    43       38      37    30
//   |waits|loads|chain|inside|ahead|shuffles|special|polls|doubles …
//                                                  30     21      16         10       1     0
//                                                  …|floats|divides|multiplies|integers|entry|
//
// A field that is full stays full. `waits` and `polls` are of loads in loops. `chain` and `loads`
// are the longest ways through the block that one instruction after another must go: in steps of an
// addition, and in loads.
#pragma once

#include <array>
#include <cstdint>

namespace simt {

/// Warp-wide instructions by the unit that executes them. Memory, barriers and atomics are counted
/// where they happen.
struct instruction_counts {
  std::uint64_t integers = 0;    // and compares, selects, address arithmetic, branches
  std::uint64_t multiplies = 0;  // of integers
  std::uint64_t divides = 0;     // of integers, by what is no constant; each is a sequence
  std::uint64_t floats = 0;
  std::uint64_t doubles = 0;
  std::uint64_t special = 0;  // roots, sines, conversions
  std::uint64_t shuffles = 0;
  std::uint64_t chain = 0, loads = 0;
  std::uint64_t waits = 0, polls = 0;
  /// Accesses of shared memory in the body of a short `if` that devices execute without a branch:
  /// of the one that the block decides about, and of the one that the block is.
  std::uint64_t shared_ahead = 0, shared_inside = 0;
};

struct instruction_field {
  std::uint64_t instruction_counts::*count;
  unsigned shift, bits;
};
inline constexpr std::array<instruction_field, 13> instruction_fields{
    {{&instruction_counts::integers, 1, 9},
     {&instruction_counts::multiplies, 10, 6},
     {&instruction_counts::divides, 16, 5},
     {&instruction_counts::floats, 21, 9},
     {&instruction_counts::doubles, 30, 7},
     {&instruction_counts::polls, 37, 1},
     {&instruction_counts::special, 38, 5},
     {&instruction_counts::shuffles, 43, 5},
     {&instruction_counts::shared_ahead, 48, 2},
     {&instruction_counts::shared_inside, 50, 2},
     {&instruction_counts::chain, 52, 9},
     {&instruction_counts::loads, 61, 2},
     {&instruction_counts::waits, 63, 1}}};

constexpr instruction_counts unpacked(std::uint64_t flags) {
  instruction_counts counts;
  for (const auto& f : instruction_fields) {
    counts.*f.count = flags >> f.shift & ((std::uint64_t{1} << f.bits) - 1);
  }
  return counts;
}

constexpr std::uint64_t packed(const instruction_counts& counts) {
  std::uint64_t flags = 0;
  for (const auto& f : instruction_fields) {
    const std::uint64_t most = (std::uint64_t{1} << f.bits) - 1;
    flags |= (counts.*f.count < most ? counts.*f.count : most) << f.shift;
  }
  return flags;
}

}  // namespace simt
