// What the forms of a run's results have in common.
#pragma once

#include <filesystem>
#include <string>

#include "simt/sarif.hpp"

namespace simt::detail {

/// The folder that paths are relative to.
std::filesystem::path checkout();
/// Relative to the folder where it lies in it, else absolute.
std::filesystem::path path_in(const std::filesystem::path& folder, const std::string& file);
/// A result without a location has that of the program.
sarif_location location_of(const sarif_result& r, const sarif_run& run);
/// Without a line feed at its end.
std::string message_of(const sarif_result& r);

}  // namespace simt::detail
