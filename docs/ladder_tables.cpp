#include "docs/ladder_tables.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/ladder/input.hpp"
#include "cli/ladder/streams_text.hpp"
#include "docs/page.hpp"
#include "ladder/ladder.hpp"
#include "ladder/run/evidence.hpp"
#include "ladder/run/histogram_driver.hpp"
#include "ladder/run/reduce_driver.hpp"
#include "ladder/run/scan_driver.hpp"
#include "ladder/run/select_driver.hpp"
#include "ladder/run/sort_driver.hpp"
#include "ladder/streams/run.hpp"
#include "measure/json.hpp"
#include "measure/markdown.hpp"
#include "measure/peers.hpp"
#include "measure/text.hpp"
#include "warpfold/error.hpp"

namespace cli = warpfold::cli;
namespace ladder = warpfold::ladder;
namespace measure = warpfold::measure;
using warpfold::error;
using warpfold::value_type;
using warpfold::ladder::ladder_kind;
namespace fs = std::filesystem;

namespace {

using measurements = std::vector<measure::measurement>;

measurements count_reduce() {
  const auto machine = ladder::make_simt_machine();
  const std::size_t n = std::size_t{1} << 22;
  const auto values = cli::random_values(value_type::i32, ladder::operation::sum, n, 1);
  auto all = ladder::run_reduce_ladder({.values = {values.type, values.bytes.data(), n}}, *machine,
                                       ladder::reduce_rungs(machine->backend()));
  for (auto& m : all) {
    if (m.backend == ladder::backend_kind::simt)
      m.device = "CPU machine";  // the same text whatever its cores
  }
  return all;
}

measurements count_scan() {
  const auto machine = ladder::make_simt_machine({.workers = 1});
  const std::size_t n = std::size_t{1} << 16;
  const auto values = cli::random_values(value_type::i32, ladder::operation::sum, n, 1);
  return ladder::run_scan_ladder({.values = {values.type, values.bytes.data(), n}}, *machine,
                                 ladder::scan_rungs(machine->backend()));
}

measurements count_sort() {
  const auto machine = ladder::make_simt_machine({.workers = 1});
  const std::size_t n = std::size_t{1} << 14;
  const auto keys = cli::random_values(value_type::u32, ladder::operation::sum, n, 1);
  return ladder::run_sort_ladder({.keys = {keys.type, keys.bytes.data(), n}}, *machine,
                                 ladder::sort_rungs(machine->backend()));
}

measurements count_histogram() {
  const auto machine = ladder::make_simt_machine({.workers = 1});
  const std::size_t n = std::size_t{1} << 16;
  const auto values =
      cli::random_bins(value_type::u32, cli::key_pattern::random, n, ladder::default_bins, 1);
  return ladder::run_histogram_ladder({.values = {values.type, values.bytes.data(), n}}, *machine,
                                      ladder::histogram_rungs(machine->backend()));
}

measurements count_select() {
  const auto machine = ladder::make_simt_machine({.workers = 1});
  const std::size_t n = std::size_t{1} << 16;
  const auto values = cli::random_kept(value_type::i32, 50, n, 1);
  return ladder::run_select_ladder({.values = {values.type, values.bytes.data(), n}}, *machine,
                                   ladder::select_rungs(machine->backend()));
}

std::span<const ladder::rung* const> rungs_of(ladder_kind kind) {
  return ladder::entry_of(kind).rungs(ladder::backend_kind::simt);
}

std::string rung_list_of(std::span<const ladder::description> rungs,
                         std::span<const measure::measurement> rows) {
  std::string text =
      "| rung | idea | what it improves | watch | source | corrected here |\n"
      "|---|---|---|---|---|---|\n";
  for (const auto& a : rungs) {
    text += fmt::format("| {:02} {} | {} | {} | {} | {} | {} |\n", a.number, a.name, a.idea,
                        a.improves, ladder::evidence_text(a, rows), a.source,
                        a.corrections.empty() ? "–" : a.corrections);
  }
  return text;
}

template <class Rung>
std::vector<ladder::description> descriptions_of(std::span<const Rung* const> rungs) {
  std::vector<ladder::description> all;
  for (const Rung* r : rungs) all.push_back(r->about);
  return all;
}

/// The named rungs on this problem, counted.
measurements count(ladder_kind kind, std::size_t n, unsigned block, std::span<const int> numbers) {
  std::vector<const ladder::rung*> chosen;
  for (const ladder::rung* r : rungs_of(kind)) {
    if (std::ranges::count(numbers, r->about.number) > 0) chosen.push_back(r);
  }
  const auto values = cli::random_values(value_type::u32, ladder::operation::sum, n, 1);
  const auto machine = ladder::make_simt_machine({.workers = 1});
  return ladder::entry_of(kind).run_once(
      {reinterpret_cast<const std::uint32_t*>(values.bytes.data()), n}, block, *machine, chosen);
}

const measure::measurement& row_of(const measurements& rows, int number,
                                   ladder::backend_kind backend) {
  const auto row = std::ranges::find_if(rows, [&](const auto& m) {
    return m.number == number && m.backend == backend && !m.reference;
  });
  if (row == rows.end()) throw error(fmt::format("why_table: there is no row {}", number));
  return *row;
}

}  // namespace

const measurements& rows_of(ladder_kind kind) {
  static const measurements rows[] = {count_reduce(), count_scan(), count_sort(), count_histogram(),
                                      count_select()};
  return rows[static_cast<std::size_t>(kind)];
}

