// A kernel's source with its counters beside each line.
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "simt/report.hpp"
#include "simt/src/record/format.hpp"

namespace simt {

namespace {

using detail::fixed;
using detail::right;
using detail::with_separators;

constexpr std::size_t columns = 6, column_width = 10;

std::string cells_of(const std::array<std::string, columns>& cells) {
  std::string text;
  for (const std::string& c : cells) text += right(c, column_width);
  return text;
}

std::string blank_or(std::uint64_t value) { return value == 0 ? "" : with_separators(value); }

std::string counts_of(const line_counts& l) {
  const counters& c = l.counted;
  const std::uint64_t global =
      c.global_load.requests + c.global_store.requests + c.global_atomic.requests;
  const std::uint64_t sectors =
      c.global_load.sectors + c.global_store.sectors + c.global_atomic.sectors;
  const std::uint64_t shared = c.shared_load.requests + c.shared_store.requests +
                               c.shared_atomic.requests + c.remote_shared.requests;
  const std::uint64_t conflicts = c.shared_bank_conflicts() + c.shared_atomic.conflicts;
  const double lanes = l.active_lanes();
  return cells_of(
      {blank_or(global),
       global == 0 ? "" : fixed(static_cast<double>(sectors) / static_cast<double>(global), 2),
       blank_or(shared), shared == 0 ? "" : with_separators(conflicts), blank_or(l.warp_steps),
       lanes == 0 ? "" : fixed(lanes, 1)});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The functions around the lines that counted, as lines to show: from one that begins at the
/// margin to a closing brace at the margin.
std::vector<bool> shown_of(const std::vector<std::string>& lines,
                           const std::map<int, const line_counts*>& counted) {
  std::vector<bool> shown(lines.size());
  const auto at_margin = [](const std::string& line) {
    return !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '#';
  };
  for (const auto& [number, counts] : counted) {
    const auto at = static_cast<std::size_t>(number) - 1;
    if (number < 1 || at >= lines.size() || shown[at]) continue;
    std::size_t first = at, last = at;
    while (first > 0 && !(at_margin(lines[first]) && lines[first][0] != '}' &&
                          lines[first][0] != '{' && lines[first][0] != ')')) {
      --first;
    }
    while (first > 0 && at_margin(lines[first - 1]) && lines[first - 1].back() != '}' &&
           lines[first - 1].back() != ';' && !lines[first - 1].starts_with("//") &&
           !lines[first - 1].starts_with("namespace")) {
      --first;  // template <…>
    }
    while (last + 1 < lines.size() && !(at_margin(lines[last]) && lines[last][0] == '}') &&
           !(last == first && lines[last].back() == '}')) {
      ++last;
    }
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(first),
              shown.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
  }
  return shown;
}

/// "own_kernel/transpose.cu" of a path.
std::string with_folder(const std::string& path) {
  const auto name = path.rfind('/');
  if (name == std::string::npos || name == 0) return path;
  return path.substr(path.rfind('/', name - 1) + 1);
}

std::string view_of_file(const std::string& file, const std::map<int, const line_counts*>& counted,
                         const source_reader& read) {
  const std::vector<std::string> lines = lines_of(read(file));
  const std::string blank(columns * column_width, ' ');
  std::string text = cells_of({"global", "sectors/", "shared", "bank", "warp", "lanes"}) + "\n" +
                     cells_of({"requests", "request", "requests", "conflicts", "steps", "active"}) +
                     "  " + with_folder(file) + "\n";
  const auto numbered = [](int number, const std::string& line) {
    std::string shown = right(std::to_string(number), 6) + "  " + line;
    shown.erase(shown.find_last_not_of(' ') + 1);
    return shown + "\n";
  };
  if (lines.empty()) {
    for (const auto& [number, l] : counted) text += counts_of(*l) + numbered(number, "");
    return text;
  }
  const std::vector<bool> shown = shown_of(lines, counted);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!shown[i]) continue;
    if (i > 0 && !shown[i - 1] &&
        std::find(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(i), true) !=
            shown.begin() + static_cast<std::ptrdiff_t>(i)) {
      text += blank + right("…", 6) + "\n";
    }
    const int line = static_cast<int>(i) + 1;
    const auto found = counted.find(line);
    text += (found != counted.end() ? counts_of(*found->second) : blank) + numbered(line, lines[i]);
  }
  return text;
}

}  // namespace

std::string read_source(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string source_view(const kernel_report& kernel, const source_reader& read) {
  std::map<std::string, std::map<int, const line_counts*>> files;
  for (const line_counts& l : kernel.lines) {
    if (l.line != 0) files[l.file][l.line] = &l;
  }
  // The kernel's own file, then those of the functions that it calls.
  std::string name = kernel.name.substr(0, kernel.name.find('<')) + "(";
  name.erase(0, name.rfind(':') + 1);
  std::string own, others;
  for (const auto& [file, counted] : files) {
    std::string& text = read(file).find(name) != std::string::npos ? own : others;
    text += (text.empty() ? "" : "\n") + view_of_file(file, counted, read);
  }
  return own + (own.empty() || others.empty() ? "" : "\n") + others;
}

}  // namespace simt
