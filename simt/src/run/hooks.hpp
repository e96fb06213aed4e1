// What the machine tells the hooks itself, since the compiler puts no callback there.
#pragma once

#include <cstdint>

#include "simt/src/observer.hpp"

namespace simt::detail {

/// Where the kernel is for which a hook copies or fills; 0: none does.
extern constinit thread_local std::uintptr_t acting_at [[gnu::tls_model("initial-exec")]];

void note_access(const volatile void* p, access_kind kind, unsigned bytes, void* pc);

}  // namespace simt::detail
