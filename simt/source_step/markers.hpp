// The preprocessor's lines about files: `# 12 "file" 2`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace simt::source_step {

struct marker {
  std::string_view file;
  bool returns = false;  // from an included file
  bool system = false;   // a header of the system's
};
std::optional<marker> marker_of(std::string_view line);

/// What the names of the machine's own headers begin with in a preprocessed text; empty: it has
/// none.
std::string_view headers_of(std::string_view preprocessed);
/// Where the text goes on behind cuda_runtime.h, which stands before all else: at a marker.
std::size_t end_of_head(std::string_view preprocessed);

}  // namespace simt::source_step
