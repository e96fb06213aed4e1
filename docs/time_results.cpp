#include "docs/time_results.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "simt/device.hpp"

namespace {

using namespace warpfold::validation;

std::string power_of_two(std::size_t n) { return fmt::format("2^{}", std::bit_width(n) - 1); }

std::string error_cells(const errors& e) {
  return fmt::format("{} | {:.1f} % | {:+.1f} % | {:.1f} % | {:.1f} %", e.rows, e.mean, e.bias,
                     e.percentile_90, e.worst);
}
constexpr const char* error_heads = "rows | mean error | with its sign | 90th percentile | worst";

}  // namespace

std::string time_errors_table(std::span<const row> rows) {
  std::string text = fmt::format(
      "| ladder | type | {} | no time |\n|---|---|---:|---:|---:|---:|---:|---:|\n", error_heads);
  const auto line = [&](const std::string& ladder, const std::string& type, auto chosen) {
    const errors e = errors_of(rows, chosen);
    if (e.rows == 0) return;
    const auto without =
        std::ranges::count_if(rows, [&](const row& r) { return chosen(r) && !r.has_ground(); });
    text += fmt::format("| {} | {} | {} | {} |\n", ladder, type, error_cells(e), without);
  };
  for (const bool queued : {true, false}) {
    for (const std::string ladder : {"reduce", "scan", "sort"}) {
      for (const std::string type : {"i32", "u32", "f64"}) {
        line(ladder + (queued ? "" : ", launched by the host"), type, [&](const row& r) {
          return r.queued == queued && r.ladder == ladder && r.type == type;
        });
      }
    }
    line(queued ? "all" : "all, launched by the host", "",
         [&](const row& r) { return r.queued == queued; });
  }
  return text;
}

std::string time_sizes_table(std::span<const row> rows) {
  std::string text = fmt::format(
      "| ladder | n | {} | Kendall's τ, mean | least | of pairs told apart, mean | least |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      error_heads);
  std::set<std::pair<std::string, std::size_t>> groups;
  for (const row& r : rows) groups.emplace(r.ladder, r.n);
  for (const auto& group : groups) {
    const std::string ladder = group.first;
    const std::size_t n = group.second;
    const auto chosen = [&](const row& r) { return r.queued && r.ladder == ladder && r.n == n; };
    const errors e = errors_of(rows, chosen);
    if (e.rows == 0) continue;
    const order o = order_of(rows, chosen);
    text += fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", ladder,
                        power_of_two(n), error_cells(e), o.mean_tau, o.least_tau, o.mean_told_apart,
                        o.least_told_apart);
  }
  return text;
}

std::string time_limiters_table(std::span<const row> rows) {
  std::string text =
      fmt::format("| limited by | {} |\n|---|---:|---:|---:|---:|---:|\n", error_heads);
  for (std::size_t i = 0; i < simt::limiter_names.size(); ++i) {
    const errors e = errors_of(
        rows, [&](const row& r) { return r.queued && r.predicted.by == simt::limiter(i); });
    if (e.rows != 0) text += fmt::format("| {} | {} |\n", simt::limiter_names[i], error_cells(e));
  }
  return text;
}

std::string time_limits_table(const std::filesystem::path& results) {
  const auto rows = warpfold::validation::limit_rows(results, simt::find_device_model("h100"));
  std::string text = "| ladder | rung | profiler | predicted | |\n|---|---|---|---|---|\n";
  std::size_t agreed = 0, close = 0;
  for (const auto& r : rows) {
    agreed += r.agrees() ? 1 : 0;
    close += r.is_close() ? 1 : 0;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", r.ladder, r.rung, r.profiled, r.predicted,
                        r.agrees()     ? "as profiled"
                        : r.is_close() ? "within 2 % of the peak"
                                       : "differs");
  }
  return text + fmt::format(
                    "\nThe same limit in {} of {} rungs; in {} the same, or one that the "
                    "profiler has within 2 % of it.\n",
                    agreed, rows.size(), close);
}

std::string time_instructions_table(const std::filesystem::path& results) {
  std::string text =
      "| ladder | rung | kernel | executed, thousands | counted, thousands | |\n"
      "|---|---|---|---:|---:|---:|\n";
  double sum = 0, worst = 0;
  const auto rows = warpfold::validation::instructions_rows(results);
  for (const auto& r : rows) {
    const double off = 100 * (r.counted / r.executed - 1);
    sum += std::abs(off);
    worst = std::max(worst, std::abs(off));
    text += fmt::format("| {} | {} | `{}` | {:.0f} | {:.0f} | {:+.0f} % |\n", r.ladder, r.rung,
                        r.kernel, r.executed / 1e3, r.counted / 1e3, off);
  }
  return text + fmt::format("\nMean {:.0f} %, worst {:.0f} %.\n",
                            sum / static_cast<double>(rows.size()), worst);
}

