#include "cli/ladder/driver.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/ladder/explain.hpp"
#include "cli/ladder/rungs.hpp"
#include "cli/ladder/rungs_json.hpp"
#include "cli/ladder/scaling.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
#include "data/read.hpp"
#include "ladder/ladder.hpp"
#include "ladder/machines/ncu.hpp"
#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "measure/progress.hpp"
#include "measure/table.hpp"
#include "simt/memory.hpp"

namespace warpfold::cli {

namespace {

/// The seeds that --schedules and --schedule ask for.
std::vector<std::uint64_t> wanted_orders(const ladder_options& o) {
  if (o.schedule && o.schedules) {
    throw usage_error("--schedule runs one of the orders of --schedules; give one or the other");
  }
  if (o.schedule) return {*o.schedule};
  if (!o.schedules) return {};
  std::vector<std::uint64_t> seeds(*o.schedules);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{0});
  return seeds;
}

std::unique_ptr<ladder::machine> open_machine(const ladder_options& o) {
  const auto orders = wanted_orders(o);
  const char* const asks = !orders.empty() ? "--schedules"
                           : o.check       ? "--check"
                           : o.lines       ? "--lines"
                                           : nullptr;
  if (asks != nullptr && o.backend == backend_choice::cuda) {
    throw usage_error(std::string(asks) + ": the CPU machine does that; leave out --backend cuda");
  }
  if (asks != nullptr) {
    return ladder::make_simt_machine({.check = o.check || !orders.empty(),
                                      .lines = o.lines,
                                      .orders = orders,
                                      .device = o.device});
  }
  const bool on_cuda = o.backend == backend_choice::cuda ||
                       (o.backend == backend_choice::automatic && ladder::has_cuda_device());
  return on_cuda ? ladder::make_cuda_machine() : ladder::make_simt_machine({.device = o.device});
}

/// Input, its copies and the results: refused before the machine starts to swap.
void check_memory(std::size_t n, value_type type, unsigned copies) {
  std::size_t bytes = 0;
  const bool overflow = __builtin_mul_overflow(n, copies * size_of(type), &bytes);
  if (overflow || bytes > simt::free_memory()) {
    throw device_error(fmt::format(
        "--n {} of {} needs about {} MiB of memory with its copies, and {} MiB are free; take a "
        "smaller --n",
        n, name_of(type), overflow ? "more than 2^44" : fmt::format("{}", bytes >> 20),
        simt::free_memory() >> 20));
  }
}

int list_rungs(std::span<const ladder::rung* const> rungs,
               std::span<const ladder::description> on_host, bool why) {
  std::vector<ladder::description> all(on_host.begin(), on_host.end());
  for (const auto* r : rungs) all.push_back(r->about);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.number < b.number; });
  for (const auto& about : all) print_rung(about, why);
  return 0;
}

