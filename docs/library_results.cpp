#include "docs/library_results.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "docs/plot.hpp"
#include "measure/json.hpp"
#include "warpfold/error.hpp"

namespace measure = warpfold::measure;
namespace fs = std::filesystem;

namespace {

/// What the row is about; nothing if it is no row of the device library or its peers.
std::optional<std::pair<std::string, std::string>> what_and_call(const measure::measurement& m) {
  if (m.backend != warpfold::measure::backend_kind::cuda || !m.timing) return std::nullopt;
  if (m.ladder == "rows" || m.ladder == "statistics") return std::pair{m.ladder, m.call};
  if (m.ladder == "reduce") return std::pair{m.op, m.call};
  if (m.ladder == "scan") {
    return std::pair{m.op == "sum" && m.form == "exclusive" ? "scan" : m.form + " " + m.op, m.call};
  }
  const std::string how = m.form == "own" ? "-own-order"
                          : m.form == "in place" || m.form == "out of place" ||
                                  m.form.starts_with("items of") || m.op == "structs"
                              ? ", " + m.form
                              : "";
  return std::pair{"sort-" + m.op + how, m.call};
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// One kind of rows: the sizes in their order, and what they took.
struct border_walk {
  struct step {
    std::size_t n;
    double ours_us, cub_us;
  };
  std::string keys, items;
  std::vector<step> steps;

  [[nodiscard]] std::string line() const {
    const auto beside_cub = [](const step& s) { return s.cub_us / s.ours_us; };
    const auto [least, most] = std::minmax_element(
        steps.begin(), steps.end(),
        [&](const step& a, const step& b) { return beside_cub(a) < beside_cub(b); });
    double steepest = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const double ratio = steps[i].ours_us / steps[i + 1].ours_us;
      if (ratio > steepest) at = i;
      steepest = std::max(ratio, steepest);
    }
    return fmt::format("| {} | {} | {:.2f} | {} | {:.2f} | {:.2f} | {} |\n", keys, items,
                       beside_cub(*least), least->n, beside_cub(*most), steepest, steps[at].n);
  }
};

std::vector<border_walk> border_walks(std::span<const measure::measurement> rows) {
  std::vector<border_walk> walks;
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
    const auto &ours = rows[i], &cub = rows[i + 1];
    if (!ours.verdict.right || !cub.verdict.right || ours.name != "warpfold" || cub.name != "cub") {
      throw warpfold::error("a walk over borders: a result is wrong or missing");
    }
    const std::string items = ours.form.starts_with("items of ") ? ours.form.substr(9) : "–";
    if (walks.empty() || walks.back().keys != ours.type || walks.back().items != items) {
      walks.push_back({ours.type, items, {}});
    }
    walks.back().steps.push_back({ours.n, ours.timing->median(), cub.timing->median()});
  }
  return walks;
}

}  // namespace

std::string border_table(const fs::path& json) {
  const auto [run, rows] = measure::parse_json_document(text_of(json));
  std::string text =
      "| keys | bytes of an item | least × | at rows | most × | against 1.3 × the rows, most | at "
      "rows |\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const auto& walk : border_walks(rows)) text += walk.line();
  return text + fmt::format("\n{}, driver {}, {}, commit {}: `{}`.\n", run.device, run.driver,
                            run.toolkit, run.commit, run.command);
}

