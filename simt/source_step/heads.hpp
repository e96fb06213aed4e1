// The machine's own headers, parsed once: what clang made of the head of a text is kept for the
// next file with the same head, in SIMT_CACHE, or warpfold in the user's directory of caches.
#pragma once

#include <string>
#include <string_view>

#include "compile.hpp"

namespace simt::source_step {

/// The options by which `parse`, a compiler's command without files, finds this head parsed; none
/// if it can't be kept, or has errors. The head is then to be parsed with the rest of the text.
words options_for_head(const words& parse, std::string_view head);

}  // namespace simt::source_step
