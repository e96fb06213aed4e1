#include "simt/src/time/launch_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace simt::detail {

double overlapped(double x, double y) {
  return std::pow(std::pow(x, model.overlap_power) + std::pow(y, model.overlap_power),
                  1 / model.overlap_power);
}

launch_model::launch_model(const launch_profile& p, const device_model& d)
    : p_(p), d_(d), launches_(number(p.launches)), warps_(p.warps()) {
  blocks_ = number(p.blocks());
  occupancy_ = occupancy();
  blocks_per_processor_ = std::ceil(blocks_ / d_.processors_for_clusters(p_.cluster));
  resident_ = std::min(occupancy_, blocks_per_processor_);
  waves_ = std::ceil(blocks_per_processor_ / resident_);
  busiest_share_ = blocks_per_processor_ / blocks_ * load_imbalance();
}

bool launch_model::fits() const { return occupancy_ >= 1; }

std::array<double, limiter_names.size()> launch_model::parts() const {
  std::array<double, limiter_names.size()> us{};
  const auto part = [&](limiter l) -> double& { return us[static_cast<std::size_t>(l)]; };
  part(limiter::dram) = dram_us();
  part(limiter::l2) = l2_us();
  part(limiter::l1) = us_of(l1_cycles());
  part(limiter::shared) = us_of(shared_cycles());
  part(limiter::issue) = us_of(issue_cycles());
  part(limiter::atomics) = atomics_us();
  part(limiter::launch) = block_dispatch_us();
  const double generations = blocks_per_processor_ / resident_;
  part(limiter::latency) = us_of(generations * critical_path_cycles());
  part(limiter::barriers) = us_of(generations * barrier_cycles());
  part(limiter::tail) = us_of((std::ceil(generations) - generations) * block_cycles());
  return us;
}

double launch_model::waves_us() const { return waves_of_us(block_cycles()); }

double launch_model::dispatched_us() const { return block_dispatch_us() + us_of(block_cycles()); }

limiter launch_model::limit(const std::array<double, limiter_names.size()>& parts,
                            double us) const {
  constexpr std::array units{limiter::dram,   limiter::l2,    limiter::l1,
                             limiter::shared, limiter::issue, limiter::atomics};
  constexpr std::array others{limiter::latency, limiter::barriers, limiter::launch, limiter::tail};
  const auto part = [&](limiter l) { return parts[static_cast<std::size_t>(l)]; };
  const auto share = [&](limiter l) {
    switch (l) {
      case limiter::dram: return part(l) / us * d_.read_gbs / d_.memory_gbs;
      case limiter::l2: return filled_l2_us() / us;
      case limiter::l1:
      case limiter::shared:
        return (has_unified_l1(d_) ? part(limiter::l1) + part(limiter::shared) : part(l)) / us;
      default: return part(l) / us;
    }
  };
  const auto takes = [&](limiter l) { return std::pair{share(l), part(l)}; };
  const limiter busiest = std::ranges::max(units, {}, takes);
  return share(busiest) >= model.busy_share ? busiest : std::ranges::max(others, {}, part);
}

double launch_model::last_block_us() const {
  const auto more = [&](std::uint64_t last, std::uint64_t all) {
    return each(last) - each(all) / blocks_;
  };
  return us_of(std::max(0.0, more(p_.last.chain, p_.path.chain) * d_.add_cycles +
                                 more(p_.last.shared, p_.path.shared) * d_.shared_cycles +
                                 more(p_.last.global, p_.path.global) * d_.written_cycles +
                                 more(p_.last.trips, p_.path.trips) * d_.atomic_cycles +
                                 more(p_.last.fences, p_.path.fences) * d_.fence_cycles +
                                 more(p_.last.barriers, p_.counted.barriers) * barrier_latency()));
}

double launch_model::ramp_us() const {
  const double missed = p_.reads.misses(d_.l2_held_mib * mib);
  if (missed == 0) return 0;
  return d_.ramp_us * std::ceil(missed / each(p_.reads.total())) / launches_;
}

double launch_model::store_drain_us() const {
  return p_.writes.total() + p_.counted.global_atomic.requests > 0 ? us_of(d_.l2_cycles) : 0;
}

double launch_model::each(std::uint64_t n) const { return number(n) / launches_; }

double launch_model::us_of(double cycles) const { return cycles / d_.clock_ghz * 1e-3; }

double launch_model::waves_of_us(double cycles) const {
  const double next = d_.block_cycles + (d_.block_1024_cycles - d_.block_cycles) *
                                            (warps_ - model.start_warps) /
                                            (model.warps_of_1024 - model.start_warps);
  return us_of(waves_ * cycles + (waves_ - 1) * next);
}

