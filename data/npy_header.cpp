#include "data/npy_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "warpfold/error.hpp"

static_assert(std::endian::native == std::endian::little, "elements are used as they are read");

namespace warpfold::data {
namespace {

constexpr std::size_t longest_header = 65536;  // 64 dimensions need less than 2 KiB
constexpr std::size_t most_dimensions = 64;    // NumPy's own limit

struct npy_type {
  value_type type;
  std::string_view descr;
};
constexpr std::array<npy_type, 7> npy_types{{{value_type::i32, "<i4"},
                                             {value_type::i64, "<i8"},
                                             {value_type::u8, "|u1"},
                                             {value_type::u32, "<u4"},
                                             {value_type::f32, "<f4"},
                                             {value_type::f64, "<f8"},
                                             {value_type::u64, "<u8"}}};

std::optional<value_type> type_named(std::string_view descr) {
  if (descr == "<u1") return value_type::u8;  // one byte has no order; NumPy reads both
  for (const auto& entry : npy_types) {
    if (entry.descr == descr) return entry.type;
  }
  return std::nullopt;
}

/// Parses {'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), } and nothing more general.
class header_parser {
 public:
  header_parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  npy_header parse() {
    std::optional<value_type> type;
    std::optional<bool> fortran;
    std::optional<std::vector<std::size_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string("a key in quotes");
      expect(':');
      if (key == "descr")
        once(type, key) = element_type();
      else if (key == "fortran_order")
        once(fortran, key) = boolean();
      else if (key == "shape")
        once(shape, key) = dimensions();
      else
        malformed(fmt::format("no key {} belongs there", in_quotes(key, 40)));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (position_ != text_.size()) malformed("more text after the closing '}'");
    if (!type) malformed("the key 'descr' is missing");
    if (!fortran) malformed("the key 'fortran_order' is missing");
    if (!shape) malformed("the key 'shape' is missing");
    if (*fortran && shape->size() > 1) {
      throw data_error(
          fmt::format("{}: its {} dimensions are in Fortran order; save it with "
                      "numpy.save(file, numpy.ascontiguousarray(a))",
                      file_, shape->size()));
    }
    return {*type, std::move(*shape), 0, 0};
  }

 private:
  [[noreturn]] void malformed(std::string_view what) const {
    throw data_error(
        fmt::format("{}: malformed .npy header, at character {} of {}: {}; save it "
                    "again with numpy.save",
                    file_, position_, text_.size(), what));
  }

  template <class V>
  std::optional<V>& once(std::optional<V>& value, std::string_view key) const {
    if (value) malformed(fmt::format("the key '{}' appears twice", key));
    return value;
  }

  void skip_space() {
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }

  bool accept(char c) {
    skip_space();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed(fmt::format("expected '{}'", c));
  }

  std::string_view string(std::string_view what) {
    skip_space();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') malformed(fmt::format("expected {}", what));
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) malformed("a string without an end");
    const std::string_view result = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return result;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return word == "True";
      }
    }
    malformed("expected True or False");
  }

  value_type element_type() {
    skip_space();
    if (text_.substr(position_).starts_with('[')) {
      throw data_error(
          fmt::format("{}: holds records of several fields; save one field, such as "
                      "a['x'].astype('<i4')",
                      file_));
    }
    const std::string_view descr = string("a dtype in quotes");
    if (const auto type = type_named(descr)) return *type;
    const std::string shown = in_quotes(descr, 40);
    if (descr.starts_with('>') && type_named(fmt::format("<{}", descr.substr(1)))) {
      throw data_error(fmt::format("{}: its dtype {} is big-endian; save a.astype('<{}')", file_,
                                   shown, descr.substr(1)));
    }
    std::vector<std::string_view> known;
    for (const auto& entry : npy_types) known.push_back(entry.descr);
    throw data_error(fmt::format(
        "{}: its dtype {} {}; save a.astype('<i4') or another of {}", file_, shown,
        descr.ends_with('O') ? "is Python objects" : "is not supported", fmt::join(known, " ")));
  }

  std::vector<std::size_t> dimensions() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == most_dimensions) malformed("more than 64 dimensions");
      shape.push_back(dimension());
      if (!accept(',')) {
        expect(')');
        if (shape.size() == 1) malformed("a shape of one dimension is written (n,)");
        break;
      }
    }
    return shape;
  }

  std::size_t dimension() {
    skip_space();
    const char* const begin = text_.data() + position_;
    std::size_t value = 0;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem == std::errc::result_out_of_range) malformed("a dimension overflows 64 bits");
    if (problem != std::errc{} || (*begin == '0' && end - begin > 1)) {
      malformed("expected a dimension: digits without sign or leading zeros");
    }
    position_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
};

