// One launch of a profile on a device: how long each part of it takes. docs/time.md explains each
// line.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "simt/prediction.hpp"

namespace simt::detail {

inline constexpr double sector_bytes = 32, kib = 1024, mib = kib * kib;

inline double number(std::uint64_t n) { return static_cast<double>(n); }

/// What goes on at the same time takes the longest of both, and a little of the other.
inline double side_by_side(double x, double y) {
  constexpr double power = 4;
  return std::pow(std::pow(x, power) + std::pow(y, power), 1 / power);
}

/// For lines of the first cache and passes over shared memory.
inline bool has_one_unit(const device_model& d) { return d.capability >= 70; }

/// One launch of a profile: everything a launch, with the device's shape.
class launch_model {
 public:
  launch_model(const launch_profile& p, const device_model& d)
      : p_(p), d_(d), launches_(number(p.launches)), warps_(p.warps()) {
    blocks_ = number(p.blocks());
    fitting_ = fitting_blocks();
    per_processor_ = std::ceil(blocks_ / d_.processors_for_clusters(p_.cluster));
    resident_ = std::min(fitting_, per_processor_);
    generations_ = std::ceil(per_processor_ / resident_);
    share_ = per_processor_ / blocks_ * imbalance();
  }

  [[nodiscard]] bool fits() const { return fitting_ >= 1; }

  /// Microseconds, by limiter; without the launch itself.
  [[nodiscard]] std::array<double, limiter_names.size()> parts() const {
    std::array<double, limiter_names.size()> us{};
    const auto part = [&](limiter l) -> double& { return us[static_cast<std::size_t>(l)]; };
    part(limiter::dram) = dram_us();
    part(limiter::l2) = l2_us();
    part(limiter::l1) = us_of(l1_cycles());
    part(limiter::shared) = us_of(shared_cycles());
    part(limiter::issue) = us_of(issue_cycles());
    part(limiter::atomics) = atomics_us();
    part(limiter::launch) = blocks_us();
    const double generations = per_processor_ / resident_;
    part(limiter::latency) = us_of(generations * path_cycles());
    part(limiter::barriers) = us_of(generations * barrier_cycles());
    part(limiter::tail) = us_of((std::ceil(generations) - generations) * block_cycles());
    return us;
  }

  /// Microseconds that a multiprocessor's blocks take one after another, with what comes between a
  /// block and the next in its place.
  [[nodiscard]] double blocks_in_turn_us() const { return in_turn_us(block_cycles()); }

  /// Until the last block has begun and gone its way: blocks begin at a rate that nothing else
  /// slows.
  [[nodiscard]] double all_begun_us() const { return blocks_us() + us_of(block_cycles()); }

  /// The unit that is busiest while the kernel runs for so long, as shares of what it can do at
  /// most; or, where none is busy enough, what the time goes to instead.
  [[nodiscard]] limiter limit(const std::array<double, limiter_names.size()>& parts,
                              double us) const {
    constexpr double busy = 0.6;  // as profilers have it
    constexpr std::array units{limiter::dram,   limiter::l2,    limiter::l1,
                               limiter::shared, limiter::issue, limiter::atomics};
    constexpr std::array others{limiter::latency, limiter::barriers, limiter::launch,
                                limiter::tail};
    const auto part = [&](limiter l) { return parts[static_cast<std::size_t>(l)]; };
    const auto share = [&](limiter l) {
      switch (l) {
        case limiter::dram: return part(l) / us * d_.read_gbs / d_.memory_gbs;
        case limiter::l2: return filled_l2_us() / us;
        case limiter::l1:
        case limiter::shared:
          return (has_one_unit(d_) ? part(limiter::l1) + part(limiter::shared) : part(l)) / us;
        default: return part(l) / us;
      }
    };
    const auto takes = [&](limiter l) { return std::pair{share(l), part(l)}; };
    const limiter busiest = std::ranges::max(units, {}, takes);
    return share(busiest) >= busy ? busiest : std::ranges::max(others, {}, part);
  }

