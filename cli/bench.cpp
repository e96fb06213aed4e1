// warpfold bench: the library beside its peers, over sizes.
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "bench/harness/benchmark.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "cli/provenance.hpp"
#include "data/file.hpp"
#include "measure/facts.hpp"
#include "measure/peers.hpp"
#include "measure/progress.hpp"

namespace warpfold::cli {

namespace {

struct options {
  bench::algorithm what = bench::algorithm::reduce;
  std::string n, type, op = "sum", order = "ascending", against, backend = "auto", json;
  std::string samples, seed = "1";
  bool exclusive = false, pairs = false;
};

/// The place of `text` among `names`.
template <class Enum, class Names>
Enum parse_name(const char* option, const std::string& text, const Names& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  throw usage_error(fmt::format("{} {}: there are {}", option, text, fmt::join(names, ", ")));
}

std::vector<value_type> parse_types(const options& o) {
  const auto allowed = [&]() -> std::span<const value_type> {
    if (o.what == bench::algorithm::sort) return bench::key_types;
    return bench::number_types;
  }();
  if (o.type.empty()) return {allowed.front()};
  std::vector<value_type> types;
  for (const auto& word : parse_list("--type", o.type)) {
    const value_type type = parse_type(word);
    if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
      std::vector<std::string_view> names;
      for (const value_type t : allowed) names.push_back(name_of(t));
      throw usage_error(fmt::format("--type {}: bench {} is built for {}", word,
                                    bench::algorithm_names[static_cast<std::size_t>(o.what)],
                                    fmt::join(names, ", ")));
    }
    types.push_back(type);
  }
  return types;
}

std::vector<std::string> parse_peers(const options& o, const bench::backend& where) {
  std::vector<std::string> there, asked;
  for (const bench::peer& p : where.peers()) there.emplace_back(p.name);
  if (o.against.empty()) return there;
  if (o.against == "none") return {};
  for (const auto& word : parse_list("--against", o.against)) {
    if (std::find(there.begin(), there.end(), word) == there.end()) {
      throw usage_error(fmt::format("--against {}: with --backend {} take {}; or none", word,
                                    where.name(), fmt::join(there, " or ")));
    }
    asked.push_back(word);
  }
  return asked;
}

std::unique_ptr<bench::backend> open_backend(const std::string& name) {
  if (name == "host") return bench::make_host_backend();
  if (name == "cuda") return bench::make_cuda_backend();
  if (name == "auto") {
    return bench::has_cuda_backend() ? bench::make_cuda_backend() : bench::make_host_backend();
  }
  throw usage_error("--backend " + name + ": there are auto, cuda and host");
}

bench::benchmark parse(const options& o) {
  bench::benchmark wanted;
  wanted.common.what = o.what;
  wanted.common.op = parse_name<bench::operation>("--op", o.op, bench::operation_names);
  wanted.common.order = parse_name<bench::key_order>("--order", o.order, bench::order_names);
  wanted.common.exclusive = o.exclusive;
  wanted.common.pairs = o.pairs;
  wanted.common.seed = parse_size("--seed", o.seed);
  if (!o.samples.empty()) {
    const std::size_t samples = parse_size("--samples", o.samples);
    if (samples < 1 || samples > 10000) throw usage_error("--samples: 1 to 10000");
    wanted.common.samples = static_cast<unsigned>(samples);
  }
  wanted.types = parse_types(o);
  if (!o.n.empty()) wanted.sizes = parse_sizes("--n", o.n);
  for (const std::size_t n : wanted.sizes) {
    if (n == 0) throw usage_error("--n 0: there is nothing to measure; take 1 at least");
    if (o.pairs && n >> 32 != 0) throw usage_error("--pairs: fewer than 2^32 rows");
  }
  return wanted;
}

int run_bench(const options& o) {
  bench::benchmark wanted = parse(o);
  const auto where = open_backend(o.backend);
  wanted.against = parse_peers(o, *where);
  if (wanted.sizes.empty()) wanted.sizes = where->default_sizes(o.what);
  if (o.samples.empty()) wanted.common.samples = where->default_samples();

  measure::progress progress(true);
  const auto rows = bench::run(
      *where, wanted,
      [&](std::string_view what, std::size_t i, std::size_t of) { progress.update(what, i, of); });
  progress.erase();
  if (!o.json.empty()) {
    const std::string document = measure::json_document(rows, provenance(where->about()));
    if (o.json == "-") {
      std::fwrite(document.data(), 1, document.size(), stdout);
    } else {
      data::replace_file(o.json, {std::as_bytes(std::span(document))});
    }
  }
  if (o.json != "-") {
    const auto text = measure::peer_table(rows, {.color = isatty(STDOUT_FILENO) == 1});
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return std::all_of(rows.begin(), rows.end(), measure::is_right) ? 0 : 1;
}

void add(CLI::App& bench, action& chosen, bench::algorithm what, const char* about,
         const char* types) {
  auto* const command = bench.add_subcommand(
      std::string(bench::algorithm_names[static_cast<std::size_t>(what)]), about);
  const auto o = std::make_shared<options>();
  o->what = what;
  command->add_option("--n", o->n, "Sizes: 2^20, a list 1000,2^20, or powers of two 2^8:2^30");
  command->add_option("--type", o->type, types);
  if (what == bench::algorithm::sort) {
    command->add_flag("--pairs", o->pairs, "Each key with an item of 4 bytes");
    command->add_option("--order", o->order, "ascending, or own: an order that no library knows");
  } else {
    command->add_option("--op", o->op, "sum or max");
  }
  if (what == bench::algorithm::scan) {
    command->add_flag("--exclusive", o->exclusive, "Without the value at the place itself");
  }
  command->add_option("--against", o->against,
                      "Peers: cub, thrust on a GPU, tbb on the host; or none (default: all)");
  command->add_option("--backend", o->backend, "auto, cuda or host");
  command->add_option("--samples", o->samples, "Timed calls of each size");
  command->add_option("--seed", o->seed, "Of the random values");
  command->add_option("--json", o->json, "Write everything to this file; - for standard output");
  command->callback([=, &chosen] { chosen = [o] { return run_bench(*o); }; });
}

}  // namespace

void add_bench(CLI::App& app, action& chosen) {
  auto* const bench = app.add_subcommand("bench", "Measure the library beside CUB, Thrust or TBB");
  bench->require_subcommand(1);
  add(*bench, chosen, bench::algorithm::reduce, "Reductions", "i32, i64, u8, f32, f64, or a list");
  add(*bench, chosen, bench::algorithm::scan, "Prefix sums", "i32, i64, u8, f32, f64, or a list");
  add(*bench, chosen, bench::algorithm::sort, "Sorts", "u32, u64, f32, or a list");
}

}  // namespace warpfold::cli
