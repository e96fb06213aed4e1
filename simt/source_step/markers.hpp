// The preprocessor's lines about files: `# 12 "file" 2`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simt::source_step {

struct marker {
  std::string_view file;
  std::size_t line = 0;
  bool enters = false;   // an included file
  bool returns = false;  // from one
  bool system = false;   // a header of the system's
};
std::optional<marker> marker_of(std::string_view line);

/// What the names of the machine's own headers begin with in a preprocessed text; empty: it has
/// none.
std::string_view headers_of(std::string_view preprocessed);
/// Where the text goes on behind cuda_runtime.h, which stands before all else: at a marker.
std::size_t end_of_head(std::string_view preprocessed);
/// Where the text goes on behind all files that the user's own file includes before it says
/// anything itself, if that is much more, and behind cuda_runtime.h. A .cu file that another file
/// includes is the user's own. Empty: there is no cuda_runtime.h.
std::vector<std::size_t> ends_of_heads(std::string_view preprocessed);

/// A text parted at a marker, so that others with the same headers have the same head: the files
/// that are open there show in the rest alone, which enters them anew.
struct parted_text {
  std::string head, tail;
};
parted_text parted_at(std::string_view preprocessed, std::size_t end);

}  // namespace simt::source_step