namespace {

/// Microseconds of calls, then how many times as long the best of the peers behind each takes: a
/// line a call, a cell a size. label(ours, peer) names the call; rows for which it is empty are
/// left out.
template <class Label>
std::string table_beside(const fs::path& json, Label label) {
  const auto [run, rows] = measure::parse_json_document(text_of(json));
  std::vector<std::size_t> sizes;
  std::vector<std::pair<std::string, std::map<std::size_t, std::string>>> lines;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const auto& ours = rows[i];
    const std::string call = label(ours, rows[i + 1]);
    if (call.empty()) continue;
    double best = std::numeric_limits<double>::infinity();  // of the peers that follow
    for (std::size_t p = i + 1; p < rows.size() && label(ours, rows[p]) == call; ++p) {
      if (!ours.verdict.right || !rows[p].verdict.right) {
        throw warpfold::error(json.string() + ": a result is wrong or missing");
      }
      best = std::min(best, rows[p].timing->median());
    }
    if (sizes.empty() || sizes.back() < ours.n) sizes.push_back(ours.n);
    auto line = std::ranges::find(lines, call, [](const auto& l) { return l.first; });
    if (line == lines.end()) line = lines.insert(line, {call, {}});
    const double us = ours.timing->median();
    line->second[ours.n] = fmt::format(" {:.1f} · {:.2f} |", us, best / us);
  }
  std::string text = "| call | type |", rule = "|---|---|";
  for (const std::size_t n : sizes) {
    text += fmt::format(" 2^{} |", std::bit_width(n) - 1);
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const auto& [call, cells] : lines) {
    text += "| " + call + " |";
    for (const std::size_t n : sizes) text += cells.contains(n) ? cells.at(n) : " – |";
    text += "\n";
  }
  return text + fmt::format("\n{}, driver {}, {}, commit {}: `{}`.\n", run.device, run.driver,
                            run.toolkit, run.commit, run.command);
}

}  // namespace

std::string table_beside_cub(const fs::path& json, const std::string& how) {
  return table_beside(
      json, [&](const measure::measurement& ours, const measure::measurement& peer) {
        const bool is_peer = peer.name.starts_with("cub") || peer.name == "thrust";
        const bool are_alike = ours.form == peer.form && ours.type == peer.type &&
                               ours.n == peer.n && ours.call == how && peer.call == how;
        return ours.name == "warpfold" && is_peer && are_alike ? ours.form + " | " + ours.type
                                                               : std::string();
      });
}

std::string table_of_sizes(const fs::path& json) {
  const auto [run, rows] = measure::parse_json_document(text_of(json));
  std::map<std::pair<std::string, std::size_t>, std::map<std::string, double>> calls;
  for (const auto& row : rows) {
    if (!row.verdict.right) throw warpfold::error(json.string() + ": a result is wrong");
    if (row.call == "graph") calls[{row.ladder, row.n}][row.form] = row.timing->median();
  }
  std::string text = "| call | n | µs | bound n | bound 16 n |\n|---|---:|---:|---:|---:|\n";
  for (const auto& [call, us] : calls) {
    const auto beside = [&times = us](const char* form) {
      return times.contains(form)
                 ? fmt::format("{:.2f}", times.at(form) / times.at("n on the host"))
                 : std::string("–");
    };
    text += fmt::format("| {} | 2^{} | {:.1f} | {} | {} |\n", call.first,
                        std::bit_width(call.second) - 1, us.at("n on the host"),
                        beside("at most n"), beside("at most 16 n"));
  }
  return text + fmt::format("\n{}, driver {}, {}, commit {}: `{}`.\n", run.device, run.driver,
                            run.toolkit, run.commit, run.command);
}

std::string table_beside_plain(const fs::path& json) {
  return table_beside(json, [](const measure::measurement& ours, const measure::measurement& peer) {
    const bool is_pair = ours.form.starts_with("canonical") && peer.form.starts_with("plain") &&
                         std::has_single_bit(ours.n) && ours.form.find("rows") == std::string::npos;
    const bool in_order = ours.form.ends_with("in order");
    if (ours.form == peer.form + ", canonical") return peer.form + " | " + ours.type;
    return is_pair ? ours.ladder + (in_order ? ", in order | " : " | ") + ours.type : std::string();
  });
}

