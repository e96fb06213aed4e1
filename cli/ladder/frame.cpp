#include "cli/ladder/frame.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/parse.hpp"
#include "cli/provenance.hpp"
#include "cli/ladder/scaling.hpp"
#include "data/file.hpp"
#include "data/read.hpp"
#include "ladder/ladders.hpp"
#include "ladder/ncu.hpp"
#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "measure/progress.hpp"
#include "measure/table.hpp"
#include "simt/memory.hpp"

namespace warpfold::cli {

namespace {

/// The seeds that --schedules and --schedule ask for.
std::vector<std::uint64_t> wanted_orders(const ladder_options& o) {
  if (!o.schedule.empty() && !o.schedules.empty()) {
    throw usage_error("--schedule runs one of the orders of --schedules; give one or the other");
  }
  if (!o.schedule.empty()) return {parse_size("--schedule", o.schedule)};
  if (o.schedules.empty()) return {};
  std::vector<std::uint64_t> seeds(parse_size("--schedules", o.schedules));
  if (seeds.empty() || seeds.size() > 10000) throw usage_error("--schedules: 1 to 10000");
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{0});
  return seeds;
}

std::unique_ptr<ladder::machine> open_machine(const ladder_options& o) {
  const auto orders = wanted_orders(o);
  const char* const asks = !orders.empty() ? "--schedules"
                           : o.check       ? "--check"
                           : o.lines       ? "--lines"
                                           : nullptr;
  if (asks != nullptr && o.backend == "cuda") {
    throw usage_error(std::string(asks) + ": the CPU machine does that; leave out --backend cuda");
  }
  if (asks != nullptr) {
    return ladder::make_simt_machine(
        {.check = o.check || !orders.empty(), .lines = o.lines, .orders = orders});
  }
  if (o.backend == "simt") return ladder::make_simt_machine();
  if (o.backend == "cuda") return ladder::make_cuda_machine();
  if (o.backend == "auto") {
    return ladder::has_cuda_device() ? ladder::make_cuda_machine() : ladder::make_simt_machine();
  }
  throw usage_error("--backend " + o.backend + ": there are auto, simt and cuda");
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
               std::span<const ladder::description> on_host) {
  std::vector<ladder::description> all(on_host.begin(), on_host.end());
  for (const auto* r : rungs) all.push_back(r->about);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.number < b.number; });
  for (const auto& about : all) print_rung(about);
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

/// The same problem on the same rungs, each run once without timing.
std::vector<std::string> arguments_for_ncu(const ladder_command& what, const ladder_options& o) {
  std::vector<std::string> words{"ladder", what.name,   "--block", o.block,     "--seed",
                                 o.seed,   "--backend", "cuda",    "--samples", "0"};
  words.insert(words.end(), what.own_arguments.begin(), what.own_arguments.end());
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--type", o.type);
  add("--rung", o.rungs);
  if (o.file.empty()) {
    add("--n", o.n);
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
  refuse(o.backend == "cuda", "--backend cuda; the CPU machine counts");
  refuse(!o.type.empty(), "--type; it sums i32, and sorts u32");
  refuse(o.counters, "--counters");
  refuse(o.check, "--check");
  refuse(o.lines, "--lines");
  refuse(!o.schedules.empty() || !o.schedule.empty(), "--schedules");
  refuse(!o.json.empty(), "--json");
}

}  // namespace

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_rung(const ladder::description& about) {
  print(fmt::format("{:02}  {:<24}  {:<38.38}  {}\n", about.number, about.name, about.source,
                    about.idea));
}

void write_json(const ladder_options& o, std::span<const measure::measurement> rows,
                const ladder::machine& where) {
  if (o.json.empty()) return;
  const std::string document = measure::json_document(rows, provenance(where));
  if (o.json == "-") {
    print(document);
  } else {
    data::replace_file(o.json, {std::as_bytes(std::span(document))});
  }
}

data::array read_input(const ladder_command& what, const ladder_options& o,
                       const random_source& random) {
  std::optional<value_type> type;
  if (!o.type.empty()) type = parse_type(o.type);
  data::array values = [&] {
    if (!o.file.empty()) {
      if (o.n_given) throw usage_error("--n: a file has its own length; give one or the other");
      return data::read_file(o.file, type);
    }
    const std::size_t n = parse_size("--n", o.n);
    const value_type wanted = type.value_or(what.types.front());
    check_memory(n, wanted, what.copies);
    return random(wanted, n, parse_size("--seed", o.seed));
  }();
  if (std::find(what.types.begin(), what.types.end(), values.type) == what.types.end()) {
    std::vector<std::string_view> names;
    for (const value_type t : what.types) names.push_back(name_of(t));
    const std::string_view last = names.back();
    names.pop_back();
    throw usage_error(fmt::format(
        "the ladder's kernels are built for {} and {}, not for {}; convert the values, for "
        "instance with numpy's astype('<i4')",
        fmt::join(names, ", "), last, name_of(values.type)));
  }
  check_memory(values.size(), values.type, what.copies);
  return values;
}

