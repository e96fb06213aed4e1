// The items of a CUDA source file: its functions, types and constants at namespace level.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/rung.hpp"

namespace warpfold::cli {

enum class item_kind { kernel, rung, helper };

struct source_item {
  item_kind kind;
  std::string name;
  std::string_view file;  // "warp_tail.cuh", or a rung's stem
  std::string text;       // whole lines, without the comment above
};

/// In the order of the file. The source must be laid out by clang-format: an item begins at the
/// start of a line, and the line that ends it closes its last brace or ends in a semicolon.
std::vector<source_item> items_of(const ladder::rung_source& file);

/// The members of a type, likewise.
std::vector<source_item> members_of(const source_item& type);

/// The helpers that `text` names, those that these name, and so on; in the order of `helpers`.
std::vector<const source_item*> used_by(std::string_view text,
                                        std::span<const source_item> helpers);

}  // namespace warpfold::cli
