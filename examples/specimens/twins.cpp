#include "examples/specimens/twins.hpp"

#include <optional>
#include <sstream>

#include "examples/specimens/sources.hpp"
#include "warpfold/error.hpp"

namespace warpfold::specimens {
namespace {

using lines = std::vector<source_line>;

lines lines_of(std::string_view name) {
  for (const file_source& f : sources()) {
    if (f.name != name) continue;
    lines all;
    std::istringstream text{std::string(f.text)};
    for (std::string line; std::getline(text, line);) {
      all.push_back({static_cast<int>(all.size()) + 1, line});
    }
    return all;
  }
  throw error("specimens: there is no source of " + std::string(name));
}

std::size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }

/// A condition that begins with `Mended` or `!Mended`, as it is in one twin.
struct condition {
  std::optional<bool> known;
  std::string rest;  // what is left of it where it is not known
};

condition decide(std::string text, bool mended) {
  const bool negated = text.starts_with('!');
  if (negated) text.erase(0, 1);
  constexpr std::string_view word = "Mended";
  if (!text.starts_with(word)) return {std::nullopt, (negated ? "!" : "") + text};
  text.erase(0, word.size());
  const bool value = mended != negated;
  if (text.empty() || value) return {value, {}};
  constexpr std::string_view either = " || ";
  if (!text.starts_with(either)) throw error("specimens: a condition on Mended that is not known");
  return {std::nullopt, text.substr(either.size())};
}

/// One twin's lines of a file that clang-format has laid out.
class twin {
 public:
  twin(const lines& all, bool mended) : all_(all), mended_(mended) {}

  lines of(std::size_t first, std::size_t last) {
    take(first, last, 0);
    return std::move(out_);
  }

 private:
  void take(std::size_t first, std::size_t last, std::size_t dedent) {
    for (std::size_t i = first; i < last;) i = line(i, dedent);
  }

  /// Takes the line, or what begins in it; returns where to go on.
  std::size_t line(std::size_t i, std::size_t dedent) {
    const std::string& text = all_[i].text;
    if (text == "template <bool Mended>" || text.starts_with("#pragma")) return i + 1;
    for (const std::string begin : {"if constexpr (", "if (", "} else if ("}) {
      const std::size_t at = indent_of(text);
      if (at == std::string::npos || text.compare(at, begin.size(), begin) != 0) continue;
      const std::size_t open = at + begin.size() - 1, close = closing(text, open);
      const condition c = decide(text.substr(open + 1, close - open - 1), mended_);
      if (c.known) return branch(i, close, *c.known, dedent);
      put(i, text.substr(0, open + 1) + c.rest + text.substr(close), dedent);
      return i + 1;
    }
    put(i, text, dedent);
    return i + 1;
  }

  /// The condition of line `i`, which ends at `close`, has this value.
  std::size_t branch(std::size_t i, std::size_t close, bool value, std::size_t dedent) {
    const std::string& text = all_[i].text;
    const std::string indent(indent_of(text), ' ');
    if (!text.ends_with("{")) {
      if (value) put(i, indent + text.substr(close + 2), dedent);
      return i + 1;
    }
    const std::size_t end = end_of_block(i);
    const bool goes_on = all_[end].text.ends_with("{");
    if (text[indent.size()] == '}') {  // else if
      if (!value) return end;
      put(i, indent + "} else {", dedent);
      take(i + 1, end, dedent);
      const std::size_t last = goes_on ? end_of_block(end) : end;
      put(last, indent + "}", dedent);
      return last + 1;
    }
    const std::size_t last = goes_on ? end_of_block(end) : end;
    if (value) take(i + 1, end, dedent + 2);
    if (!value && goes_on) take(end + 1, last, dedent + 2);
    return last + 1;
  }

  /// The line that closes the block that line `i` opens; it may open another one.
  [[nodiscard]] std::size_t end_of_block(std::size_t i) const {
    const std::size_t indent = indent_of(all_[i].text);
    do ++i;
    while (indent_of(all_[i].text) != indent || all_[i].text[indent] != '}');
    return i;
  }

  static std::size_t closing(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open;; ++at) {
      if (text.at(at) == '(') ++depth;
      if (text[at] == ')' && --depth == 0) return at;
    }
  }

  void put(std::size_t i, std::string text, std::size_t dedent) {
    if (const auto mark = text.find("  // ["); mark != std::string::npos) text.erase(mark);
    for (std::size_t at = 0; (at = text.find("<Mended>")) != std::string::npos;) text.erase(at, 8);
    constexpr std::string_view choice = "Mended ? ";
    if (const auto at = text.find(choice); at != std::string::npos) {
      const std::size_t first = at + choice.size(), colon = text.find(" : ", first);
      const std::size_t end = text.find(';', colon);
      text =
          text.substr(0, at) +
          (mended_ ? text.substr(first, colon - first) : text.substr(colon + 3, end - colon - 3)) +
          text.substr(end);
    }
    if (text.find("Mended") != std::string::npos) {
      throw error("specimens: a use of Mended that is not known: " + text);
    }
    out_.push_back({all_[i].number, text.substr(std::min(dedent, text.size()))});
  }

  const lines& all_;
  bool mended_;
  lines out_;
};

}  // namespace

std::string about(std::string_view name) {
  std::string text;
  for (const source_line& l : lines_of(name)) {
    if (!l.text.starts_with("// ")) break;
    text += (text.empty() ? "" : " ") + l.text.substr(3);
  }
  return text;
}

std::vector<source_line> kernel_of(std::string_view name, bool mended) {
  const lines all = lines_of(name);
  std::size_t first = 0;
  while (all.at(first).text != "inline namespace WARPFOLD_MACHINE {") ++first;
  do ++first;
  while (all[first].text.empty() || all[first].text.starts_with("#"));
  std::size_t last = first;
  while (all.at(last).text != "}  // namespace WARPFOLD_MACHINE") ++last;
  while (all[last - 1].text.empty()) --last;
  return twin(all, mended).of(first, last);
}

}  // namespace warpfold::specimens
