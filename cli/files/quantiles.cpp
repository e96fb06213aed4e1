#include "cli/files/quantiles.hpp"

#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "cli/parse.hpp"
#include "files/quantiles.hpp"

namespace warpfold::cli {
namespace {

/// For people, unless standard output is for something else.
void print(const quantile_options& o, std::span<const double> found) {
  if (!o.output.empty() || data::is_standard_output(o.json)) return;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found.size() > 1) fmt::print("{} ", o.shares[i]);
    fmt::print("{}\n", files::text_of(found[i]));
  }
  flush_text();
}

int quantiles(const quantile_options& o, file_run& run) {
  run.require_host();
  std::vector<double> shares;
  for (const auto& text : o.shares) shares.push_back(parse_number<double>("-q", text));
  data::number_input in(o.files, o.type);
  outputs all(o.force, run.limits());
  all.spare(in);
  std::optional<array_output> out;
  if (!o.output.empty()) out.emplace(all, "--output", o.output, o.format);
  data::output* const json = o.json.empty() ? nullptr : &all.open("--json", o.json);
  const auto found = files::quantiles_all(in, shares, o.method, run.limits());
  if (out) out->write_all(value_type::f64, std::as_bytes(std::span(found)));
  if (json != nullptr) {
    auto report = run.about(in);
    for (std::size_t i = 0; i < found.size(); ++i) {
      report["result"][o.shares[i]] = json_of(found[i]);
    }
    if (out) report["output"] = o.output;
    json_output(*json).write(run.with_stages(std::move(report)));
  }
  print(o, found);
  all.commit();
  return 0;
}

}  // namespace

void add_quantiles(options& to, const std::shared_ptr<quantile_options>& o) {
  to.values("file", o->files, "An .npy or raw file, or several in order", {.required = true});
  add_file_options(to, *o, "The file to write, of f64; - for standard output");
  to.then([o] { return run_on_files(*o, {}, [&](file_run& run) { return quantiles(*o, run); }); });
}

}  // namespace warpfold::cli
