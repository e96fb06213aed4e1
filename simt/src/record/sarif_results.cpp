#include "simt/src/record/sarif_results.hpp"

#include <cstdlib>
#include <system_error>

#include "simt/src/memory/short_name.hpp"

namespace simt {

namespace {

sarif_location location_of(const finding_side& s) {
  if (s.line == 0) return {.text = s.text()};
  return {.file = s.file, .line = s.line, .column = s.column, .text = s.text()};
}

bool is_race(finding_kind kind) { return kind <= finding_kind::race_in_warp; }

/// How to fix any finding of this kind.
std::string help_for(finding_kind kind) {
  return finding{.kind = kind, .bytes = 1, .size = 1}.mend();
}

sarif_result result_of(const finding& f) {
  sarif_result r{.rule = name_of(f.kind),
                 .help = help_for(f.kind),
                 .text = f.text(),
                 .kernel = detail::short_name(f.kernel),
                 .location = location_of(f.here),
                 .count = f.count,
                 .note = f.note};
  if (is_race(f.kind)) r.related.push_back(location_of(f.other));
  for (const finding_side& s : f.more) r.related.push_back(location_of(s));
  return r;
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

sarif_location location_of(const sarif_result& r, const sarif_run& run) {
  return r.location.file.empty() ? sarif_location{.file = run.program} : r.location;
}

std::string message_of(const sarif_result& r) {
  return r.text.ends_with('\n') ? r.text.substr(0, r.text.size() - 1) : r.text;
}

}  // namespace detail

sarif_run sarif_run_of(std::span<const finding> findings) {
  sarif_run run{.tool = "warpfold"};
  for (const finding& f : findings) run.results.push_back(result_of(f));
  return run;
}

}  // namespace simt
