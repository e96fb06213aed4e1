#include "bench/validation/rows.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <tuple>

#include "bench/validation/caches.hpp"
#include "ladder/machines/machine.hpp"
#include "ladder/rung.hpp"
#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "warpfold/error.hpp"

namespace warpfold::validation {

namespace {

namespace fs = std::filesystem;
using measure::json;

constexpr const char* tables_of[] = {"reduce_", "scan_", "sort_", "ladders_", "queued_"};

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw data_error(path.string() + ": can't be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

row_key key_of(const json& j) {
  return {j.at("ladder"), j.at("rung"), j.at("n"), j.at("block"), j.at("type")};
}

/// Whether the rung with this label writes where it reads.
bool is_in_place(const std::string& of_ladder, const std::string& rung) {
  constexpr auto where = measure::backend_kind::simt;
  const auto rungs = of_ladder == "reduce" ? ladder::reduce_rungs(where)
                     : of_ladder == "scan" ? ladder::scan_rungs(where)
                                           : ladder::sort_rungs(where);
  return std::ranges::any_of(rungs, [&](const ladder::rung* r) {
    return r->about.in_place && rung.ends_with(" " + std::string(r->about.name));
  });
}

row row_of(const row_key& k, double measured_us, const json& profiles, const simt::device_model& d,
           std::size_t samples, bool queued = false, double spread_us = 0) {
  const auto& [of_ladder, rung, n, block, type] = k;
  row r{.ladder = of_ladder,
        .rung = rung,
        .n = n,
        .block = block,
        .type = type,
        .measured_us = measured_us,
        .spread_us = spread_us,
        .queued = queued};
  auto counted = simt::parse_profiles(profiles.dump());
  as_the_ladder_leaves_it(counted,
                          {.bytes = n * (type == "f64" ? 8 : 4),
                           .in_place = is_in_place(of_ladder, rung),
                           .samples = samples},
                          d);
  r.predicted = simt::predict(counted, d);
  r.predicted_us = queued ? r.predicted.queued_us : r.predicted.us;
  if (const std::string why = ladder::without_time(rung); !why.empty()) r.predicted.no_ground = why;
  return r;
}

/// Of a line of a CSV file whose cells hold no comma.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

/// ncu counts shared memory as L1, and what computes and issues as SM.
std::string profiler_name(simt::limiter by) {
  switch (by) {
    case simt::limiter::dram: return "DRAM";
    case simt::limiter::l2:
    case simt::limiter::atomics: return "L2";
    case simt::limiter::l1:
    case simt::limiter::shared: return "L1";
    case simt::limiter::issue: return "SM";
    default: return "latency";
  }
}

/// Whole tables of the ladders, as their own commands stored them.
std::vector<fs::path> measured_files(const fs::path& results, const std::string& device) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(results)) {
    const std::string name = entry.path().filename().string();
    const bool is_ladder =
        std::any_of(std::begin(tables_of), std::end(tables_of),
                    [&](const char* of) { return name.starts_with(of + device); });
    if (is_ladder && name.ends_with(".json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::map<row_key, json> stored_profiles(const fs::path& results) {
  std::map<row_key, json> profiles;
  const json stored = json::parse(text_of(results / "prediction_profiles.json"));
  const json& columns = stored.at("columns");
  for (const json& j : stored.at("rows")) {
    json& of_row = profiles[key_of(j)] = json::array();
    for (const json& cells : j.at("profiles")) {
      json& profile = of_row.emplace_back(json::object());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!cells[i].is_null()) profile[columns.at(i).get<std::string>()] = cells[i];
      }
      json& kernel = profile.at("kernel");
      kernel = stored.at("kernels").at(kernel.get<std::size_t>());
    }
  }
  return profiles;
}

std::vector<row> stored_rows(const fs::path& results, const std::string& name,
                             const simt::device_model& device) {
  std::vector<row> all;
  const std::map<row_key, json> profiles = stored_profiles(results);
  for (const fs::path& file : measured_files(results, name)) {
    const bool queued = file.filename().string().starts_with("queued_");
    for (const auto& m : measure::parse_json_document(text_of(file)).measurements) {
      if (m.backend != measure::backend_kind::cuda || m.reference || !m.timing) continue;
      if (!m.verdict.right) throw error(file.string() + ": a result is wrong");
      const row_key k{m.ladder, measure::rung_label(m), m.n, m.block, m.type};
      const auto known = profiles.find(k);
      if (known == profiles.end()) continue;
      const double spread = (m.timing->quantile(0.75) - m.timing->quantile(0.25)) / 2;
      all.push_back(
          row_of(k, m.timing->median(), known->second, device, m.timing->count(), queued, spread));
    }
  }
  return all;
}

std::vector<row> other_rows(const fs::path& results, const std::string& name,
                            const simt::device_model& device) {
  std::vector<row> all;
  const json counted = json::parse(text_of(results / "prediction_others.json"));
  const json measured = json::parse(text_of(results / ("others_" + name + ".json")));
  for (const json& j : counted.at("rows")) {
    for (const json& m : measured.at("rows")) {
      if (m.at("name") != j.at("name")) continue;
      row r{.ladder = "others",
            .rung = j.at("name"),
            .measured_us = m.at("queued_us"),
            .queued = true};
      r.predicted = simt::predict(simt::parse_profiles(j.at("profiles").dump()), device);
      r.predicted_us = r.predicted.queued_us;
      r.first_us = j.at("predicted_first_us");
      r.launched_us = m.at("median_us");
      all.push_back(std::move(r));
    }
  }
  return all;
}

std::vector<row> blind_rows(const fs::path& golden, const std::string& name,
                            const simt::device_model& device) {
  std::ifstream facts(golden / ("blind_" + name + ".csv"));
  const auto counted = simt::parse_profiles(text_of(golden / "blind_profiles.json"));
  std::vector<row> all;
  std::string line;
  std::getline(facts, line);  // the names of its columns
  for (const simt::launch_profile& p : counted) {
    if (!std::getline(facts, line)) throw data_error("blind_" + name + ".csv: a row is missing");
    const std::vector<std::string> cells = cells_of(line);
    constexpr std::size_t measured = 6, first = 7, half = 8;
    row r{.ladder = cells.at(0), .rung = cells.at(1), .queued = true};
    if (p.kernel.find(r.rung) == std::string::npos)
      throw data_error("blind_" + name + ".csv: " + r.rung + " stands where " + p.kernel +
                       " was counted");
    r.measured_us = std::stod(cells.at(measured)) / 1000;
    r.first_us = std::stod(cells.at(first)) / 1000;
    r.half = cells.at(half);
    r.predicted = simt::predict(simt::after_copies({&p, 1}), device);
    const auto launches = static_cast<double>(p.launches);
    r.predicted_us = device.queued_us - device.gap_us +
                     (r.predicted.queued_us - device.queued_us + device.gap_us) / launches;
    all.push_back(std::move(r));
  }
  return all;
}

std::vector<limit_row> limit_rows(const fs::path& results, const simt::device_model& device) {
  constexpr std::size_t n = std::size_t{1} << 24;
  constexpr unsigned block = 256;
  const std::map<row_key, json> profiles = stored_profiles(results);
  std::vector<limit_row> all;
  const json profiled = json::parse(text_of(results / "ncu_h100.json"));
  for (const json& j : profiled.at("rows")) {
    const auto counted = profiles.find({j.at("ladder"), j.at("rung"), n, block, "i32"});
    if (counted == profiles.end()) continue;
    limit_row r{.ladder = j.at("ladder"), .rung = j.at("rung"), .profiled = j.at("ncu")};
    auto of_rung = simt::parse_profiles(counted->second.dump());
    as_a_profiler_leaves_it(of_rung, device);
    const auto p = simt::predict(of_rung, device);
    r.predicted = profiler_name(p.kernel_by);
    const json& busy = j.at("ncu_pct");
    constexpr double never = 100;
    r.behind_pct = busy.contains(r.predicted) && busy.contains(r.profiled)
                       ? busy.at(r.profiled).get<double>() - busy.at(r.predicted).get<double>()
                       : never;
    all.push_back(std::move(r));
  }
  return all;
}

std::vector<instructions_row> instructions_rows(const fs::path& results) {
  const std::map<row_key, json> profiles = stored_profiles(results);
  const json executed = json::parse(text_of(results / "instructions_h100.json"));
  std::vector<instructions_row> all;
  for (const json& j : executed.at("rows")) {
    const auto known = profiles.find(key_of(j));
    if (known == profiles.end()) continue;
    const std::string kernel = j.at("kernel");
    for (const auto& p : simt::parse_profiles(known->second.dump())) {
      if (p.kernel.find("::" + kernel + "<") == std::string::npos) continue;
      if (p.divides == 0 && p.grid.x == j.at("grid")) {
        all.push_back({j.at("ladder"), j.at("rung"), kernel, j.at("instructions"),
                       static_cast<double>(p.instructions() / p.launches)});
      }
      break;
    }
  }
  return all;
}

std::vector<row> document_rows(const fs::path& results, const std::string& machine,
                               const simt::device_model& device) {
  // As the documents say: 2^22 values in blocks of 128 threads, 2^26 in blocks of 1024.
  const bool is_g80 = machine == "G80";
  const std::size_t n = std::size_t{1} << (is_g80 ? 22 : 26);
  const unsigned block = is_g80 ? 128 : 1024;
  const std::map<row_key, json> profiles = stored_profiles(results);
  std::vector<row> all;
  const auto tables = measure::parse_json_document(text_of(results / "reduce_h100_2e22.json"));
  for (const auto& m : tables.measurements) {
    for (const auto& figure : m.published) {
      const row_key k{m.ladder, measure::rung_label(m), n, block, m.type};
      const auto known = profiles.find(k);
      if (!figure.machine.starts_with(machine) || known == profiles.end()) continue;
      const double us = 4.0 * static_cast<double>(n) / figure.gigabytes_per_second * 1e-3;
      all.push_back(row_of(k, us, known->second, device, 1));
    }
  }
  return all;
}

errors errors_of(std::span<const row> rows, const std::function<bool(const row&)>& chosen) {
  std::vector<double> off;
  errors e;
  for (const row& r : rows) {
    if (!r.has_ground() || !chosen(r)) continue;
    off.push_back(std::abs(r.error_pct()));
    e.bias += r.error_pct();
    e.mean += off.back();
  }
  e.rows = off.size();
  if (off.empty()) return e;
  std::sort(off.begin(), off.end());
  const auto count = static_cast<double>(off.size());
  e.mean /= count;
  e.bias /= count;
  e.percentile_90 = off[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1];
  e.worst = off.back();
  return e;
}

double kendall_tau(std::span<const double> predicted, std::span<const double> measured,
                   std::span<const double> spreads) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double apart = measured[i] - measured[j];
      if (!spreads.empty() && std::abs(apart) <= spreads[i] + spreads[j]) continue;
      const double product = (predicted[i] - predicted[j]) * apart;
      sum += product > 0 ? 1 : product < 0 ? -1 : 0;
      ++pairs;
    }
  }
  return pairs == 0 ? 1 : sum / pairs;
}

order order_of(std::span<const row> rows, const std::function<bool(const row&)>& chosen) {
  struct group {
    std::vector<double> predicted, measured, spreads;
  };
  std::map<std::tuple<bool, std::string, std::string, std::size_t, unsigned>, group> groups;
  for (const row& r : rows) {
    if (!r.has_ground() || !chosen(r)) continue;
    group& g = groups[{r.queued, r.ladder, r.type, r.n, r.block}];
    g.predicted.push_back(r.predicted_us);
    g.measured.push_back(r.measured_us);
    g.spreads.push_back(r.spread_us);
  }
  order o{.groups = groups.size(), .least_tau = 1, .least_told_apart = 1};
  const auto count = static_cast<double>(groups.size());
  for (const auto& [what, g] : groups) {
    const double tau = kendall_tau(g.predicted, g.measured);
    const double told_apart = kendall_tau(g.predicted, g.measured, g.spreads);
    o.mean_tau += tau / count;
    o.least_tau = std::min(o.least_tau, tau);
    o.mean_told_apart += told_apart / count;
    o.least_told_apart = std::min(o.least_told_apart, told_apart);
  }
  return o;
}

}  // namespace warpfold::validation
