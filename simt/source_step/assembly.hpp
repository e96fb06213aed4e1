// Inline assembly in code of the device.
#pragma once

#include <cstddef>

#include "source.hpp"

namespace simt::source_step {

/// `t` is asm: if what follows is PTX, it becomes C++; the host's own assembly stays.
void rewrite_assembly(source& s, std::size_t t, bool in_device_code);

}  // namespace simt::source_step
