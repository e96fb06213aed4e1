// The device files that the program holds; cmake/device_files.cmake writes their table.
#pragma once

#include <span>
#include <string_view>

namespace simt::detail {

struct device_file {
  std::string_view name, text;
};
std::span<const device_file> device_files();

}  // namespace simt::detail