  /// What the block that ends last does beyond the others comes after them: it reads what they left
  /// in the device's cache.
  [[nodiscard]] double last_us() const {
    const auto more = [&](std::uint64_t last, std::uint64_t all) {
      return each(last) - each(all) / blocks_;
    };
    return us_of(std::max(0.0, more(p_.last.chain, p_.path.chain) * d_.add_cycles +
                                   more(p_.last.shared, p_.path.shared) * d_.shared_cycles +
                                   more(p_.last.global, p_.path.global) * d_.written_cycles +
                                   more(p_.last.trips, p_.path.trips) * d_.atomic_cycles +
                                   more(p_.last.fences, p_.path.fences) * d_.fence_cycles +
                                   more(p_.last.barriers, p_.counted.barriers) * one_barrier()));
  }

  /// Until the first loads have come from memory, and the last ones: of as many of its launches as
  /// could have missed so much.
  [[nodiscard]] double ramp_us() const {
    const double missed = p_.reads.misses(d_.l2_held_mib * mib);
    if (missed == 0) return 0;
    return d_.ramp_us * std::ceil(missed / each(p_.reads.total())) / launches_;
  }

  /// What its last blocks have stored is on the way to the device's cache when they have ended.
  [[nodiscard]] double stores_us() const {
    return p_.writes.total() + p_.counted.global_atomic.requests > 0 ? us_of(d_.l2_cycles) : 0;
  }

 private:
  [[nodiscard]] double each(std::uint64_t n) const { return number(n) / launches_; }
  [[nodiscard]] double us_of(double cycles) const { return cycles / d_.clock_ghz * 1e-3; }
  /// Of blocks that take so many cycles each.
  [[nodiscard]] double in_turn_us(double cycles) const {
    const double next =
        d_.block_cycles + (d_.block_1024_cycles - d_.block_cycles) * (warps_ - 1) / 31;
    return us_of(generations_ * cycles + (generations_ - 1) * next);
  }
  /// As its threads, its shared memory and, where they are known, its registers decide.
  [[nodiscard]] double fitting_blocks() const {
    const double threads = 32.0 * p_.warps();
    double fits = std::min(d_.blocks_per_processor, std::floor(d_.threads_per_processor / threads));
    if (p_.shared_bytes != 0) {
      const double own = std::ceil((number(p_.shared_bytes) + kib) / 128) * 128;
      fits = std::min(fits, std::floor((d_.shared_kib_per_processor + 1) * kib / own));
    }
    const auto known = p_.registers.find(static_cast<int>(d_.capability));
    if (known != p_.registers.end()) {
      // A quarter of the registers for every fourth warp, which takes 256 at a time.
      constexpr double unit = 256, parts = 4;
      const double of_warp = std::ceil(32.0 * known->second / unit) * unit;
      const double warps = parts * std::floor(d_.registers_per_processor / parts / of_warp);
      fits = std::min(fits, std::floor(warps / p_.warps()));
    }
    return fits;
  }

  /// How much more the multiprocessor with the most has to do than the mean, where a place has one
  /// block or two: as much as the largest of so many sums of blocks' lengths is expected to be
  /// above the mean. Where more blocks wait for a place, the one that is done first takes the next.
  [[nodiscard]] double imbalance() const {
    const double sum = number(p_.path.length());
    const double processors = std::min(d_.processors, blocks_ / per_processor_);
    if (sum == 0 || processors < 2 || per_processor_ > 2 * resident_) return 1;
    const double mean = sum / (launches_ * blocks_);
    const double variation = std::sqrt(p_.path_squares / (launches_ * blocks_)) / mean;
    const double spread = std::sqrt(2 * std::log(processors));
    const double largest =
        spread - (std::log(std::log(processors)) + std::log(4 * std::numbers::pi)) / (2 * spread);
    return 1 + std::max(0.0, largest) * variation / std::sqrt(per_processor_);
  }

