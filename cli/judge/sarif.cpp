// Verdicts for services that show findings beside the source.
#include "simt/sarif.hpp"

#include "cli/judge/output.hpp"

namespace warpfold::cli::judge {

namespace {

simt::sarif_result result_of(const judged_finding& f, const verdict& v) {
  return {
      .rule = f.kind,
      .help = f.mend,
      .text = f.text,
      .kernel = f.kernel,
      .location = {.file = f.file.empty() ? v.file : f.file, .line = f.line, .column = f.column},
      .related = f.related,
      .count = f.count};
}

simt::sarif_run sarif_run_of(std::span<const verdict> all) {
  simt::sarif_run s{.tool = "warpfold judge"};
  for (const verdict& v : all) {
    for (const judged_finding& f : v.findings) s.results.push_back(result_of(f, v));
    if (v.is == outcome::right || v.is == outcome::unclean) continue;
    s.results.push_back(
        {.rule = std::string(name_of(v.is)), .text = v.sentence, .location = {.file = v.file}});
  }
  return s;
}

}  // namespace

std::string sarif_of(std::span<const verdict> all) { return simt::sarif(sarif_run_of(all)); }
std::string annotations_of(std::span<const verdict> all) {
  return simt::annotations(sarif_run_of(all));
}

}  // namespace warpfold::cli::judge
