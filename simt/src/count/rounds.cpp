#include "simt/src/count/rounds.hpp"

#include <algorithm>

namespace simt::detail {

namespace {

/// One entry of a basic block in which there were accesses.
struct visit {
  std::uint32_t block = 0, number = 0;  // in its path
  std::span<const memory_event> accesses;

  [[nodiscard]] bool only_loads() const {
    return std::all_of(accesses.begin(), accesses.end(),
                       [](const memory_event& e) { return kind_of(e.site) == access_kind::load; });
  }
};

/// The visit whose accesses begin at `i`.
visit visit_at(const lane_path& p, std::size_t i) {
  const std::uint32_t number = p.accesses[i].after;
  std::size_t end = i + 1;
  while (end < p.accesses.size() && p.accesses[end].after == number) ++end;
  return {number == 0 ? p.carry : p.blocks[number - 1], number, p.accesses.subspan(i, end - i)};
}

/// Loads that are under way together.
class round {
 public:
  /// The device compiler unrolls loops four times: the fifth iteration begins the next round.
  void enter(std::uint32_t block) {
    constexpr std::ptrdiff_t unrolled = 4;
    if (std::count(blocks_.begin(), blocks_.end(), block) == unrolled) close();
    blocks_.push_back(block);
  }
  void close() {
    blocks_.clear();
    far_ = near_ = 0;
  }
  /// How much longer it takes with these.
  critical_path add(std::uint64_t far, std::uint64_t near) {
    const critical_path more{.global = std::max(far, far_) - far_,
                             .shared = std::max(near, near_) - near_};
    far_ += more.global;
    near_ += more.shared;
    return more;
  }

 private:
  std::vector<std::uint32_t> blocks_;
  std::uint64_t far_ = 0, near_ = 0;
};

}  // namespace

critical_path path_through(const lane_path& p, std::span<const instruction_counts> costs,
                           const traffic& caches, recent_sectors& recent) {
  recent.forget();
  const auto is_far = [&](const memory_event& e) {
    return space_of(e.site) == space::global && recent.is_new(e.address) &&
           !caches.has_near(e.address);
  };
  critical_path path;
  round now;
  std::size_t next = 0;
  const auto waits = [&](std::uint32_t b) { return costs[b].waits != 0; };
  for (std::size_t i = 0; i < p.accesses.size();) {
    const visit v = visit_at(p, i);
    i += v.accesses.size();
    for (; next < v.number; ++next) {
      if (waits(p.blocks[next])) now.close();
    }
    const std::uint64_t loads = v.block == 0 ? 0 : costs[v.block].loads;
    bool far = false, near = false, adds = false;
    for (const memory_event& e : v.accesses) {
      if (kind_of(e.site) == access_kind::load) (is_far(e) ? far : near) = true;
      adds |= kind_of(e.site) == access_kind::atomic && space_of(e.site) == space::global;
    }
    const std::uint64_t depth = std::max<std::uint64_t>(1, loads);
    if (far || near) {
      now.enter(v.block);
      path += now.add(far ? (near ? std::max<std::uint64_t>(1, depth - 1) : depth) : 0,
                      near ? (far ? 1 : depth) : 0);
    } else if (adds && loads != 0) {
      ++path.trips;  // what is loaded there is what the atomic found
    }
    if (!v.only_loads() || (v.number != 0 && waits(v.block))) now.close();
  }
  for (const std::uint32_t b : p.blocks) path.chain += costs[b].chain;
  return path;
}

void block_path::add(std::size_t warp, const critical_path& p) {
  if (warps_.size() <= warp) warps_.resize(warp + 1);
  warps_[warp] += p;
}

void block_path::barrier() {
  end();
  ++sum_.barriers;
}

void block_path::cluster_barrier() {
  end();
  ++sum_.cluster_barriers;
}

void block_path::end() {
  const auto longest = std::max_element(
      warps_.begin(), warps_.end(),
      [](const critical_path& x, const critical_path& y) { return x.length() < y.length(); });
  if (longest != warps_.end()) sum_ += *longest;
  std::fill(warps_.begin(), warps_.end(), critical_path());
}

}  // namespace simt::detail
