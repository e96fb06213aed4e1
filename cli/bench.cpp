// warpfold bench: the library beside its peers, over sizes.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/harness/benchmark.hpp"
#include "cli/command.hpp"
#include "cli/parse.hpp"
#include "cli/provenance.hpp"
#include "data/file.hpp"
#include "measure/facts.hpp"
#include "measure/peers.hpp"
#include "measure/progress.hpp"

namespace warpfold::cli {

namespace {

enum class backend_choice : std::uint8_t { automatic, cuda, host };

struct bench_options {
  bench::benchmark wanted;
  std::vector<std::string> against;
  bool all_peers = true;
  backend_choice backend = backend_choice::automatic;
  std::optional<unsigned> samples;
  std::string json;
};

/// Reads the place of a word among `names`.
template <class Enum, class Names>
auto one_of(const Names& names) {
  return [&names](std::string_view option, std::string_view text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    throw usage_error(
        fmt::format("{} {}: must be one of {}", option, text, fmt::join(names, ", ")));
  };
}

backend_choice parse_backend(std::string_view option, std::string_view text) {
  if (text == "auto") return backend_choice::automatic;
  if (text == "cuda") return backend_choice::cuda;
  if (text == "host") return backend_choice::host;
  throw usage_error(fmt::format("{} {}: must be auto, cuda or host", option, text));
}

unsigned parse_samples(std::string_view option, std::string_view text) {
  const std::size_t samples = parse_size(option, text);
  if (samples < 1 || samples > 10000) throw usage_error("--samples: 1 to 10000");
  return static_cast<unsigned>(samples);
}

std::span<const value_type> types_of(bench::algorithm what) {
  if (what == bench::algorithm::sort) return bench::key_types;
  return bench::number_types;
}

std::vector<value_type> parse_types(bench::algorithm what, std::string_view text) {
  const auto allowed = types_of(what);
  std::vector<value_type> types;
  for (const auto& word : parse_list("--type", text)) {
    const value_type type = parse_type("--type", word);
    if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
      std::vector<std::string_view> names;
      for (const value_type t : allowed) names.push_back(name_of(t));
      throw usage_error(fmt::format("--type {}: bench {} is built for {}", word,
                                    bench::algorithm_names[static_cast<std::size_t>(what)],
                                    fmt::join(names, ", ")));
    }
    types.push_back(type);
  }
  return types;
}

/// Those asked for that the backend has.
std::vector<std::string> peers_at(const bench::backend& where, const bench_options& o) {
  std::vector<std::string> there, asked;
  for (const bench::peer& p : where.peers()) there.emplace_back(p.name);
  if (o.all_peers) return there;
  for (const auto& word : o.against) {
    if (std::find(there.begin(), there.end(), word) == there.end()) {
      throw usage_error(fmt::format("--against {}: --backend {} compares with {}; or none", word,
                                    where.name(), fmt::join(there, " or ")));
    }
    asked.push_back(word);
  }
  return asked;
}

std::unique_ptr<bench::backend> open_backend(backend_choice choice) {
  const bool on_cuda = choice == backend_choice::cuda ||
                       (choice == backend_choice::automatic && bench::has_cuda_backend());
  return on_cuda ? bench::make_cuda_backend() : bench::make_host_backend();
}

void check(const bench::benchmark& wanted) {
  for (const std::size_t n : wanted.sizes) {
    if (n == 0) throw usage_error("--n 0: nothing to measure; use at least 1");
    if (wanted.common.pairs && n >> 32 != 0) {
      throw usage_error("--pairs: a size must be less than 2^32");
    }
  }
}

int run_bench(const bench_options& o) {
  bench::benchmark wanted = o.wanted;
  check(wanted);
  const auto where = open_backend(o.backend);
  wanted.against = peers_at(*where, o);
  if (wanted.sizes.empty()) wanted.sizes = where->default_sizes(wanted.common.what);
  wanted.common.samples = o.samples.value_or(where->default_samples());

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
    const auto text = measure::peer_table(rows, measure::style_of_output());
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return std::all_of(rows.begin(), rows.end(), measure::is_right) ? 0 : 1;
}

void add(options& bench, bench::algorithm what, const char* about, const char* types) {
  options& to =
      bench.command(std::string(bench::algorithm_names[static_cast<std::size_t>(what)]), about);
  const auto o = std::make_shared<bench_options>();
  auto& common = o->wanted.common;
  common.what = what;
  common.seed = 1;
  o->wanted.types = {types_of(what).front()};
  to.value("--n", o->wanted.sizes, parse_sizes,
           "Sizes: 2^20, a list 1000,2^20, or powers of two 2^8:2^30");
  to.value(
      "--type", o->wanted.types, [what](std::string_view text) { return parse_types(what, text); },
      types);
  if (what == bench::algorithm::sort) {
    to.flag("--pairs", common.pairs, "Add an item of 4 bytes to each key");
    to.value("--order", common.order, one_of<bench::key_order>(bench::order_names),
             "ascending, or own (a user-defined comparator)");
  } else {
    to.value("--op", common.op, one_of<bench::operation>(bench::operation_names), "sum or max");
  }
  if (what == bench::algorithm::scan) {
    to.flag("--exclusive", common.exclusive, "Exclude each value from its own result");
  }
  to.value(
      "--against", o->against,
      [o](std::string_view option, std::string_view text) {
        o->all_peers = false;
        return text == "none" ? std::vector<std::string>{} : parse_list(option, text);
      },
      "Peers: cub, thrust (on a GPU), tbb (on the host) or none (default: all)");
  to.value("--backend", o->backend, parse_backend, "auto, cuda or host");
  to.value("--samples", o->samples, parse_samples, "Timed calls of each size");
  to.value("--seed", common.seed, parse_size, "Seed of the random values");
  to.value("--json", o->json, "Write everything to this file; - for standard output");
  to.then([o] { return run_bench(*o); });
}

}  // namespace

void describe(options& to) {
  add(to, bench::algorithm::reduce, "Reductions", "i32, i64, u8, f32, f64, or a list");
  add(to, bench::algorithm::scan, "Prefix sums", "i32, i64, u8, f32, f64, or a list");
  add(to, bench::algorithm::sort, "Sorts", "u32, u64, f32, or a list");
}

}  // namespace warpfold::cli
