#include "bench/validation/caches.hpp"

#include <algorithm>

#include "ladder/run/driver.hpp"

namespace warpfold::validation {

namespace {

constexpr double mib = 1024 * 1024, sector_bytes = 32;

double bytes_held(const simt::device_model& d) { return d.l2_held_mib * mib; }

/// That part of what was used first had been in the cache.
void warm(simt::reuse_counts& counts, double part = 1) {
  const auto known =
      static_cast<std::uint64_t>(part * static_cast<double>(counts.by_distance.back()));
  counts.by_distance[1] += known;
  counts.by_distance.back() -= known;
}

}  // namespace

void as_the_ladder_leaves_it(std::vector<simt::launch_profile>& profiles, const ladder_run& run,
                             const simt::device_model& d) {
  const auto bytes = static_cast<double>(run.bytes);
  const auto copies = static_cast<double>(
      ladder::input_copies(run.bytes, static_cast<std::size_t>(d.l2_mib * mib)));
  const bool all_stay = copies * bytes <= bytes_held(d);
  // Outputs are filled before each sample, always the same ones.
  const bool outputs_stay = !run.in_place && 2 * bytes <= bytes_held(d);
  // The copies for a rung that spoils them are made before its first sample, which a warm-up
  // precedes: the last ones, as written, leave the cache only for the first samples' own.
  const double until_median = static_cast<double>(run.samples / 2) + 2;
  const bool others_leave = run.in_place && !all_stay && until_median * bytes <= bytes_held(d);
  for (auto& p : profiles) {
    if (all_stay) warm(p.reads);
    if (all_stay || outputs_stay) warm(p.writes);
    if (others_leave) p.driven_out = p.reads.by_distance.back();
  }
}

void as_a_profiler_leaves_it(std::vector<simt::launch_profile>& profiles,
                             const simt::device_model& d) {
  for (auto& p : profiles) {
    const auto sectors =
        static_cast<double>(p.reads.by_distance.back() + p.writes.by_distance.back());
    const double room = bytes_held(d) * static_cast<double>(p.launches) / sector_bytes;
    warm(p.writes, sectors == 0 ? 1 : std::min(1.0, room / sectors));
  }
}

}  // namespace warpfold::validation
