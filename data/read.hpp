// One call for any file of numbers.
#pragma once

#include <filesystem>
#include <optional>

#include "data/array.hpp"

namespace warpfold::data {

/// An .npy file, known by its first bytes, or else a raw file of `type`. Throws usage_error when a
/// raw file comes without a type, or when an .npy file holds another type than `type`.
array read_file(const std::filesystem::path& path, std::optional<value_type> type = std::nullopt);

}  // namespace warpfold::data