double launch_model::occupancy() const {
  const double threads = 32.0 * p_.warps();
  double fits = std::min(d_.blocks_per_processor, std::floor(d_.threads_per_processor / threads));
  if (p_.shared_bytes != 0) {
    const double own =
        std::ceil((number(p_.shared_bytes) + model.shared_reserved) / model.shared_unit) *
        model.shared_unit;
    fits = std::min(fits, std::floor((d_.shared_kib_per_processor + 1) * kib / own));
  }
  const auto known = p_.registers.find(static_cast<int>(d_.capability));
  if (known != p_.registers.end()) {
    const double of_warp =
        std::ceil(32.0 * known->second / model.register_unit) * model.register_unit;
    const double warps = model.register_banks *
                         std::floor(d_.registers_per_processor / model.register_banks / of_warp);
    fits = std::min(fits, std::floor(warps / p_.warps()));
  }
  return fits;
}

double launch_model::load_imbalance() const {
  const double sum = number(p_.path.length());
  const double processors = std::min(d_.processors, blocks_ / blocks_per_processor_);
  if (sum == 0 || processors < 2 || blocks_per_processor_ > 2 * resident_) return 1;
  const double mean = sum / (launches_ * blocks_);
  const double variation = std::sqrt(p_.path_squares / (launches_ * blocks_)) / mean;
  const double spread = std::sqrt(2 * std::log(processors));
  const double largest =
      spread - (std::log(std::log(processors)) + std::log(4 * std::numbers::pi)) / (2 * spread);
  return 1 + std::max(0.0, largest) * variation / std::sqrt(blocks_per_processor_);
}

double launch_model::l2_us(double filled) const {
  return overlapped(l2_read_us(),
                    l2_write_us() + sectors_us(filled, std::max(d_.l2_write_gbs, d_.read_gbs)));
}

double launch_model::l2_read_us() const {
  return sectors_us(std::max(number(p_.reads.total()), least_sectors() * number(p_.read_halves)),
                    d_.l2_gbs);
}

double launch_model::l2_write_us() const {
  const double sectors =
      std::max(number(p_.writes.total()), least_sectors() * number(p_.write_halves));
  const double partial =
      p_.write_halves == 0 ? 0 : number(p_.partial_halves) / number(p_.write_halves);
  return sectors_us((1 - partial) * sectors, d_.l2_write_gbs) +
         sectors_us(partial * sectors, d_.l2_partial_gbs);
}

double launch_model::sectors_us(double sectors, double gbs) const {
  return sectors / launches_ * sector_bytes / gbs * 1e-3;
}

double launch_model::filled_l2_us() const { return l2_us(p_.reads.misses(d_.l2_held_mib * mib)); }

double launch_model::least_sectors() const {
  return d_.capability >= 80 ? model.half_line_sectors : 0;
}

double launch_model::dram_us() const {
  const double held = d_.l2_held_mib * mib;
  const double read = p_.reads.misses(held);
  const double written = p_.writes.misses(held) + number(p_.driven_out);
  // What is written stays in the cache at first, and what was written before makes room for it.
  // Memory that turns from reading to writing takes longer than both: as a copy shows.
  const double turning = 2 / d_.copy_gbs - 1 / d_.read_gbs - 1 / d_.write_gbs;
  return sectors_us(read, d_.read_gbs) + sectors_us(written, d_.write_gbs) +
         sectors_us(std::min(read, written), 1) * std::max(0.0, turning);
}

double launch_model::l1_cycles() const {
  return busiest_share_ * each(p_.global_lines) / d_.l1_lines_per_clock;
}

double launch_model::shared_cycles() const {
  const counters& c = p_.counted;
  const double wavefronts =
      each(c.shared_load.wavefronts + c.shared_store.wavefronts + p_.skipped + p_.shuffles) +
      model.start_wavefronts * warps_ * blocks_;
  const double remote =
      d_.remote_per_clock == 0 ? 0 : each(c.remote_shared.requests) / d_.remote_per_clock;
  const double atomics = each(c.shared_atomic.requests + c.shared_atomic.conflicts);
  return busiest_share_ * (wavefronts / d_.shared_wavefronts_per_clock + remote +
                           atomics / d_.shared_atomic_per_clock);
}

double launch_model::issue_cycles() const {
  const double schedulers =
      std::max({d_.f32_per_clock, d_.integer_per_clock, model.least_issue_rate});
  const double divided = each(p_.divides) / d_.divide_per_clock;
  const double all = each(p_.instructions());
  const double doubles = p_.doubles == 0 ? 0 : each(p_.doubles) / d_.f64_per_clock;
  const double shuffles = p_.shuffles == 0 ? 0 : each(p_.shuffles) / d_.shuffle_per_clock;
  return busiest_share_ *
         std::max({all / schedulers + divided, each(p_.integers) / d_.integer_per_clock + divided,
                   each(p_.multiplies) / d_.multiply_per_clock + divided,
                   each(p_.floats) / d_.f32_per_clock, doubles, shuffles,
                   each(p_.special) / d_.special_per_clock});
}

