// Where converged lanes of a warp come together for the sake of volatile accesses: before each, and
// behind it. In loops that a lane can go round past one of these, at the end of a round, too.
#pragma once

#include <cstddef>
#include <vector>

#include "code.hpp"

namespace simt::observe {

/// A volatile load or store, and the call that notes it.
struct noted_access {
  std::size_t block;
  llvm::CallInst* note;
  llvm::Instruction* access;
};

/// Puts calls for these accesses into the function, if there is a store among them. In loops around
/// `polls`, which are blocks, each lane goes round as it likes.
void add_meetings(const control_flow& f, const std::vector<noted_access>& all,
                  const std::vector<std::size_t>& polls);

}  // namespace simt::observe
