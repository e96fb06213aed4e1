// Words of the command line, and messages about them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::cli {

/// With control characters as escapes, "\x0a" or "\x1b", so that the text stays on its line.
std::string printable(std::string_view text);

/// The one of `known` that was probably meant; empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

struct listed_value {
  std::string value, about;
};

/// The values that an option's description lists: one a line with what it is for, or in words,
/// alone or behind a colon, "Of the picture: light, dark or auto (as the viewer has)". None where a
/// part of that is more than a word.
std::vector<listed_value> listed_values(std::string_view description);

/// "did you mean sum?", or `otherwise` where none is near.
std::string nearest_or(std::string_view word, std::span<const std::string> known,
                       const std::string& otherwise);

/// The same, or "there are sum, product, min".
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace warpfold::cli
