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
  std::string header(npy_magic);
  header += std::string_view("\x01\x00\x00\x00", 4);  // version 1.0, then the length, set below
  header += fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                        npy_descr(values.type), fmt::join(values.shape, ", "),
                        values.shape.size() == 1 ? "," : "");
  // The elements begin at a multiple of 64, so that the file can be mapped and used in place.
  header.append(63 - header.size() % 64, ' ');
  header += '\n';
  const std::size_t length = header.size() - 10;
  header[8] = static_cast<char>(length & 0xff);
  header[9] = static_cast<char>(length >> 8);
  replace_file(path, {std::as_bytes(std::span(header)), values.bytes});
}

}  // namespace warpfold::data
