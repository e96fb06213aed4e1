// One call for any file of numbers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/array.hpp"
#include "data/file.hpp"

namespace warpfold::data {

/// Where the elements of a file are, and what they are.
struct file_layout {
  value_type type;
  std::vector<std::size_t> shape;
  std::size_t data_offset, data_bytes;
};

/// An .npy file, known by its first bytes, or else a raw file of `type`, of one dimension. Throws
/// usage_error when a raw file comes without a type, or when an .npy file holds another type than
/// `type`; data_error when a file is not what its header says, to the byte, or not whole elements.
file_layout layout_of(const input_file& file, std::optional<value_type> type = std::nullopt);

/// Throws usage_error when an .npy file holds another type than it was asked for.
void check_type(const std::string& name, value_type held, std::optional<value_type> asked);

/// All elements of such a file.
array read_file(const std::filesystem::path& path, std::optional<value_type> type = std::nullopt);

/// "i32, i64, …", for messages.
std::string list_of_types();

}  // namespace warpfold::data
