// The report as text: the summary, and each kernel's counters.
#include <algorithm>

#include "simt/report.hpp"
#include "simt/src/memory/short_name.hpp"
#include "simt/src/record/format.hpp"
#include "simt/src/settings.hpp"

namespace simt {

namespace {

using detail::fixed;
using detail::right;
using detail::with_separators;

std::string shape(const dim3& d) {
  std::string text = std::to_string(d.x);
  if (d.y != 1 || d.z != 1) text += " x " + std::to_string(d.y);
  if (d.z != 1) text += " x " + std::to_string(d.z);
  return text;
}

std::string plural(std::uint64_t n, const std::string& what) {
  return with_separators(n) + " " + what + (n == 1 ? "" : "s");
}

std::string per(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "–";
  return fixed(static_cast<double>(part) / static_cast<double>(whole), 2);
}

std::string row(const std::string& name, const std::vector<std::string>& cells) {
  std::string line = "  " + name + std::string(18 - name.size(), ' ');
  for (const std::string& c : cells) line += right(c, 16);
  return line + "\n";
}

std::string global_row(const std::string& name, const counters::memory& m, bool bytes) {
  return row(name,
             {with_separators(m.requests), with_separators(m.sectors), per(m.sectors, m.requests),
              bytes && m.sectors != 0 ? fixed(m.efficiency(), 1) : "–"});
}

std::string shared_row(const std::string& name, const counters::memory& m, bool wavefronts) {
  return row(name, {with_separators(m.requests), wavefronts ? with_separators(m.wavefronts) : "–",
                    with_separators(m.conflicts)});
}

/// The other bound of each counter that nvcc may change, with the lines that it is about.
std::string what_nvcc_may_merge(const kernel_report& k) {
  std::string text;
  const auto add = [&](std::int64_t nvcc_changes::*change, std::uint64_t ours,
                       const std::string& what) {
    if (k.nvcc.*change == 0) return;
    text +=
        "  nvcc may merge: " + with_separators(ours + static_cast<std::uint64_t>(k.nvcc.*change)) +
        " " + what + ", not " + with_separators(ours);
    std::string where;
    for (const line_counts& l : k.lines) {
      if (l.nvcc.*change == 0) continue;
      where +=
          (where.empty() ? "" : ", ") + detail::base_name(l.file) + ":" + std::to_string(l.line);
    }
    text += " (" + where + ")\n";
  };
  const counters& c = k.total;
  add(&nvcc_changes::load_requests, c.global_load.requests, "requests of global loads");
  add(&nvcc_changes::store_requests, c.global_store.requests, "requests of global stores");
  add(&nvcc_changes::load_wavefronts, c.shared_load.wavefronts, "wavefronts of shared loads");
  add(&nvcc_changes::store_wavefronts, c.shared_store.wavefronts, "wavefronts of shared stores");
  return text;
}

std::string counters_of(const kernel_report& k, const device_model& device) {
  const counters& c = k.total;
  std::string text = k.heading() + "\n";
  if (!k.launches.empty()) text += "  " + k.prediction(device).text() + "\n";
  const auto used = [](const auto&... m) { return ((m.requests + ...) != 0); };
  if (used(c.global_load, c.global_store, c.global_atomic)) {
    text += row("global memory", {"requests", "sectors", "sectors/request", "% bytes used"});
    text += global_row("loads", c.global_load, true) + global_row("stores", c.global_store, true);
    if (used(c.global_atomic)) text += global_row("atomics", c.global_atomic, false);
  }
  if (used(c.shared_load, c.shared_store, c.shared_atomic)) {
    text += row("shared memory", {"requests", "wavefronts", "conflicts"});
    text += shared_row("loads", c.shared_load, true) + shared_row("stores", c.shared_store, true);
    if (used(c.shared_atomic)) text += shared_row("atomics", c.shared_atomic, false);
  }
  text += what_nvcc_may_merge(k);
  text += "  " + plural(c.warps, "warp") + ", " + plural(c.barriers, "barrier") + ", " +
          per(c.lane_steps, c.warp_steps) + " of 32 lanes active, ";
  return text +
         (c.branches == 0 ? "no branch was taken both ways"
                          : fixed(100 - 100 * static_cast<double>(c.divergent_branches) /
                                            static_cast<double>(c.branches),
                                  1) +
                                " % of branch decisions uniform") +
         "\n";
}

}  // namespace

std::string kernel_report::heading() const {
  std::string text =
      detail::short_name(name) + " · grid " + shape(grid) + ", block " + shape(block);
  if (shared_bytes != 0) text += ", " + plural(shared_bytes, "byte") + " of dynamic shared memory";
  if (total.launches > 1) text += " · " + with_separators(total.launches) + " launches";
  if (shapes_differ) text += " of different shapes";
  return text;
}

std::string report::summary() const {
  std::string text;
  for (const std::string& e : errors_) text += "error: " + e + "\n";
  for (const finding& f : findings_) text += f.text();
  if (!text.empty()) text += "\n";
  for (const kernel_report& k : kernels_) {
    constexpr std::size_t most = 3;
    const std::vector<remark> all = remarks(k);
    text += k.heading() + "\n";
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
      text += "  " + all[i].text() + "\n";
    if (all.size() > most) {
      text += "  and " + plural(all.size() - most, "lesser remark") + ", see the lines\n";
    }
    if (all.empty()) text += "  no line stands out\n";
  }
  if (kernels_.empty() && text.empty()) text = "no kernel has run\n";
  return text;
}

std::string report::text() const {
  std::string text = summary();
  const device_model device = find_device_model(detail::the_settings().modelled_device());
  for (const kernel_report& k : kernels_) text += "\n" + counters_of(k, device);
  return text;
}

std::string report::source_view() const {
  std::string text;
  for (const kernel_report& k : kernels_) {
    text += (text.empty() ? "" : "\n") + k.heading() + "\n" + simt::source_view(k);
  }
  return text;
}

}  // namespace simt