  /// Its slices take as many bytes a clock as two sectors have, on newer devices: less wanted of a
  /// half of a line takes as long. What is read and what is written has ways of its own.
  [[nodiscard]] double l2_us(double filled = 0) const {
    return side_by_side(l2_read_us(),
                        l2_write_us() + sectors_us(filled, std::max(d_.l2_write_gbs, d_.read_gbs)));
  }
  [[nodiscard]] double l2_read_us() const {
    return sectors_us(std::max(number(p_.reads.total()), least_sectors() * number(p_.read_halves)),
                      d_.l2_gbs);
  }
  [[nodiscard]] double l2_write_us() const {
    const double sectors =
        std::max(number(p_.writes.total()), least_sectors() * number(p_.write_halves));
    const double partial =
        p_.write_halves == 0 ? 0 : number(p_.partial_halves) / number(p_.write_halves);
    return sectors_us((1 - partial) * sectors, d_.l2_write_gbs) +
           sectors_us(partial * sectors, d_.l2_partial_gbs);
  }
  /// Of a launch, of so many of all of them.
  [[nodiscard]] double sectors_us(double sectors, double gbs) const {
    return sectors / launches_ * sector_bytes / gbs * 1e-3;
  }
  /// With what memory brings, which is written there too, as fast as stores are or memory is: rates
  /// of memory were measured with that.
  [[nodiscard]] double filled_l2_us() const { return l2_us(p_.reads.misses(d_.l2_held_mib * mib)); }
  [[nodiscard]] double least_sectors() const { return d_.capability >= 80 ? 2 : 0; }
  [[nodiscard]] double dram_us() const {
    const double held = d_.l2_held_mib * mib;
    const double read = p_.reads.misses(held);
    const double written = p_.writes.misses(held) + number(p_.driven_out);
    // What is written stays in the cache at first, and what was written before makes room for it.
    // Memory that turns from reading to writing takes longer than both: as a copy shows.
    const double turning = 2 / d_.copy_gbs - 1 / d_.read_gbs - 1 / d_.write_gbs;
    return sectors_us(read, d_.read_gbs) + sectors_us(written, d_.write_gbs) +
           sectors_us(std::min(read, written), 1) * std::max(0.0, turning);
  }

  [[nodiscard]] double l1_cycles() const {
    return share_ * each(p_.global_lines) / d_.l1_lines_per_clock;
  }
  [[nodiscard]] double shared_cycles() const {
    const counters& c = p_.counted;
    constexpr double to_begin = 2;  // of each warp, where ncu counts no access in a kernel
    const double wavefronts =
        each(c.shared_load.wavefronts + c.shared_store.wavefronts + p_.skipped + p_.shuffles) +
        to_begin * warps_ * blocks_;
    const double remote =
        d_.remote_per_clock == 0 ? 0 : each(c.remote_shared.requests) / d_.remote_per_clock;
    const double atomics = each(c.shared_atomic.requests + c.shared_atomic.conflicts);
    return share_ * (wavefronts / d_.shared_wavefronts_per_clock + remote +
                     atomics / d_.shared_atomic_per_clock);
  }
  /// The busiest of the units, or the schedulers: those issue as fast as floats are added.
  [[nodiscard]] double issue_cycles() const {
    const double schedulers = std::max({d_.f32_per_clock, d_.integer_per_clock, 1.0 / 4});
    const double divided = each(p_.divides) / d_.divide_per_clock;
    const double all = each(p_.instructions());
    const double doubles = p_.doubles == 0 ? 0 : each(p_.doubles) / d_.f64_per_clock;
    const double shuffles = p_.shuffles == 0 ? 0 : each(p_.shuffles) / d_.shuffle_per_clock;
    return share_ *
           std::max({all / schedulers + divided, each(p_.integers) / d_.integer_per_clock + divided,
                     each(p_.multiplies) / d_.multiply_per_clock + divided,
                     each(p_.floats) / d_.f32_per_clock, doubles, shuffles,
                     each(p_.special) / d_.special_per_clock});
  }

