#include "data/read.hpp"

#include <fmt/format.h>

#include "data/file.hpp"
#include "data/npy.hpp"
#include "data/npy_header.hpp"
#include "data/raw.hpp"

namespace warpfold::data {

array read_file(const std::filesystem::path& path, std::optional<value_type> type) {
  const input_file file(path);
  if (starts_with_npy_magic(file)) {
    const npy_header header = read_npy_header(file);
    if (type && *type != header.type) {
      throw usage_error(
          fmt::format("{}: is an .npy file of {}, but --type asks for {}; leave "
                      "--type out, or save a.astype('{}')",
                      file.name(), name_of(header.type), name_of(*type), npy_descr(*type)));
    }
    return read_npy(path);
  }
  if (!type) {
    throw usage_error(
        fmt::format("{}: is no .npy file, so its {} bytes may be of any type; say "
                    "which with --type (i32, i64, u8, u32, f32, f64, u64)",
                    file.name(), file.size()));
  }
  return read_raw(path, *type);
}

}  // namespace warpfold::data
