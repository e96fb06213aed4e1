// What the forms of a scan have in common.
#pragma once

#include <filesystem>
#include <string>

#include "simt/code_scanning.hpp"

namespace simt::detail {

/// The folder that paths are relative to.
std::filesystem::path checkout();
/// Relative to the folder where it lies in it, else absolute.
std::filesystem::path path_in(const std::filesystem::path& folder, const std::string& file);
/// A result without a place has that of the program.
scan_place place_of(const scan_result& r, const scan& s);

}  // namespace simt::detail
