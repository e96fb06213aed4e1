// The engines that kernels run on.
#pragma once

#include <cstdint>

namespace simt {

/// How a kernel runs.
enum class engine_kind : std::uint32_t {
  watched,  // threads are fibers, and the machine sees their accesses
  fibers,   // the same without callbacks
  blocks,   // a call for each block, in which its threads are loops
};

}  // namespace simt
