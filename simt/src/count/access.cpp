// The rules by which an H100 counts one warp's memory access; tests/golden measured them.
#include <algorithm>
#include <array>
#include <bit>

#include "simt/src/count/trace.hpp"

namespace simt::detail {

namespace {

constexpr unsigned warp_lanes = 32, banks = 32;
constexpr unsigned word_shift = 2;  // words of 4 bytes

/// The addresses of some lanes, ascending.
struct ascending {
  std::array<std::uint64_t, warp_lanes> at;
  unsigned count = 0;

  ascending(std::uint32_t lanes, const std::uint64_t* addresses) {
    bool in_order = true;
    std::uint64_t last = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t address = addresses[std::countr_zero(lanes)];
      in_order &= address >= last;
      at[count++] = last = address;
    }
    if (!in_order) std::sort(at.begin(), at.begin() + count);
  }

  /// Calls `f(first, last)` with the pieces of 1 << shift bytes that each access touches and none
  /// before it did.
  template <class F>
  void for_each_new(unsigned shift, unsigned bytes, F f) const {
    std::uint64_t next = 0;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t first = std::max(at[i] >> shift, next);
      const std::uint64_t last = (at[i] + bytes - 1) >> shift;
      if (last < first) continue;
      f(first, last);
      next = last + 1;
    }
  }

  /// Calls `f(address, lanes)` for each different address.
  template <class F>
  void for_each_address(F f) const {
    for (unsigned i = 0, end = 0; i < count; i = end) {
      while (end < count && at[end] == at[i]) ++end;
      f(at[i], end - i);
    }
  }
};

/// The whole warp, lane by lane side by side: what most accesses are.
bool side_by_side(std::uint32_t mask, const std::uint64_t* addresses, unsigned bytes) {
  if (mask != ~0U) return false;
  std::uint64_t differences = 0;
  for (unsigned i = 0; i < warp_lanes; ++i) {
    differences |= addresses[i] ^ (addresses[0] + std::uint64_t{i} * bytes);
  }
  return differences == 0;
}

/// The sectors of a request to global memory, told to `f(first, last)`.
template <class F>
unsigned sectors(const ascending& lanes, unsigned bytes, F f) {
  std::uint64_t count = 0;
  lanes.for_each_new(sector_shift, bytes, [&](auto first, auto last) {
    count += last - first + 1;
    f(first, last);
  });
  return static_cast<unsigned>(count);
}

unsigned pieces(const ascending& lanes, unsigned bytes, unsigned shift) {
  std::uint64_t count = 0;
  lanes.for_each_new(shift, bytes, [&](auto first, auto last) { count += last - first + 1; });
  return static_cast<unsigned>(count);
}

/// The most distinct words that one bank must serve.
unsigned depth(const ascending& lanes, unsigned bytes) {
  std::array<std::uint8_t, banks> load{};
  unsigned most = 0;
  lanes.for_each_new(word_shift, bytes, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t word = first; word <= last; ++word) {
      most = std::max<unsigned>(most, ++load[word % banks]);
    }
  });
  return most;
}

