#include "quoting.hpp"

#include <string_view>

namespace simt::driver {

words shell_words(const std::string& line) {
  words all;
  bool within = false;
  char quote = 0;
  const auto add = [&](char c) {
    if (!within) all.emplace_back();
    within = true;
    if (c != 0) all.back() += c;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < line.size();
    if (escapes && (quote == 0 || line[i + 1] == '"' || line[i + 1] == '\\')) {
      add(line[++i]);
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      add(0);
    } else if (quote == 0 && std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
      within = false;
    } else {
      add(c);
    }
  }
  if (quote != 0) throw usage("a quote without its end: " + line);
  return all;
}

words packed_options(const std::string& value) {
  std::string line;
  bool quoted = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) {
      line += value[++i];
      continue;
    }
    if (value[i] == '"') quoted = !quoted;
    line += value[i] == ',' && !quoted ? ' ' : value[i];
  }
  return shell_words(line);
}

std::string in_shell(const words& command) {
  constexpr std::string_view plain = "+-./:=_,@%^";
  std::string line;
  for (const std::string& word : command) {
    bool quotes = word.empty();
    std::string quoted;
    for (const char c : word) {
      const bool letter =
          (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      quotes |= !letter && plain.find(c) == std::string_view::npos;
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    line += (line.empty() ? "" : " ") + (quotes ? "'" + quoted + "'" : word);
  }
  return line;
}

}  // namespace simt::driver
