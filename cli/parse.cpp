#include "cli/parse.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/file.hpp"

namespace warpfold::cli {

namespace {

/// Takes a number from the front of `text`.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::size_t> power(std::size_t base, std::size_t exponent) {
  std::size_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

std::optional<std::size_t> size_of_text(std::string_view text) {
  std::optional<std::size_t> value = take_number(text);
  if (value && !text.empty() && text.front() == '^') {
    text.remove_prefix(1);
    const auto exponent = take_number(text);
    if (!exponent || *exponent > 63) return std::nullopt;
    value = power(*value, *exponent);
  } else if (value && text.starts_with('e')) {
    text.remove_prefix(1);
    const auto exponent = take_number(text);
    const auto factor = exponent ? power(10, std::min<std::size_t>(*exponent, 63)) : std::nullopt;
    std::size_t product = 0;
    if (!factor || __builtin_mul_overflow(*value, *factor, &product)) return std::nullopt;
    value = product;
  }
  for (const auto& [suffix, shift] : {std::pair{"Ki", 10}, {"Mi", 20}, {"Gi", 30}}) {
    if (!value || !text.starts_with(suffix)) continue;
    text.remove_prefix(2);
    if (*value > std::numeric_limits<std::size_t>::max() >> shift) return std::nullopt;
    value = *value << shift;
  }
  if (value && !text.empty() && (text.front() == '+' || text.front() == '-')) {
    const bool plus = text.front() == '+';
    text.remove_prefix(1);
    const auto offset = take_number(text);
    if (!offset || (!plus && *offset > *value)) return std::nullopt;
    if (plus && *offset > std::numeric_limits<std::size_t>::max() - *value) return std::nullopt;
    value = plus ? *value + *offset : *value - *offset;
  }
  return text.empty() ? value : std::nullopt;
}

template <class Names>
std::string list(const Names& names) {
  std::vector<std::string_view> all;
  for (const auto& n : names) all.push_back(n.name);
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

std::size_t parse_size(std::string_view option, std::string_view text) {
  if (const auto value = size_of_text(text)) return *value;
  throw usage_error(fmt::format(
      "{} {}: not a number of elements; write it like 4194304, 2^22, 2^22+1 or 4Mi", option, text));
}

unsigned parse_small(std::string_view option, std::string_view text) {
  const auto value = size_of_text(text);
  if (!value) throw usage_error(fmt::format("{} {}: not a number", option, text));
  return static_cast<unsigned>(std::min<std::size_t>(*value, 1U << 20));
}

std::size_t parse_bytes(std::string_view option, std::string_view text) {
  const std::string_view number = text.ends_with("iB") ? text.substr(0, text.size() - 1) : text;
  if (const auto value = size_of_text(number)) return *value;
  throw usage_error(
      fmt::format("{} {}: not a number of bytes; write it like 512MiB or 4GiB", option, text));
}

std::vector<std::string> parse_list(std::string_view option, std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const std::string_view word = text.substr(from, comma - from);
    if (word.empty()) {
      throw usage_error(
          fmt::format("{} {}: a value is missing next to a comma", option, data::in_quotes(text)));
    }
    if (std::find(words.begin(), words.end(), word) == words.end()) words.emplace_back(word);
    from = comma + 1;
  }
  return words;
}

std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text) {
  std::vector<std::size_t> sizes;
  const auto add = [&](std::size_t n) {
    if (std::find(sizes.begin(), sizes.end(), n) == sizes.end()) sizes.push_back(n);
  };
  for (const std::string& word : parse_list(option, text)) {
    const auto colon = word.find(':');
    if (colon == std::string::npos) {
      add(parse_size(option, word));
      continue;
    }
    const std::size_t first = parse_size(option, word.substr(0, colon));
    const std::size_t last = parse_size(option, word.substr(colon + 1));
    if (!std::has_single_bit(first) || !std::has_single_bit(last) || first > last) {
      throw usage_error(fmt::format(
          "{} {}: a range goes from one power of two up to another, like 2^8:2^30", option, word));
    }
    for (std::size_t n = first; n <= last && n != 0; n *= 2) add(n);
  }
  return sizes;
}

value_type parse_type(std::string_view option, std::string_view text) {
  for (const auto& t : value_types) {
    if (t.name == text) return t.type;
  }
  // numpy's letter and bytes: u4 has 32 bits here
  std::string meant;
  for (const auto& t : value_types) {
    if (text == fmt::format("{}{}", t.name.front(), size_of(t.type))) {
      meant = fmt::format(" ({} has {} bytes)", t.name, size_of(t.type));
    }
  }
  throw usage_error(fmt::format("{} {}: there is no such type; there are {}{}", option, text,
                                list(value_types), meant));
}

ladder::operation parse_operation(std::string_view text) {
  for (const auto& o : ladder::operations) {
    if (o.name == text) return o.op;
  }
  throw usage_error(fmt::format("--op {}: there is no such operator; there are {}", text,
                                list(ladder::operations)));
}

data::array parse_values(std::string_view option, std::string_view text, value_type type) {
  data::array values{.type = type, .shape = {}, .bytes = {}};
  std::size_t count = 0;
  for (std::size_t from = 0; from < text.size() || count == 0;) {
    const auto comma = std::min(text.find(',', from), text.size());
    std::string_view word = text.substr(from, comma - from);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    visit_type(type, [&]<class T>(std::type_identity<T>) {
      T value{};
      const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (problem != std::errc{} || end != word.data() + word.size()) {
        throw usage_error(
            fmt::format("{}: {} (value {}) is no {}{}; write them like 10,1,8", option,
                        data::in_quotes(word), count + 1, name_of(type),
                        problem == std::errc::result_out_of_range ? ", by its size" : ""));
      }
      const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
      values.bytes.insert(values.bytes.end(), bytes, bytes + sizeof value);
    });
    ++count;
    from = comma + 1;
    if (comma + 1 == text.size()) {
      throw usage_error(fmt::format("{}: a value is missing after the last comma", option));
    }
  }
  values.shape = {count};
  return values;
}

}  // namespace warpfold::cli