std::string time_worst_table(std::span<const row> rows) {
  constexpr std::size_t most = 12;
  std::vector<row> worst;
  std::ranges::copy_if(rows, std::back_inserter(worst),
                       [](const row& r) { return r.queued && r.has_ground(); });
  std::ranges::stable_sort(worst, [](const row& a, const row& b) {
    return std::abs(a.error_pct()) > std::abs(b.error_pct());
  });
  worst.resize(std::min(worst.size(), most));
  std::string text =
      "| ladder | rung | n | block | type | predicted, µs | measured, µs | error | limited by |\n"
      "|---|---|---|---:|---|---:|---:|---:|---|\n";
  for (const row& r : worst) {
    text += fmt::format("| {} | {} | {} | {} | {} | {:.4g} | {:.4g} | {:+.0f} % | {} |\n", r.ladder,
                        r.rung, power_of_two(r.n), r.block, r.type, r.predicted_us, r.measured_us,
                        r.error_pct(), simt::name_of(r.predicted.by));
  }
  return text;
}

std::string time_blind_table(std::span<const row> rows) {
  std::string text = fmt::format(
      "| kernels | limited by | {} |\n|---|---|---:|---:|---:|---:|---:|\n", error_heads);
  const auto lines = [&](const std::string& name, std::span<const row> of,
                         const std::string& half) {
    for (std::size_t i = 0; i <= simt::kind_names.size(); ++i) {
      const bool all = i == simt::kind_names.size();
      const errors e = errors_of(of, [&](const row& r) {
        return (half.empty() || r.half == half) &&
               (all || simt::kind_of(r.predicted.by) == simt::kernel_kind(i));
      });
      if (e.rows == 0) continue;
      text += fmt::format("| {} | {} | {} |\n", name, all ? "any" : simt::kind_names[i],
                          error_cells(e));
    }
  };
  std::vector<row> first(rows.begin(), rows.end());
  for (row& r : first) r.predicted_us = r.first_us;
  lines("unseen half", rows, "unseen");
  lines("tuning half", rows, "tuning");
  lines("all, before any was measured", first, "");
  return text;
}

std::string time_others_table(std::span<const row> rows) {
  std::string text =
      "| kernel | measured, µs | predicted, µs | error | limited by | predicted before | launched "
      "by the host, µs | error of that |\n|---|---:|---:|---:|---|---:|---:|---:|\n";
  double before = 0;
  for (const row& r : rows) {
    const double error = 100 * (r.first_us / r.launched_us - 1);
    before += std::abs(error) / static_cast<double>(rows.size());
    text += fmt::format("| {} | {:.4g} | {:.4g} | {:+.0f} % | {} | {:.4g} | {:.4g} | {:+.0f} % |\n",
                        r.rung, r.measured_us, r.predicted_us, r.error_pct(),
                        simt::name_of(r.predicted.by), r.first_us, r.launched_us, error);
  }
  const errors e = errors_of(rows, [](const row&) { return true; });
  return text +
         fmt::format(
             "\nMean error of the {} kernels: {:.1f} % (90th percentile {:.1f} %, worst {:.1f} "
             "%); of what was predicted before any of them ran: {:.1f} %.\n",
             e.rows, e.mean, e.percentile_90, e.worst, before);
}

std::string time_documents_table(const std::filesystem::path& results) {
  std::string text =
      "| device | rung | printed, ms | predicted, ms | times the printed | limited by |\n"
      "|---|---|---:|---:|---:|---|\n";
  constexpr std::pair<const char*, const char*> machines[] = {{"G80", "g80"},
                                                              {"Tesla K40m", "k40m"}};
  std::string orders;
  for (const auto& [machine, device] : machines) {
    const auto rows = document_rows(results, machine, simt::find_device_model(device));
    for (const row& r : rows) {
      text += fmt::format("| {} | {} | {:.3g} | {:.3g} | {:.2f} | {} |\n", machine, r.rung,
                          r.measured_us / 1000, r.predicted_us / 1000,
                          r.predicted_us / r.measured_us, simt::name_of(r.predicted.by));
    }
    if (rows.empty()) continue;
    orders += fmt::format("{}{} {:.2f}", orders.empty() ? "" : ", ", machine,
                          order_of(rows, [](const row&) { return true; }).mean_tau);
  }
  return text + "\nKendall's τ of the order: " + orders + ".\n";
}

std::string device_constants_table(bool of_measured) {
  std::string text = "| constant | what | least | most |\n|---|---|---:|---:|\n";
  for (const auto& c : simt::device_constants(of_measured))
    text += fmt::format("| `{}` | {} | {} | {} |\n", c.name, c.what, c.least, c.most);
  return text;
}

std::string cards_table() {
  std::string text =
      "| `SIMT_DEVICE` | card | capability | multiprocessors | threads, blocks of a multiprocessor "
      "| KiB shared: of a multiprocessor, of a block "
      "| clusters, bulk copies, programmatic launches |\n"
      "|---|---|---:|---:|---:|---:|---|\n";
  std::vector<simt::device_shape> cards;
  for (const auto& name : simt::device_names()) cards.push_back(simt::find_device_shape(name));
  std::ranges::stable_sort(cards, {}, &simt::device_shape::capability);
  for (const simt::device_shape& c : cards) {
    text += fmt::format("| `{}` | {} | {}.{} | {} | {}, {} | {}, {} | {} |\n", c.name, c.product,
                        c.capability / 10, c.capability % 10, c.processors, c.threads_per_processor,
                        c.blocks_per_processor, c.shared_per_processor >> 10,
                        c.shared_per_block >> 10, c.is_9_0() ? "yes" : "no");
  }
  return text;
}
