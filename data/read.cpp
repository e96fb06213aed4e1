#include "data/read.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "data/npy_header.hpp"

namespace warpfold::data {

std::string list_of_types() {
  std::string all;
  for (const auto& t : value_types) all += (all.empty() ? "" : ", ") + std::string(t.name);
  return all;
}

void check_type(const std::string& name, value_type held, std::optional<value_type> asked) {
  if (!asked || *asked == held) return;
  throw usage_error(
      fmt::format("{}: is an .npy file of {}, but {} is asked for; save a.astype('{}'), or leave "
                  "--type out",
                  name, name_of(held), name_of(*asked), npy_descr(*asked)));
}

namespace {

/// Of numpy.savez.
bool is_archive(const input_file& file) {
  constexpr std::string_view magic = "PK\x03\x04";
  if (file.size() < magic.size()) return false;
  const auto bytes = file.read(0, magic.size());
  return std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

file_layout layout_of(const input_file& file, std::optional<value_type> type) {
  if (starts_with_npy_magic(file)) {
    npy_header header = read_npy_header(file);
    check_type(file.name(), header.type, type);
    return {header.type, std::move(header.shape), header.data_offset, header.data_bytes};
  }
  if (!type && is_archive(file)) {
    throw data_error(fmt::format("{}: is an .npz archive; unzip it, and give the .npy files in it",
                                 file.name()));
  }
  if (!type) {
    throw usage_error(fmt::format(
        "{}: is not an .npy file, so its {} bytes may be of any type; give it with --type ({})",
        file.name(), file.size(), list_of_types()));
  }
  const std::size_t each = size_of(*type);
  if (file.size() % each != 0) {
    throw data_error(
        fmt::format("{}: {} bytes are not a whole number of {} ({} bytes each, {} left "
                    "over); give the type that it was written with",
                    file.name(), file.size(), name_of(*type), each, file.size() % each));
  }
  return {*type, {file.size() / each}, 0, file.size()};
}

array read_file(const std::filesystem::path& path, std::optional<value_type> type) {
  const input_file file(path);
  file_layout layout = layout_of(file, type);
  auto bytes = file.read(layout.data_offset, layout.data_bytes);
  return {layout.type, std::move(layout.shape), std::move(bytes)};
}

}  // namespace warpfold::data