library_results::library_results(const fs::path& folder, std::span<const char* const> names) {
  std::vector<std::pair<fs::path, measure::document>> documents;
  for (const char* const name : names) {
    documents.emplace_back(folder / name, measure::parse_json_document(text_of(folder / name)));
  }
  for (const auto& [file, document] : documents) {
    const auto& run = document.run;
    double copy = 0;  // the best of the copies beside scans
    for (const auto& m : document.measurements) {
      if (m.name == "copy") copy = std::max(copy, m.gigabytes_per_second());
    }
    std::set<std::string> found;
    for (const auto& m : document.measurements) {
      const auto about = what_and_call(m);
      if (!about) continue;
      if (!m.verdict.right) throw warpfold::error(file.string() + ": a result is wrong");
      const auto& [what, call] = *about;
      found.insert(what);
      double ceiling = std::max(m.read_ceiling_gbs, m.copy_ceiling_gbs);
      if (ceiling == 0 && what == "scan") ceiling = copy;
      rows_.push_back({.what = what,
                       .type = m.type,
                       .who = m.name,
                       .call = call,
                       .n = m.n,
                       .median_us = m.timing->median(),
                       .gigabytes_per_second = m.gigabytes_per_second(),
                       .ceiling_gbs = ceiling});
    }
    for (const auto& what : found) {
      sources_.emplace_back(what, fmt::format("{}, driver {}, {}, commit {}: `{}`.", run.device,
                                              run.driver, run.toolkit, run.commit, run.command));
    }
  }
}

const library_row* library_results::find(const std::string& what, const std::string& type,
                                         std::size_t n, const std::string& who,
                                         const std::string& call) const {
  const library_row* best = nullptr;
  for (const auto& row : rows_) {
    const bool asked = row.what == what && row.type == type && row.n == n && row.call == call &&
                       row.who.starts_with(who);
    if (asked && (best == nullptr || row.median_us < best->median_us)) best = &row;
  }
  return best;
}

std::string library_results::table(const std::string& what) const {
  std::string text =
      "| type | n | call, µs | CUB | × | in a graph, µs | CUB | × | GB/s | % of ceiling |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  std::set<std::pair<std::string, std::size_t>> seen;
  for (const auto& row : rows_) {
    if (row.what != what || !seen.insert({row.type, row.n}).second) continue;
    const auto beside = [&](const char* call) {
      const auto* const ours = find(what, row.type, row.n, "warpfold", call);
      const auto* const theirs = find(what, row.type, row.n, "cub", call);
      if (ours == nullptr) throw warpfold::error("bench/results: no time of ours for " + what);
      if (theirs == nullptr) return fmt::format(" {:.2f} | – | – |", ours->median_us);
      return fmt::format(" {:.2f} | {:.2f} | {:.2f} |", ours->median_us, theirs->median_us,
                         theirs->median_us / ours->median_us);
    };
    const auto* const ours = find(what, row.type, row.n, "warpfold", "graph");
    text += fmt::format(
        "| {} | {} |{}{} {:.0f} | {} |\n", row.type, row.n, beside("single"), beside("graph"),
        ours->gigabytes_per_second,
        ours->ceiling_gbs > 0
            ? fmt::format("{:.0f}", 100 * ours->gigabytes_per_second / ours->ceiling_gbs)
            : "–");
  }
  for (const auto& [about, source] : sources_) {
    if (about == what) text += "\n" + source + "\n";
  }
  return text;
}

std::string library_results::item_table(const std::string& peer) const {
  constexpr std::string_view about = "sort-pairs, items of ";
  std::set<std::size_t> sizes;
  std::vector<std::pair<std::string, std::string>> cells;  // a type of keys, and what
  std::string source;
  for (const auto& row : rows_) {
    if (!row.what.starts_with(about) || row.who != peer || row.call != "single") continue;
    sizes.insert(row.n);
    const std::pair cell{row.type, row.what};
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
    for (const auto& [what, from] : sources_) {
      if (what == row.what) source = from;
    }
  }
  std::string text = "| keys | bytes of an item |";
  for (const std::size_t n : sizes) text += fmt::format(" 2^{} |", std::countr_zero(n));
  text += "\n|---|---:|";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += "---:|";
  std::sort(cells.begin(), cells.end(), [&](const auto& a, const auto& b) {
    const auto order = [&](const auto& cell) {
      return std::pair{std::stoi(cell.first.substr(1)),
                       std::stoi(cell.second.substr(about.size()))};
    };
    return order(a) < order(b);
  });
  for (const auto& [type, what] : cells) {
    text += fmt::format("\n| {} | {} |", type, what.substr(about.size()));
    text += ratios(what, type, sizes, peer, "single");
  }
  return text + "\n\n" + source + "\n";
}

