// How commands read sizes, names and lists from their options.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/array.hpp"
#include "ladder/rung.hpp"
#include "warpfold/error.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::cli {

/// "4194304", "1e6", "2^22", "2^22+1", "64Ki", "4Mi", "1Gi". Throws usage_error naming `option`.
std::size_t parse_size(std::string_view option, std::string_view text);

/// A size that is small where it makes sense; at most 2^20, which is too many of anything.
unsigned parse_small(std::string_view option, std::string_view text);

/// "512MiB", "4GiB", "65536"; also without the B. Throws usage_error naming `option`.
std::size_t parse_bytes(std::string_view option, std::string_view text);

/// "2^20", a list "1000,2^20", or all powers of two between two of them, "2^8:2^30"; each size
/// once, as they come. Throws usage_error naming `option`.
std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text);

/// A number of type T, all of the text. Throws usage_error naming `option`.
template <class T>
T parse_number(std::string_view option, std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc{} && end == text.data() + text.size()) return value;
  throw usage_error(std::string(option) + " " + std::string(text) + ": not a number" +
                    (problem == std::errc::result_out_of_range ? " of its size" : ""));
}

/// The words between commas, each once. Throws usage_error naming `option` where one is missing.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

value_type parse_type(std::string_view option, std::string_view text);
ladder::operation parse_operation(std::string_view text);

/// "10,1,8,-1" as an array of this type. Throws usage_error naming `option`, the value that is
/// none, and its place.
data::array parse_values(std::string_view option, std::string_view text, value_type type);

}  // namespace warpfold::cli
