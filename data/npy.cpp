#include "data/npy.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/file.hpp"
#include "data/npy_header.hpp"

namespace warpfold::data {

array read_npy(const std::filesystem::path& path) {
  const input_file file(path);
  npy_header header = read_npy_header(file);
  auto bytes = file.read(header.data_offset, header.data_bytes);
  return {header.type, std::move(header.shape), std::move(bytes)};
}

void write_npy(const std::filesystem::path& path, const array& values) {
  std::size_t needed = size_of(values.type);
  bool overflow = values.shape.size() > 64;
  for (const std::size_t extent : values.shape) {
    overflow = overflow || __builtin_mul_overflow(needed, extent, &needed);
  }
  if (overflow || needed != values.bytes.size()) {
    throw usage_error(
        fmt::format("write_npy: {}: a shape of ({}) {} does not match {} bytes; make "
                    "the shape's product equal the number of elements",
                    in_quotes(path.string()), fmt::join(values.shape, ", "), name_of(values.type),
                    values.bytes.size()));
  }
  const std::string header = make_npy_header(values.type, values.shape);
  replace_file(path, {std::as_bytes(std::span(header)), values.bytes});
}

}  // namespace warpfold::data
