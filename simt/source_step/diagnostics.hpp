// The compiler's messages about a source that was rewritten.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace simt::source_step {

/// A line of a file as its author wrote it, counted from 1; none if it can't be read.
using line_reader = std::function<std::optional<std::string>(std::string_view file, std::size_t)>;

/// `said` with the lines of the author in place of the rewritten ones. The caret goes to the word
/// that it was at; where that is not in the line, there is no caret, and no column.
std::string with_lines_as_written(std::string_view said, const line_reader& line_of);

}  // namespace simt::source_step
