// What each line takes of a predicted time: its share of what the limiters count.
#include <algorithm>
#include <array>
#include <cmath>

#include "simt/report.hpp"

namespace simt {

namespace {

using by_limiter = std::array<double, limiter_names.size()>;

double real(std::uint64_t n) { return static_cast<double>(n); }

/// What the line asks of each unit; 0 for what no line has.
by_limiter asked_by(const line_counts& l, const device_model& d) {
  const counters& c = l.counted;
  const double sectors = real(c.global_load.sectors + c.global_store.sectors +
                              c.global_atomic.sectors + c.bulk_bytes / 32);
  const double global =
      real(c.global_load.requests + c.global_store.requests + c.global_atomic.requests);
  const double shared = real(c.shared_load.requests + c.shared_store.requests +
                             c.shared_atomic.requests + c.remote_shared.requests);
  by_limiter asked{};
  const auto of = [&](limiter l) -> double& { return asked[static_cast<std::size_t>(l)]; };
  of(limiter::dram) = of(limiter::l2) = sectors;
  of(limiter::l1) = std::max(global, sectors / 4);
  of(limiter::shared) =
      real(c.shared_load.wavefronts + c.shared_store.wavefronts + c.shared_atomic.requests +
           c.shared_atomic.conflicts + 2 * c.remote_shared.requests);
  of(limiter::issue) = real(l.instructions) + global + shared;
  of(limiter::latency) =
      real(l.instructions) * d.add_cycles + real(c.global_load.requests) * d.l2_cycles +
      real(c.shared_load.requests + c.shared_atomic.requests) * d.shared_cycles +
      real(c.shared_load.wavefronts - std::min(c.shared_load.wavefronts, c.shared_load.requests));
  of(limiter::atomics) = real(c.global_atomic.sectors);
  return asked;
}

/// A line that several kernels have, as templates do, takes what it takes in all of them.
void add(std::vector<line_time>& to, const line_time& more) {
  const auto known = std::find_if(to.begin(), to.end(), [&](const line_time& l) {
    return l.file == more.file && l.line == more.line;
  });
  if (known == to.end()) return to.push_back(more);
  if (more.us > known->us) known->by = more.by;
  known->us += more.us;
}

/// Of the kernel's time without its launches, by what limits it: the longest takes most.
by_limiter time_by_limiter(const prediction& p, double us) {
  by_limiter times{};
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) sum += times[i] = std::pow(p.parts_us[i], 4);
  for (double& t : times) t = sum == 0 ? 0 : t / sum * us;
  return times;
}

void add_lines(std::vector<line_time>& to, const kernel_report& k, const by_limiter& times,
               const device_model& d) {
  by_limiter all{};
  for (const line_counts& l : k.lines) {
    const by_limiter asked = asked_by(l, d);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += asked[i];
  }
  for (const line_counts& l : k.lines) {
    const by_limiter asked = asked_by(l, d);
    line_time time{.file = l.file, .line = l.line};
    double most = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double us = all[i] == 0 ? 0 : times[i] * asked[i] / all[i];
      time.us += us;
      if (us > most) time.by = limiter(i);
      most = std::max(most, us);
    }
    if (time.us > 0) add(to, time);
  }
}

void sort_by_time(std::vector<line_time>& lines) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const line_time& a, const line_time& b) { return a.us > b.us; });
}

}  // namespace

prediction report::prediction(std::string_view device) const {
  return prediction(find_device_model(device));
}

prediction report::prediction(const device_model& device) const {
  simt::prediction whole = predict(after_copies(profiles_), device);
  if (!whole.no_ground.empty()) return whole;
  for (const kernel_report& k : kernels_) {
    for (const line_time& l : k.prediction(device).lines) add(whole.lines, l);
  }
  sort_by_time(whole.lines);
  return whole;
}

prediction kernel_report::prediction(const device_model& device) const {
  simt::prediction p = predict(after_copies(launches), device);
  if (!p.no_ground.empty() || launches.empty()) return p;
  const double launching = device.launch_us + (real(total.launches) - 1) * device.gap_us;
  simt::prediction without = p;
  without.parts_us[static_cast<std::size_t>(limiter::launch)] -= launching;
  add_lines(p.lines, *this, time_by_limiter(without, std::max(0.0, p.us - launching)), device);
  sort_by_time(p.lines);
  return p;
}

}  // namespace simt