void add_frame_options(CLI::App& to, ladder_options& o, std::string_view types) {
  to.add_option("FILE", o.file, ".npy, or raw bytes with --type; random values without");
  to.add_option("--n", o.n, "How many random values: 2^22, 4194304, 4Mi")
      ->each([&o](const std::string&) { o.n_given = true; });
  to.add_option("--type", o.type, std::string(types));
  to.add_option("--block", o.block, "Threads per block: 32, 64, … 1024");
  to.add_option("--rung", o.rungs, "Only these, by number or name: 01,07,cascade");
  to.add_option("--backend", o.backend, "auto, cuda, or simt (the CPU machine)");
  to.add_option("--samples", o.samples, "Timed runs of each rung on a GPU");
  to.add_option("--seed", o.seed, "Of the random values");
  to.add_option("--json", o.json, "Write everything to this file; - for standard output");
  to.add_flag("--counters", o.counters, "On a GPU: run ncu and show its counters beside");
  to.add_flag("--check", o.check, "On the CPU machine: report races and wrong accesses");
  to.add_flag("--scaling", o.scaling,
              "Count uses of the operator and depth for n from 2^10 up to --n (2^20)");
  to.add_flag("--lines", o.lines, "On the CPU machine: show the kernels' sources, counted by line");
  to.add_option("--schedules", o.schedules,
                "Check, and run each rung in so many orders of blocks, warps and lanes");
  to.add_option("--schedule", o.schedule, "The same in one order, by its seed: see it once more");
  to.add_flag("--list", o.list, "List the rungs: number, name, source, idea");
}

int run_ladder(const ladder_command& what, const ladder_options& o, const random_source& random,
               const climb_function& climb) {
  const auto& here = ladder::find_ladder(what.name);
  const auto on_simt = (*ladder::make_simt_machine().*here.rungs)();
  if (o.list) return list_rungs(on_simt, here.host());
  const std::size_t block = parse_size("--block", o.block);
  if (o.scaling) {
    check_scaling(o);
    return run_scaling(what.name, choose_rungs(o.rungs, on_simt, here.host()),
                       o.n_given ? parse_size("--n", o.n) : std::size_t{1} << 20,
                       static_cast<unsigned>(std::min<std::size_t>(block, 1U << 20)));
  }
  const std::size_t samples = parse_size("--samples", o.samples);
  if (samples > 10000) throw usage_error("--samples: at most 10000");
  const auto machine = open_machine(o);
  const auto rungs = choose_rungs(o.rungs, (*machine.*here.rungs)(), here.host());
  const data::array input = read_input(what, o, random);

  measure::progress progress(true);
  const auto print_findings = [&] {
    progress.erase();
    for (const auto& text : machine->findings()) {
      std::fputs(text.c_str(), o.json == "-" ? stderr : stdout);
    }
  };
  std::vector<measure::measurement> rows;
  try {
    rows =
        climb(*machine, rungs, input, static_cast<unsigned>(std::min<std::size_t>(block, 1U << 20)),
              static_cast<unsigned>(samples),
              [&](std::string_view which, std::size_t index, std::size_t total) {
                progress.update(which, index, total);
              });
  } catch (...) {
    print_findings();
    throw;
  }
  progress.erase();
  if (o.counters && machine->backend() == "cuda") {
    ladder::add_ncu_counters(rows, arguments_for_ncu(what, o));
  }

  write_json(o, rows, *machine);
  if (o.json != "-") print(measure::table(rows, {.color = isatty(STDOUT_FILENO) == 1}));
  const bool right = std::all_of(rows.begin(), rows.end(), [](const measure::measurement& m) {
    return !m.skipped.empty() || measure::is_right(m);
  });
  for (const auto& view : machine->source_views(reader_of(ladder::find_ladder(what.name)))) {
    std::fputs(("\n" + view).c_str(), o.json == "-" ? stderr : stdout);
  }
  print_findings();
  return right && machine->findings().empty() ? 0 : 1;
}

}  // namespace warpfold::cli
