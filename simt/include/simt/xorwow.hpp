#pragma once

#include <cstdint>

namespace simt::detail {

/// Marsaglia's generator `count` times 2^`log2` steps on; not the counter that is added to it.
void skip_xorwow(unsigned (&v)[5], std::uint64_t count, unsigned log2);

}  // namespace simt::detail
