// The source of a specimen's kernel, of the wrong or the corrected twin alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpfold::specimens {

struct source_line {
  int number;  // in the specimen's file
  std::string text;
};

/// What the first lines of the file say of the mistake.
std::string about(std::string_view name);

/// The kernel without the other twin's lines and without the marks.
std::vector<source_line> kernel_of(std::string_view name, bool mended);

}  // namespace warpfold::specimens