  /// Of a block: its longest way with its barriers, and what its warps must issue
  /// and pass through shared memory. If they meet after each step, both come one after the other;
  /// with many steps between two barriers, what one warp waits for hides what the others issue.
  /// Blocks of clusters that are in one multiprocessor wait for others elsewhere, and come to the
  /// same step together: each passes what it has with all others there.
  [[nodiscard]] double block_cycles() const {
    if (p_.counted.barriers == 0) return path_cycles();
    const double way = way_cycles();
    const double together = p_.path.cluster_barriers == 0 ? 1 : resident_;
    const double own = side_by_side(issue_cycles(), together * passing_cycles()) / per_processor_;
    const double met = each(p_.counted.barriers + p_.path.cluster_barriers);
    const double steps = each(p_.path.global + p_.path.shared) / std::max(met, blocks_);
    return std::max(way, own) + std::min(way, own) / std::max(1.0, steps);
  }
  [[nodiscard]] double passing_cycles() const {
    return shared_cycles() + (has_one_unit(d_) ? l1_cycles() : 0);
  }
  [[nodiscard]] double way_cycles() const {
    return path_cycles() + each(p_.counted.barriers) / blocks_ * d_.barrier_cycles;
  }
  /// Of the longest way through a block, without its barriers.
  [[nodiscard]] double path_cycles() const {
    return (each(p_.path.chain) * d_.add_cycles + each(p_.path.shared) * shared_load_cycles() +
            each(p_.path.global) * load_cycles() + each(p_.path.trips) * d_.atomic_cycles +
            each(p_.path.fences) * d_.fence_cycles +
            each(p_.path.cluster_barriers) * cluster_barrier()) /
           blocks_;
  }
  [[nodiscard]] double barrier_cycles() const {
    return each(p_.counted.barriers) / blocks_ * one_barrier();
  }
  [[nodiscard]] double one_barrier() const {
    return d_.barrier_cycles + barrier_cycles_of_a_warp() * std::max(0.0, warps_ - 4);
  }
  /// What was stored in other blocks' shared memory must have come there.
  [[nodiscard]] double cluster_barrier() const {
    return d_.cluster_barrier_cycles +
           (d_.cluster_barrier_1024_cycles - d_.cluster_barrier_cycles) / 28 *
               std::max(0.0, warps_ - 4) +
           (p_.counted.remote_shared.requests == 0 ? 0 : d_.remote_cycles);
  }
  /// Warps come to a barrier one after another.
  [[nodiscard]] double barrier_cycles_of_a_warp() const {
    return std::max(0.0, d_.barrier_1024_cycles - d_.barrier_cycles) / 28;
  }
  [[nodiscard]] double shared_load_cycles() const {
    const double remote = number(p_.counted.remote_shared.requests);
    if (remote == 0) return d_.shared_cycles;
    const double part = remote / (remote + number(p_.counted.shared_load.requests));
    return d_.shared_cycles + part * (d_.remote_cycles - d_.shared_cycles);
  }
  /// Of a load beyond the multiprocessor's own cache, by where its lines are found: a warp waits
  /// for the last of them, and they leave one after another.
  [[nodiscard]] double load_cycles() const {
    const double beyond = number(p_.reads.total());
    if (beyond == 0) return d_.l2_cycles;
    const double lines = lines_of_a_request();
    const double none_missed = std::pow(1 - waiting_for_memory() / beyond, lines);
    return none_missed * d_.l2_cycles + (1 - none_missed) * d_.dram_cycles +
           (lines - 1) / d_.l1_lines_per_clock;
  }
  /// Of the sectors that are read: those that the cache misses, and those that blocks want beside a
  /// block that misses them. Blocks that run at once come to what they share at about the same
  /// time.
  [[nodiscard]] double waiting_for_memory() const {
    const double missed = p_.reads.misses(d_.l2_held_mib * mib);
    const double of_block = number(p_.reads.total()) / (launches_ * blocks_);
    const double of_generation = of_block * std::min(blocks_, resident_ * d_.processors);
    const double shared = p_.reads.between(of_block, of_generation);
    const double before = p_.reads.between(of_generation, d_.l2_held_mib * mib / sector_bytes);
    const double first = missed + before;
    const double waiting = first == 0 ? 0 : missed + shared * missed / first;
    return std::min(waiting, number(p_.reads.total()));
  }
  [[nodiscard]] double lines_of_a_request() const {
    const counters& c = p_.counted;
    const double requests =
        number(c.global_load.requests + c.global_store.requests + c.global_atomic.requests);
    return requests == 0 ? 1 : std::max(1.0, number(p_.global_lines) / requests);
  }

  [[nodiscard]] double atomics_us() const {
    return std::max(each(p_.hottest_atomics) * d_.atomic_same_ns,
                    std::max(each(p_.counted.global_atomic.sectors),
                             least_sectors() * each(p_.atomic_halves)) *
                        d_.atomic_sector_ns) *
           1e-3;
  }
  /// Blocks begin one after another.
  [[nodiscard]] double blocks_us() const {
    return blocks_ * (d_.block_ns + (d_.block_1024_ns - d_.block_ns) * (warps_ - 1) / 31) * 1e-3;
  }

  const launch_profile& p_;
  const device_model& d_;
  double launches_, warps_, blocks_ = 0, fitting_ = 0, per_processor_ = 0, resident_ = 0,
                            generations_ = 0, share_ = 0;
};

}  // namespace simt::detail
