#include "simt/src/count/profile.hpp"

#include <algorithm>
#include <cmath>

#include "simt/src/run/basic_blocks.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/settings.hpp"

namespace simt {

std::uint64_t reuse_counts::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : by_distance) sum += n;
  return sum;
}

double reuse_counts::misses(double bytes) const {
  constexpr double sector = 32;
  auto sum = static_cast<double>(by_distance.back());
  for (std::size_t i = 1; i + 1 < by_distance.size(); ++i) {
    const double least = sector * std::ldexp(1.0, static_cast<int>(i) - 1);
    const double beyond = std::clamp((2 * least - bytes) / least, 0.0, 1.0);
    sum += beyond * static_cast<double>(by_distance[i]);
  }
  return sum;
}

double reuse_counts::between(double least, double most) const {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < by_distance.size(); ++i) {
    const double from = std::ldexp(1.0, static_cast<int>(i) - 1);
    const double part = (std::min(2 * from, most) - std::max(from, least)) / from;
    sum += std::max(0.0, part) * static_cast<double>(by_distance[i]);
  }
  return sum;
}

reuse_counts& reuse_counts::operator+=(const reuse_counts& other) {
  for (std::size_t i = 0; i < by_distance.size(); ++i) by_distance[i] += other.by_distance[i];
  return *this;
}

critical_path& critical_path::operator+=(const critical_path& o) {
  chain += o.chain;
  global += o.global;
  shared += o.shared;
  trips += o.trips;
  barriers += o.barriers;
  cluster_barriers += o.cluster_barriers;
  fences += o.fences;
  return *this;
}

namespace detail {

namespace {

bool same(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

launch_profile& profile_of(std::vector<launch_profile>& all, const grid& g, const std::string& name,
                           std::size_t shared_bytes) {
  const launch_config& c = g.config;
  const auto known = std::find_if(all.begin(), all.end(), [&](const launch_profile& p) {
    return p.kernel == name && same(p.grid, c.grid) && same(p.block, c.block) &&
           p.shared_bytes == shared_bytes && p.cluster == blocks_of_cluster(c);
  });
  if (known != all.end()) return *known;
  launch_profile made;
  made.kernel = name;
  made.grid = c.grid;
  made.block = c.block;
  made.shared_bytes = shared_bytes;
  made.cluster = blocks_of_cluster(c);
  made.registers = the_settings().registers.of(name);
  all.push_back(made);
  return all.back();
}

void add_instructions(launch_profile& to, const std::map<std::uint32_t, branch_stat>& branches) {
  std::uint64_t ahead = 0, inside = 0;
  for (const auto& [id, s] : branches) {
    const std::uint64_t times = s.warp_steps;
    const instruction_counts c = cost_of_block(id);
    to.integers += times * c.integers;
    to.multiplies += times * c.multiplies;
    to.divides += times * c.divides;
    to.floats += times * c.floats;
    to.doubles += times * c.doubles;
    to.special += times * c.special;
    to.shuffles += times * c.shuffles;
    to.waits |= c.polls != 0;
    ahead += times * c.shared_ahead;
    inside += times * c.shared_inside;
  }
  to.skipped += ahead - std::min(ahead, inside);
}

}  // namespace

void enter_profile(const grid& g, const counters& sum,
                   const std::map<std::uint32_t, branch_stat>& branches,
                   std::span<const std::unique_ptr<tracer>> tracers, observe& scope) {
  std::size_t shared_bytes = g.config.shared_bytes;
  for (const auto& t : tracers) shared_bytes = std::max(shared_bytes, t->shared_bytes());
  launch_profile& p = profile_of(scope.profiles, g, kernel_name(g.kernel), shared_bytes);
  ++p.launches;
  p.counted += sum;
  add_instructions(p, branches);
  critical_path all;
  double squares = 0;
  critical_path last;  // a worker's last block may end while the last of all still runs
  for (const auto& t : tracers) {
    all += t->path();
    squares += t->path_squares();
    if (t->last().length() > last.length()) last = t->last();
    p.global_lines += t->traffic().lines();
    p.reads += t->traffic().reads();
    p.writes += t->traffic().writes();
    p.read_halves += t->traffic().read_halves();
    p.write_halves += t->traffic().write_halves();
    p.partial_halves += t->traffic().partial_halves();
    p.atomic_halves += t->traffic().atomic_halves();
    p.hottest_atomics += t->traffic().hottest_atomics();
  }
  p.path += all;
  const auto length = static_cast<double>(all.length());
  p.path_squares += std::max(0.0, squares - length * length / static_cast<double>(p.blocks()));
  p.last += last;
}

}  // namespace detail

}  // namespace simt
