// The other bound of counters that nvcc's optimiser may change: it unrolls loops by four, and makes
// one access of those that one thread makes to neighbouring words of shared memory.
#include <algorithm>
#include <bit>
#include <tuple>

#include "state.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t unrolled_by = 4;
constexpr std::size_t most_chains = 64;

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

std::uint64_t wavefronts_of(std::uint64_t site, unsigned size_log2, std::uint32_t lanes,
                            const lane_addresses& addresses) {
  counters c;
  count_access(c, (site & ~std::uint64_t{7}) | size_log2, lanes, addresses.data());
  return c.shared_load.wavefronts + c.shared_store.wavefronts;
}

}  // namespace

void tracer::note_unrolled() {
  // The turns of one loop in which one place made its access, in their order.
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>> all;
  for (const access_record& r : accesses_.records()) {
    if (space_of(r.site) != space::global || kind_of(r.site) == access_kind::atomic) continue;
    const auto [first, number] = turns_.in_loop(r.turn);
    if (first != 0) all.emplace_back(r.site, first, number, r.mask);
  }
  std::sort(all.begin(), all.end());
  for (auto begin = all.begin(); begin != all.end();) {
    const auto [site, first, number, lanes] = *begin;
    std::uint32_t still = lanes;
    bool leave_for_good = true;
    auto end = begin;
    for (; end != all.end() && std::get<0>(*end) == site && std::get<1>(*end) == first; ++end) {
      leave_for_good &= (std::get<3>(*end) & ~still) == 0;
      still &= std::get<3>(*end);
    }
    if (leave_for_good && still != lanes) {
      std::size_t most = 0, most_left = 0;
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const std::uint32_t lane = rest & -rest;
        const auto turns_of_lane = static_cast<std::size_t>(
            std::count_if(begin, end, [&](const auto& t) { return (std::get<3>(t) & lane) != 0; }));
        most = std::max(most, turns_of_lane / unrolled_by * unrolled_by);
        most_left = std::max(most_left, turns_of_lane % unrolled_by);
      }
      const auto turns = static_cast<std::size_t>(end - begin);
      if (most + most_left > turns) {
        places[position_of(site)].requests_if_unrolled += most + most_left - turns;
      }
    }
    begin = end;
  }
}

void tracer::note_widened(const warp& w, const lane_group& g,
                          std::span<const memory_event> accesses) {
  std::vector<chain> chains;
  const auto close = [&](const chain& c) {
    for (std::size_t i = 0; i + 1 < c.accesses.size();) {
      const lane_addresses first = addresses_of(w, g.lanes, c.accesses[i]);
      const auto fits = [&](std::size_t words) {
        if (i + words > c.accesses.size()) return false;
        for (std::size_t k = 0; k < words; ++k) {
          const lane_addresses at = addresses_of(w, g.lanes, c.accesses[i + k]);
          for (unsigned l = 0; l < warp_size; ++l) {
            if ((g.lanes >> l & 1) == 0) continue;
            if (first[l] % (4 * words) != 0 || at[l] != first[l] + 4 * k) return false;
          }
        }
        return true;
      };
      const std::size_t words = fits(4) ? 4 : fits(2) ? 2 : 1;
      if (words > 1) {
        const std::uint64_t site = accesses[c.accesses[i]].site;
        std::uint64_t before = 0;
        for (std::size_t k = 0; k < words; ++k) {
          before += wavefronts_of(site, 2, g.lanes, addresses_of(w, g.lanes, c.accesses[i + k]));
        }
        const std::uint64_t after = wavefronts_of(site, words == 4 ? 4 : 3, g.lanes, first);
        if (after < before) places[position_of(site)].wavefronts_if_widened += before - after;
      }
      i += words;
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
