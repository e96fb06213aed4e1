#include "cli/ladder/source_items.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace warpfold::cli {

namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::set<std::string_view> words_of(std::string_view text) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > i) words.insert(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

/// Whether an item begins with this line: no comment, no directive, no namespace.
bool begins_item(std::string_view line) {
  if (line.empty() || !in_word(line.front())) return false;
  return !line.starts_with("namespace") && !line.starts_with("inline namespace") &&
         !line.starts_with("using ");
}

std::string_view last_word(std::string_view text) {
  while (!text.empty() && !in_word(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && in_word(text[end])) ++end;
  return text.substr(0, end);
}

/// Of "template <class T>\nstruct tile {": tile. Of a function the word before its parameters.
std::string name_of_item(std::string_view text) {
  if (text.starts_with("template")) text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  for (const std::string_view keyword : {"struct ", "enum class ", "class "}) {
    if (text.starts_with(keyword)) return std::string(first_word(text.substr(keyword.size())));
  }
  return std::string(last_word(text.substr(0, text.find_first_of("(={"))));
}

item_kind kind_of(std::string_view text) {
  if (text.find("__global__") != std::string_view::npos) return item_kind::kernel;
  if (text.find("constexpr description about") != std::string_view::npos) return item_kind::rung;
  return item_kind::helper;
}

std::vector<source_item> split(std::string_view source, std::string_view file, std::size_t indent) {
  std::vector<source_item> items;
  std::string text;
  int depth = 0;
  for (const std::string_view line : lines_of(source)) {
    const bool deep = line.size() > indent && line.find_first_not_of(' ') >= indent;
    if (text.empty() && !(deep && begins_item(line.substr(indent)))) continue;
    text += std::string(line) + "\n";
    depth += static_cast<int>(std::count(line.begin(), line.end(), '{'));
    depth -= static_cast<int>(std::count(line.begin(), line.end(), '}'));
    if (depth > 0 || !(line.ends_with(';') || line.ends_with('}'))) continue;
    const std::string_view item = std::string_view(text).substr(indent);
    items.push_back({kind_of(item), name_of_item(item), file, text});
    text.clear();
  }
  return items;
}

}  // namespace

std::vector<source_item> items_of(const ladder::rung_source& file) {
  return split(file.text, file.stem, 0);
}

std::vector<source_item> members_of(const source_item& type) {
  std::string_view body = type.text;
  body.remove_prefix(body.find('\n') + 1);
  return split(body, type.file, 2);
}

std::vector<const source_item*> used_by(std::string_view text,
                                        std::span<const source_item> helpers) {
  std::set<const source_item*> used;
  std::vector<std::string_view> to_read{text};
  while (!to_read.empty()) {
    const auto words = words_of(to_read.back());
    to_read.pop_back();
    for (const source_item& h : helpers) {
      if (words.contains(h.name) && used.insert(&h).second) to_read.push_back(h.text);
    }
  }
  std::vector<const source_item*> in_order;
  for (const source_item& h : helpers) {
    if (used.contains(&h)) in_order.push_back(&h);
  }
  return in_order;
}

}  // namespace warpfold::cli
