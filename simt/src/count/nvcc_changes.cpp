// The other bound of counters that nvcc's optimiser may change: it unrolls loops by four, and makes
// one access of those that one thread makes to neighbouring words of shared memory.
#include <algorithm>
#include <bit>
#include <compare>

#include "simt/src/count/trace.hpp"
#include "simt/src/run/model.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t unrolled_by = 4;
constexpr std::size_t most_chains = 64;

/// What one place accessed in one iteration of the loop around it.
struct iteration_access {
  std::uint64_t site;
  std::uint32_t loop, number, lanes;
  auto operator<=>(const iteration_access&) const = default;
};

/// In the unrolled loop and in the rest together, over all iterations of one loop. 0 where lanes
/// came back that had left out an iteration: then nobody knows how often they went round.
std::size_t more_if_unrolled(std::span<const iteration_access> iterations) {
  std::uint32_t still = iterations[0].lanes;
  for (const iteration_access& t : iterations) {
    if ((t.lanes & ~still) != 0) return 0;
    still = t.lanes;
  }
  if (still == iterations[0].lanes) return 0;  // they left together
  std::size_t most = 0, most_left = 0;
  for (std::uint32_t rest = iterations[0].lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = rest & (~rest + 1);
    const auto made = static_cast<std::size_t>(
        std::count_if(iterations.begin(), iterations.end(),
                      [&](const iteration_access& t) { return (t.lanes & lane) != 0; }));
    most = std::max(most, made / unrolled_by * unrolled_by);
    most_left = std::max(most_left, made % unrolled_by);
  }
  return most + most_left - iterations.size();
}

/// Accesses by which the first lane reads or writes one word after the other.
struct chain {
  std::uint64_t next = 0;  // address
  std::vector<std::size_t> accesses;
};

/// The lanes' addresses of one access, 0 where a lane has none.
using lane_addresses = std::array<std::uint64_t, warp_size>;

lane_addresses addresses_of(const warp& w, std::uint32_t lanes, std::size_t access) {
  lane_addresses all{};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(rest));
    all[l] = (*w.log)[l].memory.begin[access].address;
  }
  return all;
}

/// Whether the first of these accesses can take so many words of each lane, in one.
bool fits(const warp& w, std::uint32_t lanes, std::span<const std::size_t> accesses,
          std::size_t words) {
  if (words > accesses.size()) return false;
  const lane_addresses first = addresses_of(w, lanes, accesses[0]);
  for (std::size_t k = 0; k < words; ++k) {
    const lane_addresses at = addresses_of(w, lanes, accesses[k]);
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(rest));
      if (first[l] % (4 * words) != 0 || at[l] != first[l] + 4 * k) return false;
    }
  }
  return true;
}

std::uint64_t wavefronts_of(std::uint64_t site, unsigned size_log2, std::uint32_t lanes,
                            const lane_addresses& addresses) {
  counters c;
  count_access(c, (site & ~std::uint64_t{7}) | size_log2, lanes, addresses.data());
  return c.shared_load.wavefronts + c.shared_store.wavefronts;
}

}  // namespace

void tracer::note_unrolled() {
  std::vector<iteration_access> all;
  for (const access_record& r : accesses_.records()) {
    if (space_of(r.site) != space::global || kind_of(r.site) == access_kind::atomic) continue;
    const auto [loop, number] = iterations_.in_loop(r.iteration);
    if (loop != 0) all.push_back({r.site, loop, number, r.mask});
  }
  std::sort(all.begin(), all.end());
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(begin, all.end(), [&](const iteration_access& t) {
      return t.site != begin->site || t.loop != begin->loop;
    });
    places_[position_of(begin->site)].requests_if_unrolled += more_if_unrolled({begin, end});
    begin = end;
  }
}

void tracer::note_widened(const warp& w, const lane_group& g,
                          std::span<const memory_event> accesses) {
  std::vector<chain> chains;
  const auto close = [&](const chain& c) {
    for (std::span<const std::size_t> rest = c.accesses; rest.size() > 1;) {
      const std::size_t words = fits(w, g.lanes, rest, 4) ? 4 : fits(w, g.lanes, rest, 2) ? 2 : 1;
      if (words > 1) {
        const std::uint64_t site = accesses[rest[0]].site;
        std::uint64_t before = 0;
        for (const std::size_t i : rest.first(words)) {
          before += wavefronts_of(site, 2, g.lanes, addresses_of(w, g.lanes, i));
        }
        const std::uint64_t after =
            wavefronts_of(site, words == 4 ? 4 : 3, g.lanes, addresses_of(w, g.lanes, rest[0]));
        if (after < before) places_[position_of(site)].wavefronts_if_widened += before - after;
      }
      rest = rest.subspan(words);
    }
  };
  const auto close_all = [&] {
    for (const chain& c : chains) close(c);
    chains.clear();
  };
  access_kind last{};
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::uint64_t site = accesses[i].site;
    if (space_of(site) != space::shared) continue;
    if (kind_of(site) != last) close_all();
    last = kind_of(site);
    if (last == access_kind::atomic || size_of(site) != 4) continue;
    const std::uint64_t address = (*w.log)[g.leader].memory.begin[i].address;
    const auto known = std::find_if(chains.begin(), chains.end(),
                                    [&](const chain& c) { return c.next == address; });
    if (known != chains.end()) {
      known->next += 4;
      known->accesses.push_back(i);
    } else {
      if (chains.size() == most_chains) {
        close(chains.front());
        chains.erase(chains.begin());
      }
      chains.push_back({address + 4, {i}});
    }
  }
  close_all();
}

}  // namespace simt::detail