/// A rung's source is built in; other files are read where they were compiled.
ladder::source_reader reader_of(const ladder::ladder_entry& ladder) {
  return [&ladder](const std::string& file) {
    const std::string name = file.substr(file.rfind('/') + 1);
    for (const auto& s : ladder.sources()) {
      if (name == std::string(s.stem) + ".cuh") return std::string(s.text);
    }
    std::ifstream in(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  };
}

/// Beside the table, or out of the JSON's way.
FILE* remarks_of(const ladder_options& o) { return o.json == "-" ? stderr : stdout; }

/// Whether there were none.
bool print_findings(const ladder_options& o, ladder::machine& where) {
  const auto* const profiler = where.profiler();
  if (profiler == nullptr) return true;
  const auto findings = profiler->findings();
  for (const auto& text : findings) std::fputs(text.c_str(), remarks_of(o));
  return findings.empty();
}

void print_sources(const ladder_options& o, const ladder::ladder_entry& here,
                   ladder::machine& where) {
  const auto* const profiler = where.profiler();
  if (profiler == nullptr || o.json == "-") return;  // the JSON has them
  for (const auto& view : profiler->source_views(reader_of(here))) print("\n" + view);
}

/// "checked 23 rungs: no finding".
void print_what_was_checked(const ladder_options& o, std::span<const measure::measurement> rows,
                            ladder::machine& where) {
  if (!o.check && !o.schedules && !o.schedule) return;
  const auto checked = std::count_if(rows.begin(), rows.end(), [](const auto& m) {
    return m.backend == ladder::backend_kind::simt && m.skipped.empty();
  });
  const std::size_t orders = where.profiler()->orders().size();
  std::string text =
      fmt::format("\nchecked {} rung{}: no finding\n", checked, checked == 1 ? "" : "s");
  if (orders > 0) {
    text += fmt::format("{} more order{} of blocks, warps and lanes: the same results\n", orders,
                        orders == 1 ? "" : "s");
  }
  std::fputs(text.c_str(), remarks_of(o));
}

/// What the JSON has besides measurements.
measure::json about_run(const ladder_options& o, const ladder::ladder_entry& here,
                        std::span<const ladder::rung* const> rungs, ladder::machine& where) {
  measure::json more;
  more["rungs"] = rungs_json(rungs, here.sources());
  const auto* const profiler = where.profiler();
  if (profiler != nullptr && (o.lines || o.check)) {
    more["report"] = measure::json::parse(profiler->report_json(reader_of(here)));
  }
  return more;
}

/// The same problem on the same rungs, each run once without timing.
std::vector<std::string> arguments_for_ncu(const ladder_command& what, const ladder_options& o) {
  std::vector<std::string> words{"--block",   std::to_string(o.block),
                                 "--seed",    std::to_string(o.seed),
                                 "--backend", "cuda",
                                 "--samples", "0"};
  words.insert(words.end(), what.own_arguments.begin(), what.own_arguments.end());
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  if (o.type) add("--type", std::string(name_of(*o.type)));
  add("--rung", o.rungs);
  if (o.file.empty()) {
    add("--n", std::to_string(o.n.value_or(what.n)));
  } else {
    words.push_back(o.file);
  }
  return words;
}

/// It has values of its own, and counts on the CPU machine.
void check_scaling(const ladder_options& o) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw usage_error(fmt::format("--scaling: leave out {}", option));
  };
  refuse(!o.file.empty(), "the file; it counts with values of its own");
  refuse(o.backend == backend_choice::cuda, "--backend cuda; the CPU machine counts");
  refuse(o.type.has_value(), "--type; it sums i32, and sorts u32");
  refuse(o.counters, "--counters");
  refuse(o.check, "--check");
  refuse(o.lines, "--lines");
  refuse(o.schedules || o.schedule, "--schedules");
}

/// Whether the instances that the table shows by default do: the others take long to compile, and
/// are in a program of their own where a first build shall be short.
bool is_default_problem(const ladder_command& what, const ladder_options& o) {
  return what.as_by_default && o.file.empty() && o.type.value_or(what.types[0]) == what.types[0] &&
         !o.scaling;
}

}  // namespace

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_rung(const ladder::description& about, bool why) {
  print(list_line(about));
  if (why) print(why_text(about));
}

void write_json(const ladder_options& o, std::span<const measure::measurement> rows,
                const ladder::machine& where, const measure::json& more) {
  if (o.json.empty()) return;
  put(o.json, measure::json_document(rows, provenance(where), more));
}

data::array read_input(const ladder_command& what, const ladder_options& o,
                       const random_source& random) {
  data::array values = [&] {
    if (!o.file.empty()) {
      if (o.n) throw usage_error("--n: a file has its own length; give one or the other");
      return data::read_file(o.file, o.type);
    }
    const std::size_t n = o.n.value_or(what.n);
    const value_type wanted = o.type.value_or(what.types.front());
    check_memory(n, wanted, what.copies);
    return random(wanted, n, o.seed);
  }();
  if (std::find(what.types.begin(), what.types.end(), values.type) == what.types.end()) {
    std::vector<std::string_view> names;
    for (const value_type t : what.types) names.push_back(name_of(t));
    const std::string_view last = names.back();
    names.pop_back();
    throw usage_error(fmt::format(
        "the ladder's kernels are built for {} and {}, not for {}{}", fmt::join(names, ", "), last,
        name_of(values.type),
        o.file.empty() ? "" : "; convert the values, for instance with numpy's astype('<i4')"));
  }
  check_memory(values.size(), values.type, what.copies);
  return values;
}

backend_choice parse_backend(std::string_view option, std::string_view text) {
  if (text == "auto") return backend_choice::automatic;
  if (text == "simt") return backend_choice::simt;
  if (text == "cuda") return backend_choice::cuda;
  throw usage_error(fmt::format("{} {}: there are auto, simt and cuda", option, text));
}

