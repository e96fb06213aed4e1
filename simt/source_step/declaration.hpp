// Declarations of variables in CUDA's memory spaces.
#pragma once

#include <cstddef>

#include "source.hpp"

namespace simt::source_step {

/// The statement from `statement` on has __shared__ at token `word`: its names become references to
/// the block's storage. `number` is this declaration's own.
void shared_variables(source& s, std::size_t word, std::size_t statement);

/// The statement, at namespace scope, has __device__, __constant__ or __managed__ at `word`. If it
/// defines variables, they are registered after it.
void device_variables(source& s, std::size_t word, std::size_t statement);

}  // namespace simt::source_step
