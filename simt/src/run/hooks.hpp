// What the machine tells the hooks itself, since the compiler puts no callback there.
#pragma once

#include "simt/src/observer.hpp"

namespace simt::detail {

void note_access(const volatile void* p, access_kind kind, unsigned bytes, void* pc);

}  // namespace simt::detail
