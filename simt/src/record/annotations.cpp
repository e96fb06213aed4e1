// A run's results as commands of GitHub's runners.
#include <string>
#include <string_view>

#include "simt/sarif.hpp"
#include "simt/src/record/sarif_results.hpp"

namespace simt {

namespace {

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

std::string annotation(const char* level, const sarif_location& at, const std::string& title,
                       const std::string& message) {
  std::string line = "::" + std::string(level) + " ";
  if (!at.file.empty()) {
    const std::string path = detail::path_in(detail::checkout(), at.file).string();
    line += "file=" + for_a_runner(path, true) + ",";
  }
  if (at.line != 0) line += "line=" + std::to_string(at.line) + ",";
  if (at.column != 0) line += "col=" + std::to_string(at.column) + ",";
  return line + "title=" + for_a_runner(title, true) + "::" + for_a_runner(message, false) + "\n";
}

}  // namespace

std::string annotations(const sarif_run& run) {
  std::string text;
  for (const sarif_result& r : run.results) {
    text += annotation(r.note ? "notice" : "error", detail::location_of(r, run), r.rule,
                       detail::message_of(r));
  }
  for (const std::string& e : run.errors) text += annotation("error", {}, "failed launch", e);
  return text;
}

}  // namespace simt