unsigned parse_samples(std::string_view option, std::string_view text) {
  const std::size_t samples = parse_size(option, text);
  if (samples > 10000) throw usage_error(fmt::format("{}: at most 10000", option));
  return static_cast<unsigned>(samples);
}

void add_ladder_options(options& to, ladder_options& o, std::string_view types) {
  to.value("FILE", o.file, ".npy, or raw bytes with --type; random values without");
  to.value("--n", o.n, parse_size, "Number of random values: 2^22, 4194304, 4Mi");
  to.value("--type", o.type, parse_type, std::string(types));
  to.value("--block", o.block, parse_small, "Threads per block: 32, 64, … 1024");
  to.value("--rung", o.rungs, "Run only these, by number or name: 01,07,cascade");
  to.value("--backend", o.backend, parse_backend, "auto, cuda, or simt (the CPU machine)");
  to.value(
      "--device", o.device,
      "On the CPU machine: the device whose times are predicted; `warpfold devices` lists them");
  to.value("--samples", o.samples, parse_samples, "Timed runs of each rung on a GPU");
  to.value("--seed", o.seed, parse_size, "Seed of the random values");
  to.value("--json", o.json, "Write everything to this file; - for standard output");
  to.flag("--counters", o.counters, "Show all counters; on a GPU those of ncu");
  to.flag("--check", o.check, "On the CPU machine: report races and wrong accesses");
  to.flag("--scaling", o.scaling,
          "Count uses of the operator and depth for n from 2^10 up to --n (2^20)");
  to.flag("--lines", o.lines, "On the CPU machine: show the kernels' sources, counted by line");
  to.value(
      "--schedules", o.schedules,
      [](std::string_view option, std::string_view text) {
        const std::size_t orders = parse_size(option, text);
        if (orders < 1 || orders > 10000) throw usage_error("--schedules: 1 to 10000");
        return orders;
      },
      "Check each rung in this number of orders of blocks, warps and lanes");
  to.value("--schedule", o.schedule, parse_size,
           "Check each rung in one order, by its seed, to reproduce a finding");
  to.flag("--list", o.list, "List the rungs: number, name, idea, source");
  to.flag("--why", o.why,
          "With --list: show each rung's improvement, its counters and its corrections");
}

int run_ladder(const ladder::ladder_entry& here, const ladder_command& what,
               const ladder_options& o, const random_source& random, const run_function& run) {
  if (here.instances_here() == ladder::instances::one && !is_default_problem(what, o)) {
    throw other_program{program_of("ladder " + std::string(name_of(here.kind)) + " all")};
  }
  const auto on_simt = here.rungs(ladder::backend_kind::simt);
  if (o.why && !o.list) throw usage_error("--why: it goes with --list");
  if (o.list) return list_rungs(on_simt, here.host(), o.why);
  if (o.scaling) {
    check_scaling(o);
    return run_scaling(here, choose_rungs(o.rungs, on_simt, here.host()),
                       o.n.value_or(std::size_t{1} << 20), o.block, o.json);
  }
  const auto machine = open_machine(o);
  const auto rungs = choose_rungs(o.rungs, here.rungs(machine->backend()), here.host());
  const data::array input = read_input(what, o, random);

  measure::progress progress(true);
  std::vector<measure::measurement> rows;
  try {
    rows = run(*machine, rungs, input, o.block, o.samples,
               [&](std::string_view which, std::size_t index, std::size_t total) {
                 progress.update(which, index, total);
               });
  } catch (...) {
    progress.erase();
    print_findings(o, *machine);
    throw;
  }
  progress.erase();
  if (o.counters && machine->backend() == ladder::backend_kind::cuda) {
    ladder::add_ncu_counters(rows, arguments_for_ncu(what, o));
  }
  write_json(o, rows, *machine, about_run(o, here, rungs, *machine));
  if (o.json != "-") {
    print(measure::table(rows, measure::style_of_output()));
    const std::string more =
        o.counters ? measure::further_table(rows, measure::style_of_output()) : "";
    if (!more.empty()) print("\n" + more);
  }
  const bool right = std::all_of(rows.begin(), rows.end(), [](const measure::measurement& m) {
    return !m.skipped.empty() || measure::is_right(m);
  });
  print_sources(o, here, *machine);
  const bool clean = right && print_findings(o, *machine);
  if (clean) print_what_was_checked(o, rows, *machine);
  return clean ? 0 : 1;
}

}  // namespace warpfold::cli
