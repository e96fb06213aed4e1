#include "source.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rewrite.hpp"

namespace simt::source_step {

namespace {

/// Words that are followed by something in parentheses that is no parameter list.
bool takes_parentheses(std::string_view word) {
  static constexpr std::string_view words[] = {"__attribute__", "alignas",  "decltype",  "noexcept",
                                               "explicit",      "requires", "__declspec"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// As wide as the text.
std::string blank(std::string_view text) {
  std::string spaces(text);
  for (char& c : spaces) {
    if (c != '\n' && c != '\t') c = ' ';
  }
  return spaces;
}

}  // namespace

source::source(std::string_view text) : text_(text), lexed_(lex(text)) {}

std::string_view source::text(std::size_t t) const {
  const token& at = lexed_.tokens[t];
  return text_.substr(at.begin, at.end - at.begin);
}

bool source::adjacent(std::size_t a, std::size_t b) const {
  return b < size() && lexed_.tokens[a].end == lexed_.tokens[b].begin;
}

std::string source::between(std::size_t first, std::size_t end) const {
  std::string line;
  for (std::size_t t = first; t < end; ++t) {
    if (t != first && !adjacent(t - 1, t)) line += ' ';
    line += text(t);
  }
  return line;
}

std::size_t source::closing(std::size_t open) const {
  std::size_t depth = 0;
  for (std::size_t t = open; t < size(); ++t) {
    const char c = text_[lexed_.tokens[t].begin];
    if (kind(t) != token_kind::punctuator) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return t;
  }
  refuse(open, "this bracket is never closed");
}

std::size_t source::opening(std::size_t close) const {
  std::size_t depth = 0, angles = 0;
  const bool angle = is(close, ">");
  for (std::size_t t = close + 1; t-- > 0;) {
    if (kind(t) != token_kind::punctuator) continue;
    const std::string_view c = text(t);
    if (c == ")" || c == "]" || c == "}") ++depth;
    if (c == "(" || c == "[" || c == "{") --depth;
    if (angle && depth == 0) {
      if (c == ">") ++angles;
      if (c == "<" && t > 0 && is(t - 1, "<") && adjacent(t - 1, t)) {
        --t;  // a shift
      } else if (c == "<") {
        --angles;
      }
      if (angles == 0) return t;
    } else if (!angle && depth == 0) {
      return t;
    }
  }
  refuse(close, "this bracket was never opened");
}

std::size_t source::closing_angle(std::size_t open) const {
  std::size_t depth = 0;
  for (std::size_t t = open; t < size(); ++t) {
    if (is(t, "(") || is(t, "[") || is(t, "{")) t = closing(t);
    if (is(t, "<")) ++depth;
    if (is(t, ">") && --depth == 0) return t;
    if (is(t, ";")) break;
  }
  return none;
}

std::size_t source::find(std::size_t from, std::string_view characters) const {
  for (std::size_t t = from; t < size(); ++t) {
    const std::string_view c = text(t);
    if (kind(t) == token_kind::identifier && takes_parentheses(c) && is(t + 1, "(")) {
      t = closing(t + 1);
    } else if (kind(t) != token_kind::punctuator) {
      continue;
    } else if (c.size() == 1 && characters.find(c) != std::string_view::npos) {
      return t;
    } else if (c == "(" || c == "[" || c == "{") {
      t = closing(t);
    } else if (c == "<" && t > 0 && is_identifier(t - 1) && !is(t - 1, "operator")) {
      if (const std::size_t end = closing_angle(t); end != none) t = end;
    }
  }
  return none;
}

const line_marker* source::marker_at(std::size_t place) const {
  const auto& all = lexed_.markers;
  const auto after =
      std::upper_bound(all.begin(), all.end(), place,
                       [](std::size_t at, const line_marker& m) { return at < m.end; });
  return after == all.begin() ? nullptr : &*(after - 1);
}

bool source::in_system_header(std::size_t t) const {
  const line_marker* const m = marker_at(lexed_.tokens[t].begin);
  return m != nullptr && m->system;
}

std::size_t source::line_of(std::size_t t) const { return line_at(lexed_.tokens[t].begin); }

std::size_t source::line_at(std::size_t place) const {
  const line_marker* const m = marker_at(place);
  const std::size_t from = m == nullptr ? 0 : m->end;
  const std::string_view lines = text_.substr(from, place - from);
  return (m == nullptr ? 1 : m->line) +
         static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
}

std::vector<std::size_t> source::lines() const {
  std::vector<std::size_t> all;
  std::size_t line = 1, at = 0;
  auto marker = lexed_.markers.begin();
  for (const token& t : lexed_.tokens) {
    for (; marker != lexed_.markers.end() && marker->end <= t.begin; ++marker) {
      line = marker->line;
      at = marker->end;
    }
    line += static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(at),
                   text_.begin() + static_cast<std::ptrdiff_t>(t.begin), '\n'));
    at = t.begin;
    all.push_back(line);
  }
  return all;
}

std::string source::file_of(std::size_t t) const {
  const line_marker* const m = marker_at(lexed_.tokens[t].begin);
  return m == nullptr ? "" : m->file;
}

std::string source::placed(std::size_t first, std::size_t end) const {
  const std::size_t from = lexed_.tokens[first].begin;
  return return_to(from) + std::string(text_.substr(from, lexed_.tokens[end - 1].end - from));
}

void source::refuse(std::size_t t, const std::string& why) const {
  const line_marker* const m = marker_at(lexed_.tokens[t].begin);
  const std::size_t place = lexed_.tokens[t].begin;
  const std::size_t line_begin = place == 0 ? 0 : text_.rfind('\n', place - 1) + 1;
  throw refusal((m == nullptr ? "?" : m->file) + ":" + std::to_string(line_of(t)) + ":" +
                std::to_string(place - line_begin + 1) + ": error: " + why);
}

void source::insert_before(std::size_t t, std::string what) {
  const std::size_t at = lexed_.tokens[t].begin;
  changes_.push_back({at, at, std::move(what)});
}

void source::insert_after(std::size_t t, std::string what) {
  const std::size_t at = lexed_.tokens[t].end;
  changes_.push_back({at, at, std::move(what)});
}

void source::erase(std::size_t first, std::size_t end) {
  if (first >= end) return;
  const std::size_t from = lexed_.tokens[first].begin, to = lexed_.tokens[end - 1].end;
  changes_.push_back({from, to, blank(text_.substr(from, to - from))});
}

std::string source::return_to(std::size_t place) const {
  const line_marker* const m = marker_at(place);
  const std::string_view rest = text_.substr(place, text_.find('\n', place) - place);
  if (m == nullptr || rest.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  const std::size_t begin = text_.rfind('\n', place - 1) + 1;  // after the marker at least
  return "\n# " + std::to_string(line_at(place)) + " \"" + m->file +
         (m->system ? "\" 3\n" : "\"\n") + blank(text_.substr(begin, place - begin));
}

std::string source::changed() const {
  auto ordered = changes_;
  std::stable_sort(
      ordered.begin(), ordered.end(), [](const change& a, const change& b) {  // an insertion first
        return std::pair(a.begin, a.begin != a.end) < std::pair(b.begin, b.begin != b.end);
      });
  std::string out;
  std::size_t at = 0;
  bool shifted = false;
  for (const change& c : ordered) {
    if (c.begin < at) continue;  // inside of what was taken out
    if (shifted && c.begin != at) {
      out += return_to(at);
      shifted = false;
    }
    out += text_.substr(at, c.begin - at);
    out += c.by;
    shifted = shifted || c.begin == c.end;
    at = c.end;
  }
  if (shifted) out += return_to(at);
  return out += text_.substr(at);
}

}  // namespace simt::source_step
