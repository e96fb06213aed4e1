// warpfold ladder reduce: every rung side by side; --list; warpfold ladder diff.
#include <algorithm>
#include <fstream>
#include <optional>

#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/diff.hpp"
#include "cli/input.hpp"
#include "cli/parse.hpp"
#include "cli/provenance.hpp"
#include "data/file.hpp"
#include "data/read.hpp"
#include "ladder/climb.hpp"
#include "ladder/ncu.hpp"
#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "measure/progress.hpp"
#include "measure/table.hpp"
#include "simt/memory.hpp"

namespace warpfold::cli {

namespace {

struct options {
  std::string file, n = "2^22", type, op = "sum", rungs, backend = "auto", finish = "relaunch";
  std::string json, block = "256", samples = "30", seed = "1";
  bool list = false, counters = false, check = false, n_given = false;
};

std::unique_ptr<ladder::machine> open_machine(const std::string& backend, bool check) {
  if (check) {
    if (backend == "cuda") {
      throw usage_error("--check: the CPU machine checks; leave out --backend cuda");
    }
    return ladder::make_simt_machine(true);
  }
  if (backend == "simt") return ladder::make_simt_machine();
  if (backend == "cuda") return ladder::make_cuda_machine();
  if (backend == "auto") {
    return ladder::has_cuda_device() ? ladder::make_cuda_machine() : ladder::make_simt_machine();
  }
  throw usage_error("--backend " + backend + ": there are auto, simt and cuda");
}

ladder::finish parse_finish(const std::string& text) {
  if (text == "relaunch") return ladder::finish::relaunch;
  if (text == "host") return ladder::finish::host;
  throw usage_error("--finish " + text + ": there are relaunch and host");
}

/// Input, its copy on the device and some room: refused before the machine starts to swap.
void check_memory(std::size_t n, value_type type) {
  std::size_t bytes = 0;
  const bool overflow = __builtin_mul_overflow(n, 3 * size_of(type), &bytes);
  if (overflow || bytes > simt::free_memory()) {
    throw device_error(fmt::format(
        "--n {} of {} needs about {} MiB of memory with its copies, and {} MiB are free; take a "
        "smaller --n",
        n, name_of(type), overflow ? "more than 2^44" : fmt::format("{}", bytes >> 20),
        simt::free_memory() >> 20));
  }
}

data::array read_input(const options& o, ladder::operation op) {
  std::optional<value_type> type;
  if (!o.type.empty()) type = parse_type(o.type);
  data::array values = [&] {
    if (!o.file.empty()) {
      if (o.n_given) throw usage_error("--n: a file has its own length; give one or the other");
      return data::read_file(o.file, type);
    }
    const std::size_t n = parse_size("--n", o.n);
    check_memory(n, type.value_or(value_type::i32));
    const std::size_t seed = parse_size("--seed", o.seed);
    return random_values(type.value_or(value_type::i32), op, n, seed);
  }();
  const auto* const known =
      std::find(std::begin(ladder::kernel_types), std::end(ladder::kernel_types), values.type);
  if (known == std::end(ladder::kernel_types)) {
    throw usage_error(fmt::format(
        "the ladder's kernels are built for i32, i64, f32 and f64, not for {}; convert the values, "
        "for instance with numpy's astype('<i4')",
        name_of(values.type)));
  }
  check_memory(values.size(), values.type);
  return values;
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int list_rungs(std::span<const ladder::rung* const> rungs) {
  for (const auto* r : rungs) {
    print(fmt::format("{:02}  {:<24}  {:<38.38}  {}\n", r->about.number, r->about.name,
                      r->about.source, r->about.idea));
  }
  return 0;
}

/// The same problem on the same rungs, each run once without timing.
std::vector<std::string> arguments_for_ncu(const options& o) {
  std::vector<std::string> words{"ladder",    "reduce", "--op",      o.op,       "--block",
                                 o.block,     "--seed", o.seed,      "--finish", o.finish,
                                 "--backend", "cuda",   "--samples", "0"};
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

int climb_reduce(const options& o) {
  if (o.list) return list_rungs(ladder::make_simt_machine()->reduce_rungs());
  const ladder::operation op = parse_operation(o.op);
  const ladder::finish finish = parse_finish(o.finish);
  const std::size_t block = parse_size("--block", o.block);
  const std::size_t samples = parse_size("--samples", o.samples);
  if (samples > 10000) throw usage_error("--samples: at most 10000");
  const auto machine = open_machine(o.backend, o.check);
  const auto rungs = choose_rungs(o.rungs, machine->reduce_rungs());
  const data::array input = read_input(o, op);
  const ladder::problem problem{
      .values = {input.type, input.bytes.data(), input.size()},
      .op = op,
      .block = static_cast<unsigned>(std::min<std::size_t>(block, 1U << 20)),
      .finish = finish,
      .samples = static_cast<unsigned>(samples)};

  measure::progress progress(true);
  const auto print_findings = [&] {
    for (const auto& text : machine->findings()) {
      std::fputs(text.c_str(), o.json == "-" ? stderr : stdout);
    }
  };
  std::vector<measure::measurement> rows;
  try {
    rows = ladder::climb(problem, *machine, rungs,
                         [&](std::string_view what, std::size_t index, std::size_t total) {
                           progress.update(what, index, total);
                         });
  } catch (...) {
    progress.erase();
    print_findings();
    throw;
  }
  progress.erase();
  if (o.counters && machine->backend() == "cuda") {
    ladder::add_ncu_counters(rows, arguments_for_ncu(o));
  }

  if (!o.json.empty()) {
    const std::string document = measure::json_document(rows, provenance(*machine));
    if (o.json == "-") {
      print(document);
    } else {
      data::replace_file(o.json, {std::as_bytes(std::span(document))});
    }
  }
  if (o.json != "-") print(measure::table(rows, {.color = isatty(STDOUT_FILENO) == 1}));
  const bool right = std::all_of(rows.begin(), rows.end(), [](const measure::measurement& m) {
    return !m.skipped.empty() || measure::is_right(m);
  });
  print_findings();
  return right && machine->findings().empty() ? 0 : 1;
}

}  // namespace

void add_ladder(CLI::App& app, action& chosen) {
  auto* const ladder = app.add_subcommand("ladder", "Run the steps of an algorithm side by side");
  ladder->require_subcommand(1);

  auto* const reduce = ladder->add_subcommand("reduce", "The reductions, rungs 00 to 22");
  const auto o = std::make_shared<options>();
  reduce->add_option("FILE", o->file, ".npy, or raw bytes with --type; random values without");
  auto* const n = reduce->add_option("--n", o->n, "How many random values: 2^22, 4194304, 4Mi");
  reduce->add_option("--type", o->type, "i32, i64, f32 or f64 (default: i32, or the file's)");
  reduce->add_option("--op", o->op, "sum, product, min, max, mean, and, or, xor");
  reduce->add_option("--block", o->block, "Threads per block: 32, 64, … 1024");
  reduce->add_option("--rung", o->rungs, "Only these, by number or name: 01,07,cascade");
  reduce->add_option("--backend", o->backend, "auto, cuda, or simt (the CPU machine)");
  reduce->add_option("--finish", o->finish, "How partials become one value: relaunch or host");
  reduce->add_option("--samples", o->samples, "Timed runs of each rung on a GPU");
  reduce->add_option("--seed", o->seed, "Of the random values");
  reduce->add_option("--json", o->json, "Write everything to this file; - for standard output");
  reduce->add_flag("--counters", o->counters, "On a GPU: run ncu and show its counters beside");
  reduce->add_flag("--check", o->check, "On the CPU machine: report races and wrong accesses");
  reduce->add_flag("--list", o->list, "List the rungs: number, name, source, idea");
  reduce->callback([=, &chosen] {
    o->n_given = n->count() != 0;
    chosen = [o] { return climb_reduce(*o); };
  });

  auto* const diff = ladder->add_subcommand("diff", "What changed between two rungs' kernels");
  struct diff_options {
    std::string ladder, from, to;
  };
  const auto d = std::make_shared<diff_options>();
  diff->add_option("LADDER", d->ladder, "reduce")->required();
  diff->add_option("FROM", d->from, "A rung's number or name")->required();
  diff->add_option("TO", d->to, "A rung's number or name")->required();
  diff->callback([=, &chosen] {
    chosen = [d] {
      if (d->ladder != "reduce") throw usage_error("ladder diff: there is one ladder, reduce");
      const auto rungs = ladder::make_simt_machine()->reduce_rungs();
      print(kernel_diff(*choose_rungs(d->from, rungs).at(0), *choose_rungs(d->to, rungs).at(0),
                        isatty(STDOUT_FILENO) == 1));
      return 0;
    };
  });
}

}  // namespace warpfold::cli