/// The bytes that a shape needs; throws where they overflow, wherever in it a zero may stand.
std::size_t bytes_of(const npy_header& header, const std::string& file) {
  std::size_t product = size_of(header.type);
  bool empty = false;
  for (const std::size_t extent : header.shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(product, std::max<std::size_t>(extent, 1), &product)) {
      throw data_error(
          fmt::format("{}: its shape ({}) of {} overflows 64 bits; the header is "
                      "damaged: save it again with numpy.save",
                      file, fmt::join(header.shape, ", "), npy_descr(header.type)));
    }
  }
  return empty ? 0 : product;
}

}  // namespace

std::string_view npy_descr(value_type type) {
  return npy_types.at(static_cast<std::size_t>(type)).descr;
}

std::string make_npy_header(value_type type, std::span<const std::size_t> shape) {
  std::string header(npy_magic);
  header += std::string_view("\x01\x00\x00\x00", 4);  // version 1.0, then the length, set below
  header += fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                        npy_descr(type), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.append(63 - header.size() % 64, ' ');
  header += '\n';
  const std::size_t length = header.size() - 10;
  header[8] = static_cast<char>(length & 0xff);
  header[9] = static_cast<char>(length >> 8);
  return header;
}

bool starts_with_npy_magic(const input_file& file) {
  std::array<char, npy_magic.size()> start{};
  if (file.size() < start.size()) return false;
  file.read(0, std::as_writable_bytes(std::span(start)));
  return std::string_view(start.data(), start.size()) == npy_magic;
}

npy_header read_npy_header(const input_file& file) {
  const auto cut_short = [&](std::size_t needed) {
    return data_error(
        fmt::format("{}: its header should end at byte {}, but the file has {} "
                    "bytes; it was cut short: copy or save it again",
                    file.name(), needed, file.size()));
  };
  if (!starts_with_npy_magic(file)) {
    throw data_error(
        fmt::format("{}: is not an .npy file: its {} bytes do not start with "
                    "\\x93NUMPY; save it with numpy.save, or read it as raw",
                    file.name(), file.size()));
  }
  std::array<unsigned char, 12> start{};
  const std::size_t known = std::min(start.size(), file.size());
  if (known < 10) throw cut_short(10);
  file.read(0, std::as_writable_bytes(std::span(start)).first(known));
  const unsigned major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0) {
    throw data_error(
        fmt::format("{}: has .npy version {}.{}, but only 1.0, 2.0 and 3.0 are known; "
                    "save it again with numpy.save",
                    file.name(), major, minor));
  }
  const std::size_t begin = major == 1 ? 10 : 12;
  if (known < begin) throw cut_short(begin);
  std::size_t length = start[8] | std::size_t{start[9]} << 8;
  if (major > 1) length |= std::size_t{start[10]} << 16 | std::size_t{start[11]} << 24;
  if (length > file.size() - begin) throw cut_short(begin + length);
  if (length > longest_header) {
    throw data_error(
        fmt::format("{}: has a header of {} bytes, more than the {} that a plain "
                    "array can need; save it again with numpy.save",
                    file.name(), length, longest_header));
  }
  std::string text(length, '\0');
  file.read(begin, std::as_writable_bytes(std::span(text)));

  npy_header header = header_parser(text, file.name()).parse();
  header.data_offset = begin + length;
  header.data_bytes = bytes_of(header, file.name());
  const std::size_t held = file.size() - header.data_offset;
  if (held != header.data_bytes) {
    throw data_error(fmt::format(
        "{}: its shape ({}) of {} needs {} bytes, but {} follow the "
        "header; the file {}: copy or save it again",
        file.name(), fmt::join(header.shape, ", "), npy_descr(header.type), header.data_bytes, held,
        held < header.data_bytes ? "was cut short" : "has a tail"));
  }
  return header;
}

}  // namespace warpfold::data
