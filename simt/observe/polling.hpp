// Loops that a thread leaves by what it reads, and goes round until another thread has written
// that.
#pragma once

#include <cstddef>
#include <vector>

#include "code.hpp"

namespace simt::observe {

/// Reads what other threads may write meanwhile.
bool may_poll(const llvm::Instruction& i);

/// By block: on a way from block `b` to itself, if each such way reads the same word by `read`, and
/// what is read decides whether it goes on; else none.
std::vector<bool> polling_loop(const control_flow& f, std::size_t b, const llvm::Instruction& read);

/// Whether the loop around block `b` is left by a branch that depends on what `read` loads there:
/// by its value, or by the way that was taken for it.
bool decides_loop(const control_flow& f, std::size_t b, const llvm::Instruction& read);

}  // namespace simt::observe
