// NumPy's .npy files: versions 1.0, 2.0 and 3.0, C order, little-endian i4 i8 u1 u4 f4 f8.
#pragma once

#include <filesystem>

#include "data/array.hpp"

namespace warpfold::data {

/// Reads the whole file; throws data_error when it is not what its header says, to the byte.
array read_npy(const std::filesystem::path& path);

/// Writes version 1.0, all of it or nothing: a file already there stays until the new one is whole.
void write_npy(const std::filesystem::path& path, const array& values);

}  // namespace warpfold::data
