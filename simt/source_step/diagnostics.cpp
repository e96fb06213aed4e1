#include "diagnostics.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

/// "file:line:column: error: …", taken apart.
struct message {
  view file, what;  // what: from the last colon on
  std::size_t line = 0;
};

std::size_t number(view text) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && end == text.data() + text.size() ? n : 0;
}

std::optional<message> message_in(view line) {
  for (const view kind : {": error: ", ": warning: ", ": note: ", ": fatal error: "}) {
    const auto at = line.find(kind);
    if (at == npos) continue;
    const view place = line.substr(0, at);
    const auto column = place.rfind(':'),
               before = column == 0 ? npos : place.rfind(':', column - 1);
    if (column == npos || before == npos || number(place.substr(column + 1)) == 0) return {};
    const std::size_t n = number(place.substr(before + 1, column - before - 1));
    if (n != 0) return message{place.substr(0, before), line.substr(at), n};
  }
  return {};
}

/// Without what gives it colours.
std::string plain(view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = std::min(line.find('m', i), line.size());
    } else {
      out += line[i];
    }
  }
  return out;
}

bool has_caret(view line) {
  return line.find('^') != npos && line.find_first_not_of(" ^~") == npos;
}

/// As the compiler shows tabs.
std::string with_spaces(view line) {
  constexpr std::size_t tab = 8;
  std::string out;
  for (const char c : line) c == '\t' ? out.append(tab - out.size() % tab, ' ') : out.append(1, c);
  return out;
}

/// Of what is shown at `at`.
std::size_t column_at(view line, std::size_t at) {
  std::size_t column = 1;
  while (column < line.size() && with_spaces(line.substr(0, column)).size() <= at) ++column;
  return column;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

view word_at(view line, std::size_t at) {
  std::size_t end = std::min(at, line.size());
  while (end < line.size() && in_word(line[end])) ++end;
  return end > at ? line.substr(at, end - at) : line.substr(std::min(at, line.size()), 1);
}

/// Where the word is in `line`: at `at`, or in no more than one other place.
std::size_t place_of(view word, view line, std::size_t at) {
  if (word.empty()) return npos;
  if (at < line.size() && word_at(line, at) == word) return at;
  std::size_t found = npos;
  for (auto i = line.find(word); i != npos; i = line.find(word, i + 1)) {
    if ((i > 0 && in_word(line[i - 1]) && in_word(word[0])) || word_at(line, i) != word) continue;
    if (found != npos) return npos;
    found = i;
  }
  return found;
}

}  // namespace

std::string with_lines_as_written(view said, const line_reader& line_of) {
  std::vector<view> coloured;
  std::vector<std::string> lines;
  for_each_line(said, [&](view line) {
    coloured.push_back(line);
    lines.push_back(plain(line));
  });
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto m = message_in(lines[i]);
    const bool shown = m && i + 2 < lines.size() && has_caret(lines[i + 2]);
    const auto own = shown ? line_of(m->file, m->line) : std::nullopt;
    const std::string written = with_spaces(own.value_or(""));
    if (!own || written == lines[i + 1]) {
      out.append(coloured[i]).append("\n");
      continue;
    }
    const std::size_t caret = lines[i + 2].find('^');
    const std::size_t at = place_of(word_at(lines[i + 1], caret), written, caret);
    out.append(m->file).append(":").append(std::to_string(m->line));
    if (at != npos) out.append(":").append(std::to_string(column_at(*own, at)));
    out.append(m->what);
    out.append("\n").append(written).append("\n");
    if (at != npos) out.append(at, ' ').append("^\n");
    i += 2;
    if (i + 1 < lines.size() && lines[i + 1].starts_with(" ")) ++i;  // what to put in there
  }
  return out;
}

}  // namespace simt::source_step