std::string library_results::ratios(const std::string& what, const std::string& type,
                                    const std::set<std::size_t>& sizes, const std::string& peer,
                                    const std::string& call) const {
  std::string text;
  for (const std::size_t n : sizes) {
    const auto* const ours = find(what, type, n, "warpfold", call);
    const auto* const theirs = find(what, type, n, peer, call);
    text += ours == nullptr || theirs == nullptr
                ? " – |"
                : fmt::format(" {:.2f} |", theirs->median_us / ours->median_us);
  }
  return text;
}

std::string library_results::struct_table() const {
  constexpr const char* type = "2 u32";
  struct line {
    const char *what, *words;
  };
  constexpr line lines[] = {
      {"sort-structs, members", "by their members | `DeviceRadixSort`, decomposed"},
      {"sort-structs, comparator", "by a comparator | `DeviceMergeSort`"}};
  std::set<std::size_t> sizes;
  for (const auto& row : rows_) {
    if (row.what == lines[0].what) sizes.insert(row.n);
  }
  std::string text = "| sorted | CUB's call | timed |";
  for (const std::size_t n : sizes) text += fmt::format(" 2^{} |", std::countr_zero(n));
  text += "\n|---|---|---|";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += "---:|";
  std::string source;
  for (const auto& [what, words] : lines) {
    for (const auto& [call, name] : {std::pair{"single", "call"}, std::pair{"graph", "graph"}}) {
      text += fmt::format("\n| {} | {} |", words, name) + ratios(what, type, sizes, "cub", call);
    }
    for (const auto& [of, from] : sources_) {
      if (of == what) source = from;
    }
  }
  return text + "\n\n" + source + "\n";
}

std::string library_results::headline() const {
  struct line {
    const char *what, *type, *words;
    std::set<int> powers;
  };
  const line lines[] = {{"sum", "i32", "sum of i32", {14, 20, 24, 28}},
                        {"scan", "i32", "exclusive sum of i32", {14, 20, 24, 28}},
                        {"sort-keys", "u32", "sort of u32 keys", {10, 14, 18}},
                        {"sort-pairs", "u32", "sort of u32 pairs", {8, 10, 14, 18}}};
  std::set<int> columns;
  for (const line& l : lines) columns.insert(l.powers.begin(), l.powers.end());
  std::string text = "| warpfold / CUB, µs |", rule = "|---|";
  for (const int power : columns) {
    text += fmt::format(" 2^{} |", power);
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const auto& [what, type, words, powers] : lines) {
    text += fmt::format("| {} |", words);
    for (const int power : columns) {
      if (!powers.contains(power)) {
        text += " – |";
        continue;
      }
      const std::size_t n = std::size_t{1} << power;
      const auto* const ours = find(what, type, n, "warpfold", "graph");
      const auto* const theirs = find(what, type, n, "cub", "graph");
      if (ours == nullptr || theirs == nullptr) {
        throw warpfold::error(fmt::format("bench/results: no {} of 2^{}", words, power));
      }
      text += fmt::format(" {:.2f} / {:.2f} |", ours->median_us, theirs->median_us);
    }
    text += "\n";
  }
  return text;
}

void library_results::draw(const fs::path& file) const {
  std::vector<panel> panels;
  for (const auto& [what, title] : {std::pair{"sum", "Sum of i32, read once"},
                                    {"scan", "Exclusive sum of i32, read and written once"}}) {
    panel p{.title = title, .curves = {{"CUB", "w1", {}}, {"warpfold", "w0", {}}}, .ceiling = 0};
    for (const auto& row : rows_) {
      if (row.what != what || row.type != "i32" || row.call != "graph") continue;
      p.ceiling = std::max(p.ceiling, row.ceiling_gbs);
      for (const auto& [who, which] : {std::pair{"cub", 0}, {"warpfold", 1}}) {
        if (row.who != who) continue;
        p.curves[static_cast<std::size_t>(which)].points.emplace_back(row.n,
                                                                      row.gigabytes_per_second);
      }
    }
    for (auto& curve : p.curves) std::sort(curve.points.begin(), curve.points.end());
    panels.push_back(std::move(p));
  }
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << plot(panels);
}
