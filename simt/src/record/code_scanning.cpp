#include "simt/src/record/code_scanning.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "simt/src/memory/short_name.hpp"

namespace simt {

namespace {

scan_place place_of(const finding_side& s) {
  if (s.line == 0) return {.text = s.text()};
  return {.file = s.file, .line = s.line, .column = s.column, .text = s.text()};
}

bool is_race(finding_kind kind) { return kind <= finding_kind::race_in_warp; }

std::string without_last_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// How to fix any finding of this kind.
std::string help_for(finding_kind kind) {
  return finding{.kind = kind, .bytes = 1, .size = 1}.mend();
}

/// As GitHub's runners read it; in a property of an annotation two more signs have a meaning.
std::string for_a_runner(std::string_view text, bool property) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const bool has_meaning =
        c == '%' || c == '\n' || c == '\r' || (property && (c == ':' || c == ','));
    if (has_meaning) {
      const auto code = static_cast<unsigned char>(c);
      escaped.append({'%', digits[code / 16], digits[code % 16]});
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string annotation(const char* level, const scan_place& at, const std::string& title,
                       const std::string& message) {
  std::string line = "::" + std::string(level) + " ";
  if (!at.file.empty()) {
    line +=
        "file=" + for_a_runner(detail::path_in(detail::checkout(), at.file).string(), true) + ",";
  }
  if (at.line != 0) line += "line=" + std::to_string(at.line) + ",";
  if (at.column != 0) line += "col=" + std::to_string(at.column) + ",";
  return line + "title=" + for_a_runner(title, true) + "::" + for_a_runner(message, false) + "\n";
}

}  // namespace

namespace detail {

std::filesystem::path checkout() {
  for (const char* const name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value == '/') return std::filesystem::path(value).lexically_normal();
  }
  std::error_code gone;
  return std::filesystem::current_path(gone);
}

std::filesystem::path path_in(const std::filesystem::path& folder, const std::string& file) {
  std::error_code gone;
  const auto whole =
      (std::filesystem::current_path(gone) / file).lexically_normal();  // an absolute file alone
  const auto relative = whole.lexically_relative(folder);
  const bool outside = relative.empty() || *relative.begin() == "..";
  return outside ? whole : relative;
}

scan_place place_of(const scan_result& r, const scan& s) {
  return r.place.file.empty() ? scan_place{.file = s.program} : r.place;
}

}  // namespace detail

scan_result scan_result_of(const finding& f) {
  scan_result r{.rule = name_of(f.kind),
                .help = help_for(f.kind),
                .text = without_last_newline(f.text()),
                .kernel = detail::short_name(f.kernel),
                .place = place_of(f.here),
                .count = f.count,
                .note = f.note};
  if (is_race(f.kind)) r.related.push_back(place_of(f.other));
  for (const finding_side& s : f.more) r.related.push_back(place_of(s));
  return r;
}

scan scan_of(std::span<const finding> findings) {
  scan s{.tool = "warpfold"};
  for (const finding& f : findings) s.results.push_back(scan_result_of(f));
  return s;
}

std::string annotations(const scan& s) {
  std::string text;
  for (const scan_result& r : s.results) {
    text += annotation(r.note ? "notice" : "error", detail::place_of(r, s), r.rule, r.text);
  }
  for (const std::string& e : s.errors) text += annotation("error", {}, "failed launch", e);
  return text;
}

}  // namespace simt
