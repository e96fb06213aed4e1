#include "bench/validation/rows.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include "ladder/machines/machine.hpp"
#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "warpfold/error.hpp"

namespace warpfold::validation {

namespace {

namespace fs = std::filesystem;
using measure::json;

/// What a row is about: ladder, rung, values, threads of a block, type.
using key = std::tuple<std::string, std::string, std::size_t, unsigned, std::string>;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw data_error(path.string() + ": can't be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

key key_of(const json& j) {
  return {j.at("ladder"), j.at("rung"), j.at("n"), j.at("block"), j.at("type")};
}

row row_of(const key& k, double measured_us, const json& profiles, const simt::device_model& d) {
  const auto& [of_ladder, rung, n, block, type] = k;
  row r{.ladder = of_ladder,
        .rung = rung,
        .n = n,
        .block = block,
        .type = type,
        .measured_us = measured_us,
        .predicted = simt::predict(simt::parse_profiles(profiles.dump()), d)};
  if (const std::string why = ladder::without_time(rung); !why.empty()) r.predicted.no_ground = why;
  return r;
}

/// By row, what was counted of it.
std::map<key, json> stored_profiles(const fs::path& results) {
  std::map<key, json> profiles;
  for (const char* const name : {"prediction_h100.json", "prediction_profiles.json"}) {
    const json stored = json::parse(text_of(results / name));
    for (const json& j : stored.at("rows")) profiles[key_of(j)] = j.at("profiles");
  }
  return profiles;
}

/// Whole tables of the ladders, as their own commands stored them.
std::vector<fs::path> measured_files(const fs::path& results) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(results)) {
    const std::string name = entry.path().filename().string();
    const bool is_ladder = name.starts_with("reduce_h100_") || name.starts_with("scan_h100_") ||
                           name.starts_with("sort_h100_") || name.starts_with("ladders_h100");
    if (is_ladder && name.ends_with(".json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<row> stored_rows(const fs::path& results, const simt::device_model& device) {
  std::vector<row> all;
  const json seen = json::parse(text_of(results / "prediction_h100.json"));
  for (const json& j : seen.at("rows")) {
    all.push_back(row_of(key_of(j), j.at("median_us"), j.at("profiles"), device));
    all.back().seen = true;
  }
  const std::map<key, json> profiles = stored_profiles(results);
  for (const fs::path& file : measured_files(results)) {
    for (const auto& m : measure::parse_json_document(text_of(file)).measurements) {
      if (m.backend != measure::backend_kind::cuda || m.reference || !m.timing) continue;
      if (!m.verdict.right) throw error(file.string() + ": a result is wrong");
      const key k{m.ladder, measure::rung_label(m), m.n, m.block, m.type};
      const auto known = profiles.find(k);
      if (known == profiles.end()) continue;
      all.push_back(row_of(k, m.timing->median(), known->second, device));
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
  const std::map<key, json> profiles = stored_profiles(results);
  std::vector<row> all;
  const auto tables = measure::parse_json_document(text_of(results / "reduce_h100_2e22.json"));
  for (const auto& m : tables.measurements) {
    for (const auto& figure : m.published) {
      const key k{m.ladder, measure::rung_label(m), n, block, m.type};
      const auto known = profiles.find(k);
      if (!figure.machine.starts_with(machine) || known == profiles.end()) continue;
      const double us = 4.0 * static_cast<double>(n) / figure.gigabytes_per_second * 1e-3;
      all.push_back(row_of(k, us, known->second, device));
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

double kendall_tau(std::span<const double> predicted, std::span<const double> measured) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      const double product = (predicted[i] - predicted[j]) * (measured[i] - measured[j]);
      sum += product > 0 ? 1 : product < 0 ? -1 : 0;
    }
  }
  return pairs == 0 ? 1 : sum / pairs;
}

order order_of(std::span<const row> rows, const std::function<bool(const row&)>& chosen) {
  using group = std::pair<std::vector<double>, std::vector<double>>;
  std::map<std::tuple<bool, std::string, std::string, std::size_t, unsigned>, group> groups;
  for (const row& r : rows) {
    if (!r.has_ground() || !chosen(r)) continue;
    auto& [predicted, measured] = groups[{r.seen, r.ladder, r.type, r.n, r.block}];
    predicted.push_back(r.predicted.us);
    measured.push_back(r.measured_us);
  }
  order o{.groups = groups.size(), .least_tau = 1};
  for (const auto& [what, g] : groups) {
    const double tau = kendall_tau(g.first, g.second);
    o.mean_tau += tau / static_cast<double>(groups.size());
    o.least_tau = std::min(o.least_tau, tau);
  }
  return o;
}

}  // namespace warpfold::validation