std::string rung_list(ladder_kind kind) {
  return rung_list_of(descriptions_of(rungs_of(kind)), rows_of(kind));
}
std::string streams_rung_list() {
  return rung_list_of(descriptions_of(ladder::streams_rungs(false)), {});
}

std::string why_table(ladder_kind kind, const fs::path& timed, std::initializer_list<int> rungs,
                      std::initializer_list<measure::figure> figures) {
  using ladder::backend_kind;
  const auto document = measure::parse_json_document(read(timed));
  const auto& first = row_of(document.measurements, *rungs.begin(), backend_kind::cuda);
  const measurements counted = count(kind, first.n, first.block, rungs);
  std::string text = "| rung | time, µs |", rule = "|---|---:|";
  for (const measure::figure f : figures) {
    text += " " + measure::name_of(f) + " |";
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const int number : rungs) {
    const auto& time = row_of(document.measurements, number, backend_kind::cuda);
    const auto& row = row_of(counted, number, backend_kind::simt);
    text += fmt::format("| {:02} {} | {:.1f} |", number, row.name, time.timing->median());
    for (const measure::figure f : figures) {
      text += " " + measure::text_of(row, f) + " |";
    }
    text += "\n";
  }
  return text + fmt::format(
                    "\n{} values, {} threads a block; times on the {}, counters on the CPU "
                    "machine.\n",
                    measure::with_separators(static_cast<double>(first.n)), first.block,
                    document.run.device);
}

std::string occupancy_table() {
  constexpr unsigned blocks[] = {32, 64, 128, 256, 512, 1024};
  constexpr int rungs[] = {12, 22};
  std::string heads = "| threads a block |", rule = "|---|", lines;
  for (const unsigned block : blocks) {
    heads += fmt::format(" {} |", block);
    rule += "---:|";
  }
  for (const int number : rungs) {
    std::string line;
    for (const unsigned block : blocks) {
      const auto rows = count(ladder_kind::reduce, std::size_t{1} << 16, block, {&number, 1});
      const auto& row = row_of(rows, number, ladder::backend_kind::simt);
      if (line.empty()) line = fmt::format("| {:02} {}, % |", number, row.name);
      line += fmt::format(" {:.1f} |", measure::value_of(row, measure::figure::occupancy));
    }
    lines += line + "\n";
  }
  return heads + "\n" + rule + "\n" + lines;
}

std::string gpu_table(const fs::path& file) {
  auto document = measure::parse_json_document(read(file));
  for (auto& m : document.measurements) {
    for (const auto* r : ladder::reduce_rungs(ladder::backend_kind::simt)) {
      m.begins_series |= m.ladder == "reduce" && m.name == r->about.name && r->about.begins_series;
    }
  }
  const auto& run = document.run;
  return measure::markdown_table(document.measurements) +
         fmt::format("\n{}, driver {}, {}, commit {}: `{}`. Medians of {} samples, each checked.\n",
                     run.device, run.driver, run.toolkit, run.commit, run.command,
                     document.measurements.back().timing->count());
}

std::string host_table(const fs::path& file) {
  const auto document = measure::parse_json_document(read(file));
  const auto& run = document.run;
  const auto runs_of = [](const measure::measurement& row) { return row.timing->count(); };
  const auto [sorts, others] = std::ranges::minmax(document.measurements, {}, runs_of);
  const auto columns = measure::case_columns(document.measurements, "warpfold");
  return measure::markdown_table(std::span<const measure::column>(columns)) +
         fmt::format(
             "\n{}, {}, commit {}: `{}`. Medians and quartiles of {} runs of the sorts and {} "
             "of the others, each checked.\n",
             run.device, run.toolkit, run.commit, run.command, runs_of(sorts), runs_of(others));
}

/// What ran, how long it took, and how many bytes a second that is.
std::string rate_table(const fs::path& file) {
  if (!fs::exists(file)) return "No run has been stored here yet.\n";
  const auto document = measure::parse_json_document(read(file));
  const auto& run = document.run;
  std::string text = "| | n | ms | GB/s |\n|---|---:|---:|---:|\n";
  for (const auto& m : document.measurements) {
    if (!m.verdict.right) throw error(file.string() + ": a result is wrong");
    const double time = m.timing->median();
    const double rate = static_cast<double>(m.useful_bytes) / time / 1000;
    text +=
        fmt::format("| {} | {} {} | {:.0f} | {:.{}f} |\n", m.name, m.n, m.type, time / 1000, rate,
                    rate < 0.1 ? 3
                    : rate < 1 ? 2
                               : 1);
  }
  return text + fmt::format("\n{}{}{}, commit {}: `{}`. Medians of {} runs.\n", run.device,
                            run.driver.empty() ? "" : ", driver " + run.driver,
                            run.toolkit.empty() ? "" : ", " + run.toolkit, run.commit, run.command,
                            document.measurements.back().timing->count());
}

/// Empty of figures until a run has been stored.
std::string streams_table(const fs::path& file) {
  if (!fs::exists(file)) return "No run on a GPU has been stored here yet.\n";
  const auto document = measure::parse_json_document(read(file));
  const auto& run = document.run;
  const auto columns = cli::streams_columns(document.measurements, measure::view::document);
  return measure::markdown_table(std::span<const measure::column>(columns)) +
         fmt::format("\n{}, driver {}, {}, commit {}: `{}`. Medians of {} runs, each checked.\n",
                     run.device, run.driver, run.toolkit, run.commit, run.command,
                     document.measurements.back().timing->count());
}