/// Whether each pair of lanes at this distance wants the same address, where both are active.
bool neighbours_agree(std::uint32_t mask, const std::uint64_t* addresses, unsigned distance) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned other = lane ^ distance;
    if ((mask >> other & 1) != 0 && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

/// How many lanes the banks serve together: 8-byte accesses go by half warps, 16-byte ones by
/// quarter warps, and loads by twice that where neighbours agree.
unsigned served_together(std::uint32_t mask, const std::uint64_t* addresses, unsigned bytes,
                         bool load) {
  if (bytes < 8) return warp_lanes;
  const unsigned lanes = warp_lanes * 4 / bytes;
  const bool merge =
      load && (neighbours_agree(mask, addresses, 1) || neighbours_agree(mask, addresses, 2));
  return merge ? 2 * lanes : lanes;
}

template <class F>
void for_each_group(std::uint32_t mask, unsigned lanes, F f) {
  const std::uint32_t low = lanes == warp_lanes ? ~0U : (1U << lanes) - 1;
  for (unsigned first = 0; first < warp_lanes; first += lanes) {
    if (const std::uint32_t group = mask & low << first; group != 0) f(group);
  }
}

template <class F>
void count_global(counters::memory& m, std::uint32_t mask, const std::uint64_t* addresses,
                  unsigned bytes, F tell) {
  if (side_by_side(mask, addresses, bytes)) {
    const std::uint64_t end = addresses[0] + std::uint64_t{warp_lanes} * bytes;
    const std::uint64_t first = addresses[0] >> sector_shift, last = (end - 1) >> sector_shift;
    m.sectors += last - first + 1;
    m.bytes += end - addresses[0];
    return tell(first, last);
  }
  const ascending lanes(mask, addresses);
  m.sectors += sectors(lanes, bytes, tell);
  m.bytes += pieces(lanes, bytes, 0);
}

void count_shared(counters::memory& m, std::uint32_t mask, const std::uint64_t* addresses,
                  unsigned bytes, bool load) {
  if (side_by_side(mask, addresses, bytes) && addresses[0] % bytes == 0) {
    m.wavefronts += std::max(1U, bytes / 4);
    return;
  }
  for_each_group(mask, served_together(mask, addresses, bytes, load), [&](std::uint32_t group) {
    const unsigned passes = depth(ascending(group, addresses), bytes);
    m.wavefronts += passes;
    m.conflicts += passes - 1;
  });
}

/// Each sector counts as often as its busiest address has lanes.
template <class F>
void count_global_atomic(counters::memory& m, std::uint32_t mask, const std::uint64_t* addresses,
                         unsigned bytes, F tell) {
  std::uint64_t sector = ~std::uint64_t{0};
  unsigned busiest = 0;
  const ascending lanes_in_order(mask, addresses);
  m.bytes += pieces(lanes_in_order, bytes, 0);
  lanes_in_order.for_each_address([&](std::uint64_t address, unsigned lanes) {
    if (address >> sector_shift != sector) {
      m.sectors += busiest;
      if (busiest != 0) tell(sector, busiest);
      busiest = 0;
      sector = address >> sector_shift;
    }
    busiest = std::max(busiest, lanes);
  });
  m.sectors += busiest;
  if (busiest != 0) tell(sector, busiest);
}

/// Lanes on one bank take turns, on one address too.
void count_shared_atomic(counters::memory& m, std::uint32_t mask, const std::uint64_t* addresses,
                         unsigned bytes) {
  for_each_group(mask, bytes == 8 ? warp_lanes / 2 : warp_lanes, [&](std::uint32_t group) {
    std::array<std::uint8_t, banks> load{};
    unsigned most = 0;
    for (; group != 0; group &= group - 1) {
      const std::uint64_t word = addresses[std::countr_zero(group)] >> word_shift;
      most = std::max<unsigned>(most, ++load[word % banks]);
    }
    m.conflicts += most - 1;
  });
}

}  // namespace

void count_access(counters& total, std::uint64_t site, std::uint32_t mask,
                  const std::uint64_t* addresses, traffic* beyond) {
  const unsigned bytes = size_of(site);
  const bool atomic = kind_of(site) == access_kind::atomic;
  const bool load = kind_of(site) == access_kind::load;
  switch (space_of(site)) {
    case space::global: {
      auto& m = atomic ? total.global_atomic : load ? total.global_load : total.global_store;
      ++m.requests;
      if (beyond != nullptr) beyond->request_begins();
      if (atomic) {
        return count_global_atomic(m, mask, addresses, bytes, [&](auto sector, unsigned times) {
          if (beyond != nullptr) beyond->atomic(sector, times);
        });
      }
      const std::uint64_t room = m.sectors * 32 - m.bytes;
      count_global(m, mask, addresses, bytes, [&](auto first, auto last) {
        if (beyond == nullptr) return;
        load ? beyond->load(first, last) : beyond->store(first, last);
      });
      if (beyond != nullptr && !load && m.sectors * 32 - m.bytes != room) beyond->leaves_parts();
      return;
    }
    case space::shared: {
      auto& m = atomic ? total.shared_atomic : load ? total.shared_load : total.shared_store;
      ++m.requests;
      return atomic ? count_shared_atomic(m, mask, addresses, bytes)
                    : count_shared(m, mask, addresses, bytes, load);
    }
    case space::remote: ++total.remote_shared.requests; return;
  }
}

}  // namespace simt::detail