double launch_model::block_cycles() const {
  if (p_.counted.barriers == 0) return critical_path_cycles();
  const double way = path_with_barriers_cycles();
  const double together = p_.path.cluster_barriers == 0 ? 1 : resident_;
  const double own =
      overlapped(issue_cycles(), together * l1_and_shared_cycles()) / blocks_per_processor_;
  const double met = each(p_.counted.barriers + p_.path.cluster_barriers);
  const double steps = each(p_.path.global + p_.path.shared) / std::max(met, blocks_);
  return std::max(way, own) + std::min(way, own) / std::max(1.0, steps);
}

double launch_model::l1_and_shared_cycles() const {
  return shared_cycles() + (has_unified_l1(d_) ? l1_cycles() : 0);
}

double launch_model::path_with_barriers_cycles() const {
  return critical_path_cycles() + each(p_.counted.barriers) / blocks_ * d_.barrier_cycles;
}

double launch_model::critical_path_cycles() const {
  return (each(p_.path.chain) * d_.add_cycles + each(p_.path.shared) * shared_load_cycles() +
          each(p_.path.global) * load_cycles() + each(p_.path.trips) * d_.atomic_cycles +
          each(p_.path.fences) * d_.fence_cycles +
          each(p_.path.cluster_barriers) * cluster_barrier_latency()) /
         blocks_;
}

double launch_model::barrier_cycles() const {
  return each(p_.counted.barriers) / blocks_ * barrier_latency();
}

double launch_model::barrier_latency() const {
  return d_.barrier_cycles +
         barrier_cycles_per_warp() * std::max(0.0, warps_ - model.barrier_warps);
}

double launch_model::cluster_barrier_latency() const {
  return d_.cluster_barrier_cycles +
         (d_.cluster_barrier_1024_cycles - d_.cluster_barrier_cycles) /
             (model.warps_of_1024 - model.barrier_warps) *
             std::max(0.0, warps_ - model.barrier_warps) +
         (p_.counted.remote_shared.requests == 0 ? 0 : d_.remote_cycles);
}

double launch_model::barrier_cycles_per_warp() const {
  return std::max(0.0, d_.barrier_1024_cycles - d_.barrier_cycles) /
         (model.warps_of_1024 - model.barrier_warps);
}

double launch_model::shared_load_cycles() const {
  const double remote = number(p_.counted.remote_shared.requests);
  if (remote == 0) return d_.shared_cycles;
  const double part = remote / (remote + number(p_.counted.shared_load.requests));
  return d_.shared_cycles + part * (d_.remote_cycles - d_.shared_cycles);
}

double launch_model::load_cycles() const {
  const double beyond = number(p_.reads.total());
  if (beyond == 0) return d_.l2_cycles;
  const double lines = lines_per_request();
  const double none_missed = std::pow(1 - sectors_waiting_for_dram() / beyond, lines);
  return none_missed * d_.l2_cycles + (1 - none_missed) * d_.dram_cycles +
         (lines - 1) / d_.l1_lines_per_clock;
}

double launch_model::sectors_waiting_for_dram() const {
  const double missed = p_.reads.misses(d_.l2_held_mib * mib);
  const double of_block = number(p_.reads.total()) / (launches_ * blocks_);
  const double of_generation = of_block * std::min(blocks_, resident_ * d_.processors);
  const double shared = p_.reads.between(of_block, of_generation);
  const double before = p_.reads.between(of_generation, d_.l2_held_mib * mib / sector_bytes);
  const double first = missed + before;
  const double waiting = first == 0 ? 0 : missed + shared * missed / first;
  return std::min(waiting, number(p_.reads.total()));
}

double launch_model::lines_per_request() const {
  const counters& c = p_.counted;
  const double requests =
      number(c.global_load.requests + c.global_store.requests + c.global_atomic.requests);
  return requests == 0 ? 1 : std::max(1.0, number(p_.global_lines) / requests);
}

double launch_model::atomics_us() const {
  return std::max(each(p_.hottest_atomics) * d_.atomic_same_ns,
                  std::max(each(p_.counted.global_atomic.sectors),
                           least_sectors() * each(p_.atomic_halves)) *
                      d_.atomic_sector_ns) *
         1e-3;
}

double launch_model::block_dispatch_us() const {
  return blocks_ *
         (d_.block_ns + (d_.block_1024_ns - d_.block_ns) * (warps_ - model.start_warps) /
                            (model.warps_of_1024 - model.start_warps)) *
         1e-3;
}

}  // namespace simt::detail
