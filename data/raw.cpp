#include "data/raw.hpp"

#include <fmt/format.h>

#include "data/file.hpp"

namespace warpfold::data {

array read_raw(const std::filesystem::path& path, value_type type) {
  const input_file file(path);
  const std::size_t each = size_of(type);
  if (file.size() % each != 0) {
    throw data_error(
        fmt::format("{}: {} bytes are not a whole number of {} ({} bytes each, {} left "
                    "over); give the type that it was written with",
                    file.name(), file.size(), name_of(type), each, file.size() % each));
  }
  return {type, {file.size() / each}, file.read(0, file.size())};
}

}  // namespace warpfold::data
