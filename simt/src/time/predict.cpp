// The model; docs/time.md explains each line of it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "simt/prediction.hpp"
#include "simt/src/time/launch_model.hpp"

namespace simt {

namespace {

using detail::has_unified_l1;
using detail::launch_model;
using detail::number;
using detail::overlapped;

double roofline_us(std::array<double, limiter_names.size()> parts, double waves_us,
                   const device_model& d) {
  const auto part = [&](limiter l) -> double& { return parts[static_cast<std::size_t>(l)]; };
  if (has_unified_l1(d)) part(limiter::shared) += std::exchange(part(limiter::l1), 0);
  double sum = waves_us;
  for (const auto l :
       {limiter::dram, limiter::l2, limiter::l1, limiter::shared, limiter::issue, limiter::atomics})
    sum = overlapped(sum, part(l));
  return sum;
}

std::string without_ground(const launch_profile& p, const launch_model& m, const device_model& d) {
  if (p.shuffles != 0 && d.shuffle_per_clock == 0) {
    return p.kernel + " uses shuffles, which the device lacks";
  }
  if (p.doubles != 0 && d.f64_per_clock == 0) return p.kernel + " uses f64, which the device lacks";
  if (!m.fits()) return "no block of " + p.kernel + " fits on this device";
  if (p.launches_kernels) return p.kernel + " launches kernels";
  if (p.waits) {
    return "threads of " + p.kernel + " wait for other threads' writes, which is not modelled";
  }
  return "";
}

}  // namespace

prediction predict(std::span<const launch_profile> launches, const device_model& device) {
  prediction sum;
  sum.device = device.name;
  double count = 0, end = 0, queued_end = 0, longest = 0;
  for (const launch_profile& p : launches) {
    if (p.launches == 0) continue;
    sum.registers_known &= p.registers.contains(static_cast<int>(device.capability));
    const launch_model m(p, device);
    if (sum.no_ground = without_ground(p, m, device); !sum.no_ground.empty()) return sum;
    auto parts = m.parts();
    const double times = number(p.launches);
    const double running = roofline_us(parts, m.waves_us(), device) + m.ramp_us();
    const double body =
        std::max(running, m.dispatched_us()) + m.last_block_us() + m.store_drain_us();
    parts[static_cast<std::size_t>(limiter::tail)] += m.last_block_us();
    for (std::size_t i = 0; i < parts.size(); ++i) sum.parts_us[i] += times * parts[i];
    if (times * body > longest) {
      longest = times * body;
      sum.kernel_by = m.limit(parts, body);
    }
    // The host puts launches into the stream while earlier ones run.
    for (double i = 0; i < times; ++i, ++count) {
      const double begin =
          count == 0 ? 0 : std::max(end + device.gap_us, count * device.next_launch_us);
      end = begin + body;
      queued_end += body + (count == 0 ? 0 : device.gap_us);
    }
  }
  if (count == 0) {
    sum.no_ground = "no launch was counted";
    return sum;
  }
  sum.us = device.launch_us + end;
  sum.queued_us = device.queued_us + queued_end;
  const double launching = device.launch_us + (count - 1) * device.gap_us;
  sum.parts_us[static_cast<std::size_t>(limiter::launch)] += launching;
  sum.by = launching > sum.us / 2 ? limiter::launch : sum.kernel_by;
  sum.error_pct = device.error_pct[static_cast<std::size_t>(sum.by)];
  sum.blind = device.blind[static_cast<std::size_t>(kind_of(sum.by))];
  return sum;
}

std::vector<launch_profile> after_copies(std::span<const launch_profile> launches) {
  std::vector<launch_profile> all(launches.begin(), launches.end());
  std::uint64_t first = 0;
  for (const launch_profile& p : all) first += p.reads.by_distance.back();
  for (launch_profile& p : all) {
    auto& reads = p.reads.by_distance;  // the last but one is the furthest that is in a cache
    const auto as_far = std::min<std::size_t>(std::bit_width(first), reads.size() - 2);
    reads[as_far] += std::exchange(reads.back(), 0);
  }
  return all;
}

std::string prediction::text() const {
  if (!no_ground.empty()) return "no prediction for " + device + ": " + no_ground;
  std::ostringstream out;
  out.precision(3);
  out << "~" << us << " µs on " << device << ", limited by " << name_of(by);
  if (!std::isnan(blind.mean)) {
    out << " (blind mean error " << std::lround(blind.mean) << " %, 9 of 10 within "
        << std::lround(blind.nine_of_ten) << " %)";
  }
  return out.str();
}

std::string prediction::lines_text() const {
  std::string text;
  for (const line_time& l : lines) {
    std::array<char, 64> amounts{};
    std::snprintf(amounts.data(), amounts.size(), "%4.0f %% %9.3g µs  ", 100 * l.us / us, l.us);
    text += amounts.data() + l.file.substr(l.file.find_last_of('/') + 1) + ":" +
            std::to_string(l.line) + "  " + std::string(name_of(l.by)) + "\n";
  }
  return text;
}

}  // namespace simt
