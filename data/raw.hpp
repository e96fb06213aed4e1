// Raw files: nothing but elements, little-endian, one after the other.
#pragma once

#include <filesystem>

#include "data/array.hpp"

namespace warpfold::data {

/// Reads the whole file as one dimension; its length must be a multiple of the element size.
array read_raw(const std::filesystem::path& path, value_type type);

}  // namespace warpfold::data
