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

/// A dtype without the sign of its order ("i4").
std::string_view without_order(std::string_view descr) {
  return descr.substr(descr.find_first_of("<>=|") == 0 ? 1 : 0);
}

/// Without a sign, and with =, the order is the machine's; one byte has none.
std::optional<value_type> type_named(std::string_view descr) {
  const std::string_view name = without_order(descr);
  for (const auto& entry : npy_types) {
    if (entry.descr.substr(1) != name) continue;
    if (size_of(entry.type) > 1 && (descr[0] == '>' || descr[0] == '|')) return std::nullopt;
    return entry.type;
  }
  return std::nullopt;
}

/// A dtype of ours that holds the values of one that is not.
std::string_view advice_on(std::string_view descr) {
  const std::string_view name = without_order(descr);
  switch (name.empty() ? '\0' : name[0]) {
    case 'f': return name == "f2" ? "a.astype('<f4')" : "a.astype('<f8')";
    case 'b': return "a.astype('|u1')";
    case 'i':
    case 'u': return "a.astype('<i4')";
    case 'c': return "a.real or a.imag";
    case 'm':
    case 'M': return "a.astype('<i8')";
    default: return "numbers";
  }
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
        malformed(fmt::format("unexpected key {}", in_quotes(key, 40)));
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
    if (end == std::string_view::npos) malformed("an unterminated string");
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
                      "a['x']",
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
    throw data_error(fmt::format("{}: its dtype {} {}; save {}; warpfold reads {}", file_, shown,
                                 descr.ends_with('O') ? "is Python objects" : "is not supported",
                                 advice_on(descr), fmt::join(known, " ")));
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
    if (text_.substr(position_).starts_with('L')) ++position_;  // Python 2 marks long integers
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

npy_header read_npy_header(const std::string& name,
                           const std::function<std::size_t(std::span<std::byte>)>& next) {
  std::size_t taken = 0;
  const auto take = [&](std::span<char> room, std::size_t header_end) {
    const std::size_t count = next(std::as_writable_bytes(room));
    taken += count;
    if (count == room.size()) return;
    throw data_error(
        fmt::format("{}: its header should end at byte {}, but the file has {} bytes; it was cut "
                    "short: copy or save it again",
                    name, header_end, taken));
  };
  std::array<char, 12> start{};
  take(std::span(start).first(10), 10);
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0) {
    throw data_error(
        fmt::format("{}: has .npy version {}.{}, but only 1.0, 2.0 and 3.0 are known; "
                    "save it again with numpy.save",
                    name, major, minor));
  }
  const std::size_t begin = major == 1 ? 10 : 12;
  take(std::span(start).subspan(10, begin - 10), begin);
  std::size_t length = 0;
  for (std::size_t i = begin; i-- > 8;) length = length << 8 | static_cast<unsigned char>(start[i]);
  // A longer one is read as far as tells whether the file was cut short.
  std::string text(std::min(length, longest_header + 1), '\0');
  take(text, begin + length);
  if (length > longest_header) {
    throw data_error(
        fmt::format("{}: has a header of {} bytes, more than the {} that a plain "
                    "array can need; save it again with numpy.save",
                    name, length, longest_header));
  }
  npy_header header = header_parser(text, name).parse();
  header.data_offset = begin + length;
  header.data_bytes = bytes_of(header, name);
  return header;
}

npy_header read_npy_header(const input_file& file) {
  if (!starts_with_npy_magic(file)) {
    throw data_error(
        fmt::format("{}: is not an .npy file: its {} bytes do not start with "
                    "\\x93NUMPY; save it with numpy.save, or read it as raw",
                    file.name(), file.size()));
  }
  std::size_t taken = 0;
  npy_header header = read_npy_header(file.name(), [&](std::span<std::byte> room) {
    const std::size_t count = std::min(room.size(), file.size() - taken);
    file.read(taken, room.first(count));
    taken += count;
    return count;
  });
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
