// The specimens' files as text, for a program that shows them.
#pragma once

#include <span>
#include <string_view>

namespace warpfold::specimens {

struct file_source {
  std::string_view name, text;
};
std::span<const file_source> sources();

}  // namespace warpfold::specimens
