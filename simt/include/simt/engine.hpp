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

/// "instrumented", "fibers" or "blocks".
constexpr const char* name_of(engine_kind kind) {
  return kind == engine_kind::watched  ? "instrumented"
         : kind == engine_kind::fibers ? "fibers"
                                       : "blocks";
}

}  // namespace simt
