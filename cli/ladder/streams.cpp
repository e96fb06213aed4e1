// warpfold ladder streams: values that lie on the host, summed on the device, in ever better order.
#include <algorithm>

#include <fmt/format.h>

#include "cli/ladder/input.hpp"
#include "cli/ladder/report.hpp"
#include "cli/ladder/rungs.hpp"
#include "cli/ladder/streams_json.hpp"
#include "cli/ladder/streams_svg.hpp"
#include "cli/ladder/streams_text.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "measure/facts.hpp"
#include "measure/progress.hpp"
#include "measure/table.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

struct streams_options : ladder_options {
  streams_options() { samples = 10; }
  unsigned chunks = 8, passes = 1;
  std::string svg;
  svg_theme theme = svg_theme::automatic;
  simt::engine_speeds speeds{};
  bool speeds_given = false;
};

bool runs_on_gpu(const streams_options& o) {
  const bool gpu =
      o.backend == backend_choice::cuda ||
      (o.backend == backend_choice::automatic && !o.speeds_given && ladder::has_cuda_device());
  if (gpu && o.speeds_given) {
    throw usage_error(
        "--backend cuda: --h2d and the other speeds apply to the schedule only; use --backend "
        "simt");
  }
  return gpu;
}

std::vector<const ladder::streams_rung*> chosen_rungs(std::string_view names, bool on_gpu) {
  const auto all = ladder::streams_rungs(on_gpu);
  std::vector<const ladder::streams_rung*> chosen;
  if (names.empty()) return {all.begin(), all.end()};
  while (!names.empty()) {
    const auto comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto* r) { return is_named(r->about, name); });
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const auto* r : all) known.emplace_back(r->about.name);
      throw_no_rung(name, known, fmt::format("--list shows 1 to {}", all.back()->about.number));
    }
    chosen.push_back(*found);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  const auto by_number = [](const auto* a, const auto* b) {
    return a->about.number < b->about.number;
  };
  std::sort(chosen.begin(), chosen.end(), by_number);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

void show(const ladder::streams_result& found, std::span<const measure::measurement> rows,
          bool on_gpu) {
  print(measure::table(streams_title(rows), streams_columns(rows, measure::view::terminal),
                       measure::style_of_output()));
  print((on_gpu ? "measured, " : "given, ") + speeds_text(found.speeds));
  for (const auto& row : found.rows) print("\n" + timeline_text(row));
  print(std::string("\n") + timeline_legend);
}

int run_streams_ladder(const streams_options& o) {
  if (o.list) {
    for (const auto* r : ladder::streams_rungs(false)) print_rung(r->about, o.why);
    return 0;
  }
  const bool on_gpu = runs_on_gpu(o);
  const auto machine = on_gpu ? ladder::make_cuda_machine() : ladder::make_simt_machine();
  const auto rungs = chosen_rungs(o.rungs, on_gpu);
  ladder::streams_problem problem{.chunks = o.chunks,
                                  .passes = o.passes,
                                  .samples = o.samples,
                                  .on_gpu = on_gpu,
                                  .speeds = o.speeds};
  ladder::check_streams_problem(problem);
  const data::array input =
      read_input({.name = "streams",
                  .n = std::size_t{1} << 24,
                  .types = ladder::kernel_types,
                  .copies = 4,
                  .own_arguments = {}},
                 o, [](value_type type, std::size_t n, std::uint64_t seed) {
                   return random_values(type, ladder::operation::sum, n, seed);
                 });
  problem.values = {input.type, input.bytes.data(), input.size()};
  const auto found = ladder::run_streams_ladder(problem, rungs);

  std::vector<measure::measurement> rows;
  for (const auto& row : found.rows) rows.push_back(row.record);
  write_json(o, rows, *machine, streams_json(found, rungs));
  if (!o.svg.empty()) {
    put(o.svg, streams_svg(found.rows, streams_title(rows), o.theme));
  }
  if (o.json != "-" && o.svg != "-") show(found, rows, on_gpu);
  return std::all_of(rows.begin(), rows.end(), measure::is_right) ? 0 : 1;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<streams_options>();
  to.value("FILE", o->file, ".npy, or raw bytes with --type; random values without");
  to.value("--n", o->n, parse_size, "Number of random values: 2^24, 16777216, 16Mi");
  to.value("--type", o->type, parse_type, "i32, i64, f32 or f64 (default: i32, or the file's)");
  to.value("--chunks", o->chunks, parse_small, "Number of chunks of the values: 1 to 256");
  to.value("--passes", o->passes, parse_small, "Number of times that the kernel reads each chunk");
  to.value("--rung", o->rungs, "Run only these, by number or name: 03,04,ring");
  to.value("--backend", o->backend, parse_backend, "auto, cuda, or simt (a schedule)");
  to.value("--samples", o->samples, parse_samples, "Timed runs of each rung on a GPU");
  to.value("--seed", o->seed, parse_size, "Seed of the random values");
  to.value("--json", o->json, "Write everything to this file; - for standard output");
  to.value("--svg", o->svg, "Draw the timelines to this file; - for standard output");
  to.value("--theme", o->theme, parse_theme,
           "Colours of the picture: light, dark, or auto (the viewer's)");
  to.flag("--list", o->list, "List the rungs: number, name, idea, source");
  to.flag("--why", o->why,
          "With --list: show each rung's improvement, its counters and its corrections");
  const auto speed = [&](const char* name, auto& value, const char* what) {
    to.value(name, value,
             [o](std::string_view option, std::string_view text) {
               o->speeds_given = true;
               return parse_number<std::remove_reference_t<decltype(value)>>(option, text);
             },
             what, {.shown = fmt::format("{}", value), .group = "Schedule"});
  };
  speed("--h2d", o->speeds.copy_in_gbs, "GB/s from pinned memory to the device");
  speed("--d2h", o->speeds.copy_out_gbs, "GB/s from the device to pinned memory");
  speed("--kernel", o->speeds.kernel_gbs, "GB/s of the kernel's reads");
  speed("--pageable", o->speeds.pageable_gbs, "GB/s from or to pageable memory");
  speed("--host", o->speeds.host_gbs, "GB/s of a sum by one host thread");
  speed("--call", o->speeds.call_us, "µs of host time for each call");
  speed("--latency", o->speeds.latency_us, "µs before each operation");
  speed("--copy-engines", o->speeds.copy_engines, "2: one for each direction; 1: one for both");
  to.flag("--one-queue", o->speeds.one_queue,
          "Copies and kernels start in the order of the calls, as before Kepler",
          {.group = "Schedule"});
  to.then([o] {
    o->speeds_given = o->speeds_given || o->speeds.one_queue;
    return run_streams_ladder(*o);
  });
}

}  // namespace warpfold::cli
