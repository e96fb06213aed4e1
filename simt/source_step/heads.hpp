// The machine's own headers, parsed once: what clang made of the head of a text is kept for the
// next file with the same head, in SIMT_CACHE, or warpfold in the user's directory of caches.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compile.hpp"

namespace simt::source_step {

/// Which heads are worth parsing apart: that of the machine's own headers is in every file; others
/// may never come again.
enum class head_use { every_file, if_it_comes_again };

/// The options by which `parse`, a compiler's command without files, finds this head parsed; none
/// if it can't be kept, or the compiler has anything to say about it. The head is then to be parsed
/// with the rest of the text.
words options_for_head(const words& parse, std::string_view head, head_use use);

/// The same for a header with its macros, which `parse` includes before all else. It is parsed
/// again when one of the files that it consists of is another.
words options_for_header(const words& parse, const std::string& header);

/// A rule for make less the files of parsed heads, which come and go.
std::string without_heads(std::string_view rule);

/// What `find_out` says about these programs; asked again when one of them is another. Nothing is
/// no answer to keep.
std::string remembered(const words& files, const std::function<std::string()>& find_out);

}  // namespace simt::source_step
