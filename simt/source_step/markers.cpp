#include "markers.hpp"

#include <algorithm>

#include "text_lines.hpp"

namespace simt::source_step {

std::optional<marker> marker_of(std::string_view line) {
  if (!line.starts_with("# ")) return std::nullopt;
  const auto open = line.find('"'), close = line.rfind('"');
  if (open == close) return std::nullopt;
  std::size_t number = 0;
  for (const char c : line.substr(2, open - 3)) {
    number = 10 * number + static_cast<std::size_t>(c - '0');
  }
  return marker{line.substr(open + 1, close - open - 1), number, line.find(" 1", close) != npos,
                line.find(" 2", close) != npos, line.find(" 3", close) != npos};
}

std::string_view headers_of(std::string_view text) {
  constexpr std::string_view runtime = "cuda/cuda_runtime.h\"";
  for (auto at = text.find(runtime); at != npos; at = text.find(runtime, at + 1)) {
    const auto begin = text.rfind('"', at), line = text.rfind('\n', at) + 1;
    if (begin != npos && begin > line && text.substr(line, 2) == "# ") {
      return text.substr(begin + 1, at - begin - 1);
    }
  }
  return {};
}

std::size_t end_of_head(std::string_view text) {
  const std::string_view headers = headers_of(text);
  std::string_view main;
  std::size_t end = 0;
  bool in_machine = false;
  for_each_line(text, [&](std::string_view line) {
    const auto m = end == 0 ? marker_of(line) : std::nullopt;
    if (!m) return;
    if (main.empty()) main = m->file;
    in_machine |= !headers.empty() && m->file.starts_with(headers);
    if (in_machine && m->returns && m->file == main) {
      end = static_cast<std::size_t>(line.data() - text.data());
    }
  });
  return end;
}

std::vector<std::size_t> ends_of_heads(std::string_view text) {
  constexpr std::size_t much = 100'000;
  std::string_view own, file;
  const std::size_t begin = end_of_head(text);
  std::size_t end = begin;
  bool says = false;
  if (begin == 0) return {};
  for_each_line(text, [&](std::string_view line) {
    if (says) return;
    const auto at = static_cast<std::size_t>(line.data() - text.data());
    if (const auto m = marker_of(line)) {
      file = m->file;
      if (own.empty() || (m->enters && file.ends_with(".cu"))) own = file;
      if (at >= begin && file == own) end = at;
    } else if (file == own && line.find_first_not_of(" \t") != npos) {
      says = true;
    }
  });
  return says && end > begin + much ? std::vector{end, begin} : std::vector{begin};
}

namespace {

struct open_file {
  std::string_view name;
  std::size_t line = 1;  // of what comes next
};

std::string marker_line(std::size_t number, std::string_view file, std::string_view flags) {
  return "# " + std::to_string(number) + " \"" + std::string(file) + "\"" + std::string(flags) +
         "\n";
}

/// The files that are open at the marker there; the first is the one that was compiled.
std::vector<open_file> open_at(std::string_view text, std::size_t end) {
  std::vector<open_file> files;
  for_each_line(text.substr(0, text.find('\n', end)), [&](std::string_view line) {
    const auto m = marker_of(line);
    if (!m) {
      if (!files.empty()) ++files.back().line;
      return;
    }
    if (m->returns && files.size() > 1) files.pop_back();
    if (files.empty() || m->enters) files.emplace_back();
    files.back() = {m->file, m->line};
  });
  return files;
}

}  // namespace

parted_text parted_at(std::string_view text, std::size_t end) {
  parted_text parted;
  const auto files = open_at(text, end);
  for_each_line(text.substr(0, end), [&](std::string_view line) {
    const auto m = marker_of(line);
    const bool is_open = m && std::any_of(files.begin(), files.end(),
                                          [&](const open_file& f) { return f.name == m->file; });
    parted.head.append(is_open ? std::string_view() : line).append("\n");
  });
  for (std::size_t i = 0; i < files.size(); ++i) {
    parted.tail += marker_line(1, files[i].name, i == 0 ? "" : " 1");
    if (i + 1 < files.size() || files[i].line != 1)
      parted.tail += marker_line(files[i].line, files[i].name, "");
  }
  const std::size_t line_end = text.find('\n', end);
  if (line_end != npos) parted.tail.append(text.substr(line_end + 1));
  return parted;
}

}  // namespace simt::source_step
