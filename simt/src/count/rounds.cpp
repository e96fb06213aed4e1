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
  /// The next iteration of a loop of one block, whose edge back may be a block too.
  [[nodiscard]] bool continues(const visit& before) const {
    return block == before.block && number - before.number <= 2 &&
           accesses.size() == before.accesses.size();
  }
  [[nodiscard]] bool finds_the_same_as(const visit& before) const {
    return std::equal(accesses.begin(), accesses.end(), before.accesses.begin(),
                      [](const memory_event& x, const memory_event& y) {
                        return x.site == y.site && x.address == y.address &&
                               space_of(x.site) == space::global;
                      });
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

critical_path& critical_path::operator+=(const critical_path& o) {
  chain += o.chain;
  global += o.global;
  shared += o.shared;
  return *this;
}

critical_path path_through(const lane_path& p, std::span<const instruction_counts> costs,
                           const traffic& caches, std::vector<std::uint32_t>& in_vain) {
  const auto is_far = [&](const memory_event& e) {
    return space_of(e.site) == space::global && !caches.has_near(e.address);
  };
  constexpr unsigned unrolled = 4;
  critical_path path;
  for (const std::uint32_t b : p.blocks) path.chain += costs[b].chain;
  visit before;
  unsigned iteration = 0;
  for (std::size_t i = 0; i < p.accesses.size();) {
    const visit v = visit_at(p, i);
    i += v.accesses.size();
    iteration = v.continues(before) ? iteration + 1 : 0;
    const bool again = iteration != 0 && v.finds_the_same_as(before);
    const bool together = iteration % unrolled != 0 && v.only_loads();
    const std::uint32_t first = before.number;
    before = v;
    if (again) {
      for (std::uint32_t n = first; n < v.number; ++n) {
        path.chain -= costs[p.blocks[n]].chain;
        in_vain.push_back(p.blocks[n]);
      }
    }
    if (again || together) continue;
    const std::uint64_t depth = v.block == 0 ? 1 : std::max<std::uint64_t>(1, costs[v.block].loads);
    const bool far = v.loads(is_far);
    const bool near = v.loads([&](const memory_event& e) { return !is_far(e); });
    if (far) path.global += near ? std::max<std::uint64_t>(1, depth - 1) : depth;
    if (near) path.shared += far ? 1 : depth;
  }
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
