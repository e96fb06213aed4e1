#include "simt/src/count/rounds.hpp"

#include <algorithm>

namespace simt::detail {

namespace {

/// One entry of a basic block in which there were accesses.
struct visit {
  std::uint32_t block = 0, number = 0;  // in its path
  std::span<const memory_event> accesses;

  template <class Is>
  [[nodiscard]] bool loads(Is is) const {
    return std::any_of(accesses.begin(), accesses.end(), [=](const memory_event& e) {
      return kind_of(e.site) == access_kind::load && is(e);
    });
  }
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

}  // namespace

namespace {

/// Loads that are under way together.
class round {
 public:
  /// The device compiler unrolls loops four times.
  [[nodiscard]] bool takes(std::uint32_t block) {
    constexpr std::ptrdiff_t unrolled = 4;
    if (std::count(blocks_.begin(), blocks_.end(), block) == unrolled) return false;
    blocks_.push_back(block);
    return true;
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

critical_path& critical_path::operator+=(const critical_path& o) {
  chain += o.chain;
  global += o.global;
  shared += o.shared;
  return *this;
}

critical_path path_through(const lane_path& p, std::span<const instruction_counts> costs,
                           const traffic& caches) {
  const auto is_far = [&](const memory_event& e) {
    return space_of(e.site) == space::global && !caches.has_near(e.address);
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
    const std::uint64_t depth = v.block == 0 ? 1 : std::max<std::uint64_t>(1, costs[v.block].loads);
    const bool far = v.loads(is_far);
    const bool near = v.loads([&](const memory_event& e) { return !is_far(e); });
    if (far || near) {
      if (!now.takes(v.block)) now.close();
      path += now.add(far ? (near ? std::max<std::uint64_t>(1, depth - 1) : depth) : 0,
                      near ? (far ? 1 : depth) : 0);
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
  const auto longest = std::max_element(
      warps_.begin(), warps_.end(),
      [](const critical_path& x, const critical_path& y) { return x.length() < y.length(); });
  if (longest != warps_.end()) sum_ += *longest;
  std::fill(warps_.begin(), warps_.end(), critical_path());
}

}  // namespace simt::detail
