// The header of an .npy file: a magic string, a version, and a Python dict literal.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/file.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::data {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// NumPy's name for an element type ("<i4"), as this library writes it.
std::string_view npy_descr(value_type type);

struct npy_header {
  value_type type = value_type::i32;
  std::vector<std::size_t> shape;
  std::size_t data_offset = 0;  // where the elements begin in the file
  std::size_t data_bytes = 0;   // what the shape says
};

/// What stands before the elements of a file of version 1.0; a multiple of 64 bytes, so that the
/// file can be mapped and used in place.
std::string make_npy_header(value_type type, std::span<const std::size_t> shape);

bool starts_with_npy_magic(const input_file& file);

/// Reads and checks everything before the elements. `next` fills its room with the next bytes, from
/// the first one on, and returns how many there were, fewer only at the end. Throws data_error.
npy_header read_npy_header(const std::string& name,
                           const std::function<std::size_t(std::span<std::byte>)>& next);

/// The same of a file; throws data_error unless its length is exactly what the header says. Files
/// larger than memory can be read in parts after this.
npy_header read_npy_header(const input_file& file);

}  // namespace warpfold::data
