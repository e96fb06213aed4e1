// warpfold histogram FILE: how many values are in each bin, or what their weights add up to.
#include "files/histogram.hpp"

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/files/frame.hpp"
#include "cli/files/histogram_picture.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

struct histogram_options : file_options {
  std::optional<std::size_t> bins;
  std::optional<std::pair<files::number, files::number>> range;
  std::vector<std::string> weights;
  std::optional<value_type> weights_type;
  std::string bounds, svg;
  bool plot = false;
};

template <class T>
std::optional<std::pair<files::number, files::number>> numbers_of(std::string_view low,
                                                                  std::string_view high) {
  const auto read = [](std::string_view text, T& to) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), to);
    return problem == std::errc{} && end == text.data() + text.size();
  };
  T a{}, b{};
  if (!read(low, a) || !read(high, b)) return std::nullopt;
  return std::pair<files::number, files::number>(a, b);
}

/// Two numbers of one type: integers, if both are.
std::pair<files::number, files::number> parse_range(std::string_view option,
                                                    std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto low = text.substr(0, colon), high = text.substr(std::min(colon + 1, text.size()));
  if (const auto edges = numbers_of<std::int64_t>(low, high)) return *edges;
  if (const auto edges = numbers_of<std::uint64_t>(low, high)) return *edges;
  if (const auto edges = numbers_of<double>(low, high)) return *edges;
  throw usage_error(
      fmt::format("{} {}: not two numbers; write them like 0:1 or -2.5:1e3", option, text));
}

void check_options(const histogram_options& o) {
  if (!o.bounds.empty() && (o.bins || o.range)) {
    throw usage_error("--bounds: gives all bins; leave out --bins and --range");
  }
  const bool streams = data::is_standard_output(o.output) || data::is_standard_output(o.json) ||
                       data::is_standard_output(o.svg);
  if (o.plot && streams) {
    throw usage_error("--plot: goes to standard output, and another output does; give that a file");
  }
}

void check_drawn(std::size_t bins) {
  if (bins <= most_drawn_bins) return;
  throw usage_error(fmt::format("--plot and --svg: draw {} bins at most, and there are {}",
                                most_drawn_bins, bins));
}

/// For people, unless standard output is for something else.
void print(const histogram_options& o, const files::histogram_of_file& h) {
  if (o.plot) {
    fmt::print("{}", histogram_text(h));
  } else if (o.output.empty() && !data::is_standard_output(o.json) &&
             !data::is_standard_output(o.svg)) {
    for (std::size_t k = 0; k < h.bin_count; ++k) {
      fmt::print("{} {} {}\n", files::text_of(h.edge(k)), files::text_of(h.edge(k + 1)),
                 files::text_of(h.value(k)));
    }
  }
  flush_text();
}

void write_json(const histogram_options& o, const files::histogram_of_file& h, const file_run& run,
                const data::number_input& in, data::output& to) {
  auto report = run.about(in);
  report["count"] = h.value_count;
  report["bins"] = h.bin_count;
  report["range"] = {json_of(h.edge(0)), json_of(h.edge(h.bin_count))};
  if (!o.bounds.empty()) report["bounds"] = o.bounds;
  if (!o.weights.empty()) report["weights"] = o.weights.front();
  report["output_type"] = name_of(h.type);
  if (!o.output.empty()) report["output"] = o.output;
  report = run.with_stages(std::move(report));
  if (!o.output.empty()) return json_output(to).write(report);
  json_output(to).write(report, {{"result", [&](const auto& write_value) {
                                    for (std::size_t k = 0; k < h.bin_count; ++k)
                                      write_value(json_of(h.value(k)));
                                  }}});
}

int histogram(const histogram_options& o, file_run& run) {
  check_options(o);
  run.require_host();
  data::number_input in(o.files, o.type);
  std::optional<data::number_input> weights, bounds;
  in.begin(run.limits().stop);
  outputs all(o.force, run.limits());
  all.spare(in);
  files::histogram_request request{.values = in, .range = o.range};
  if (o.bins) request.bins = *o.bins;
  if (!o.bounds.empty()) request.bounds = &bounds.emplace(o.bounds, in.type());
  if (!o.weights.empty()) request.weights = &weights.emplace(o.weights, o.weights_type);
  if (o.plot || !o.svg.empty()) {
    check_drawn(bounds ? std::max<std::size_t>(elements_of(*bounds).value_or(0), 1) - 1
                       : request.bins);
  }
  for (const auto* more : {request.bounds, request.weights}) {
    if (more != nullptr) all.spare(*more);
  }
  std::optional<array_output> out;
  if (!o.output.empty()) out.emplace(all, "--output", o.output, o.format);
  data::output* const json = o.json.empty() ? nullptr : &all.open("--json", o.json);
  data::output* const svg = o.svg.empty() ? nullptr : &all.open("--svg", o.svg);
  const auto result = files::histogram_all(request, run.limits());
  if (out) out->write_all(result.type, result.bins);
  if (svg != nullptr) {
    const std::string picture = histogram_svg(result);
    svg->write(0, std::as_bytes(std::span(picture)));
  }
  if (json != nullptr) write_json(o, result, run, in, *json);
  print(o, result);
  all.commit();
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<histogram_options>();
  to.values("file", o->files,
            "An .npy or raw file, or several in order; or a stream; - is standard input",
            {.required = true});
  to.value("--bins", o->bins, parse_size,
           "Bins of one width. Each has its lower edge and not its upper one; the last has both",
           {.shown = "10"});
  to.value("--range", o->range, parse_range,
           "Their edges, like 0:1; without it the least and the greatest value, which are looked "
           "for first");
  to.value("--bounds", o->bounds,
           "A file of rising bounds of the values' type: the bins between them instead");
  to.values(
      "--weights", o->weights,
      "A file with a weight for each value: the sum of the weights in each bin, floating-point "
      "ones exactly and rounded once; given more than once, the files stand one behind the "
      "other");
  to.value("--weights-type", o->weights_type, parse_type, "Element type of raw weights");
  to.flag("--plot", o->plot, "Draw a bar for each bin");
  to.value("--svg", o->svg, "Write a picture to this file; - for standard output");
  add_file_options(to, *o, "The file to write counts or sums to; - for standard output");
  to.then([o] { return run_on_files(*o, {}, [&](file_run& run) { return histogram(*o, run); }); });
}

}  // namespace warpfold::cli
