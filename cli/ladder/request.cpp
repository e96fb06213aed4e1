#include "cli/ladder/request.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/parse.hpp"
#include "data/read.hpp"
#include "ladder/run/driver.hpp"
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

}  // namespace

std::unique_ptr<ladder::machine> open_machine(const ladder_options& o) {
  const auto orders = wanted_orders(o);
  const char* const asks = !orders.empty() ? "--schedules"
                           : o.check       ? "--check"
                           : o.lines       ? "--lines"
                                           : nullptr;
  if (asks != nullptr && o.backend == backend_choice::cuda) {
    throw usage_error(std::string(asks) +
                      ": runs on the CPU machine only; leave out --backend cuda");
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

void check_scaling(const ladder_options& o) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw usage_error(fmt::format("--scaling: leave out {}", option));
  };
  refuse(!o.file.empty(), "the file; it counts on generated values");
  refuse(o.backend == backend_choice::cuda, "--backend cuda; it runs on the CPU machine");
  refuse(o.type.has_value(), "--type; it sums and selects i32, and sorts and counts u32");
  refuse(o.counters, "--counters");
  refuse(o.check, "--check");
  refuse(o.lines, "--lines");
  refuse(o.schedules || o.schedule, "--schedules");
}

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

backend_choice parse_backend(std::string_view option, std::string_view text) {
  if (text == "auto") return backend_choice::automatic;
  if (text == "simt") return backend_choice::simt;
  if (text == "cuda") return backend_choice::cuda;
  throw usage_error(fmt::format("{} {}: must be auto, simt or cuda", option, text));
}

unsigned parse_samples(std::string_view option, std::string_view text) {
  const std::size_t samples = parse_size(option, text);
  if (samples > 10000) throw usage_error(fmt::format("{}: at most 10000", option));
  return static_cast<unsigned>(samples);
}

unsigned parse_bins(std::string_view option, std::string_view text) {
  const std::size_t bins = parse_size(option, text);
  ladder::check_bins(bins);
  return static_cast<unsigned>(bins);
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

}  // namespace warpfold::cli
