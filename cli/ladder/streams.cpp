// warpfold ladder streams: values that lie on the host, summed on the device, in ever better order.
#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/ladder/input.hpp"
#include "cli/ladder/frame.hpp"
#include "cli/parse.hpp"
#include "cli/ladder/streams_svg.hpp"
#include "cli/ladder/streams_text.hpp"
#include "data/file.hpp"
#include "measure/facts.hpp"
#include "measure/table.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

struct options : ladder_options {
  options() {
    n = "2^24";
    samples = "10";
  }
  std::string chunks = "8", passes = "1", svg;
  simt::engine_speeds speeds{};
  bool speeds_given = false;
};

bool runs_on_gpu(const options& o) {
  if (o.backend != "auto" && o.backend != "simt" && o.backend != "cuda") {
    throw usage_error("--backend " + o.backend + ": there are auto, simt and cuda");
  }
  const bool gpu =
      o.backend == "cuda" || (o.backend == "auto" && !o.speeds_given && ladder::has_cuda_device());
  if (gpu && o.speeds_given) {
    throw usage_error(
        "--backend cuda: a GPU has its own speeds; --h2d and its like are for the schedule, "
        "--backend simt");
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
      throw usage_error(fmt::format("--rung {}: there is no such rung; --list shows 1 to {}", name,
                                    all.back()->about.number));
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

unsigned small_number(std::string_view option, const std::string& text) {
  return static_cast<unsigned>(std::min<std::size_t>(parse_size(option, text), 1U << 20));
}

void show(const ladder::streams_result& found, std::span<const measure::measurement> rows,
          bool on_gpu) {
  print(measure::table(streams_title(rows), streams_columns(rows, measure::view::terminal),
                       {.color = isatty(STDOUT_FILENO) == 1}));
  print((on_gpu ? "measured, " : "given, ") + speeds_text(found.speeds));
  for (const auto& row : found.rows) print("\n" + timeline_text(row));
  print(std::string("\n") + timeline_legend);
}

int climb_streams(const options& o) {
  if (o.list) {
    for (const auto* r : ladder::streams_rungs(false)) print_rung(r->about);
    return 0;
  }
  const bool on_gpu = runs_on_gpu(o);
  const auto machine = on_gpu ? ladder::make_cuda_machine() : ladder::make_simt_machine();
  const auto rungs = chosen_rungs(o.rungs, on_gpu);
  const std::size_t samples = parse_size("--samples", o.samples);
  if (samples > 10000) throw usage_error("--samples: at most 10000");
  ladder::streams_problem problem{.chunks = small_number("--chunks", o.chunks),
                                  .passes = small_number("--passes", o.passes),
                                  .samples = static_cast<unsigned>(samples),
                                  .on_gpu = on_gpu,
                                  .speeds = o.speeds};
  ladder::check_streams_problem(problem);
  const data::array input =
      read_input({.name = "streams", .types = ladder::kernel_types, .copies = 4}, o,
                 [](value_type type, std::size_t n, std::uint64_t seed) {
                   return random_values(type, ladder::operation::sum, n, seed);
                 });
  problem.values = {input.type, input.bytes.data(), input.size()};
  const auto found = ladder::climb_streams(problem, rungs);

  std::vector<measure::measurement> rows;
  for (const auto& row : found.rows) rows.push_back(row.record);
  write_json(o, rows, *machine);
  if (!o.svg.empty()) {
    const std::string svg = streams_svg(found.rows, streams_title(rows));
    data::replace_file(o.svg, {std::as_bytes(std::span(svg))});
  }
  if (o.json != "-") show(found, rows, on_gpu);
  return std::all_of(rows.begin(), rows.end(), measure::is_right) ? 0 : 1;
}

}  // namespace

void add_ladder_streams(CLI::App& ladder, action& chosen) {
  auto* const streams =
      ladder.add_subcommand("streams", "Values on the host: copies and kernels side by side");
  const auto o = std::make_shared<options>();
  streams->add_option("FILE", o->file, ".npy, or raw bytes with --type; random values without");
  streams->add_option("--n", o->n, "How many random values: 2^24, 16777216, 16Mi")
      ->each([o](const std::string&) { o->n_given = true; });
  streams->add_option("--type", o->type, "i32, i64, f32 or f64 (default: i32, or the file's)");
  streams->add_option("--chunks", o->chunks, "In how many parts the values travel: 1 to 256");
  streams->add_option("--passes", o->passes, "How often the kernel goes over each chunk");
  streams->add_option("--rung", o->rungs, "Only these, by number or name: 03,04,ring");
  streams->add_option("--backend", o->backend, "auto, cuda, or simt (a schedule)");
  streams->add_option("--samples", o->samples, "Timed runs of each rung on a GPU");
  streams->add_option("--seed", o->seed, "Of the random values");
  streams->add_option("--json", o->json, "Write everything to this file; - for standard output");
  streams->add_option("--svg", o->svg, "Draw the timelines to this file too");
  streams->add_flag("--list", o->list, "List the rungs: number, name, source, idea");
  const auto speed = [&](const char* name, auto& value, const char* what) {
    streams->add_option(name, value, what)
        ->capture_default_str()
        ->group("Schedule")
        ->each([o](const std::string&) { o->speeds_given = true; });
  };
  speed("--h2d", o->speeds.copy_in_gbs, "GB/s from pinned memory to the device");
  speed("--d2h", o->speeds.copy_out_gbs, "GB/s from the device to pinned memory");
  speed("--kernel", o->speeds.kernel_gbs, "GB/s that the kernel reads");
  speed("--pageable", o->speeds.pageable_gbs, "GB/s from or to ordinary memory");
  speed("--host", o->speeds.host_gbs, "GB/s that one thread of the host adds up");
  speed("--call", o->speeds.call_us, "µs of the host for each call");
  speed("--latency", o->speeds.latency_us, "µs before each operation");
  speed("--copy-engines", o->speeds.copy_engines, "2: one each way; 1: one for both");
  streams
      ->add_flag("--one-queue", o->speeds.one_queue,
                 "Engines keep to the order of the calls, as before Kepler")
      ->group("Schedule")
      ->each([o](const std::string&) { o->speeds_given = true; });
  streams->callback([=, &chosen] { chosen = [o] { return climb_streams(*o); }; });
}

}  // namespace warpfold::cli
