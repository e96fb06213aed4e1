// Every access of a checked launch, before it happens. Hot: no containers here but to look up.
#include "check.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace simt::detail {

namespace {

constexpr std::uintptr_t page = 4096;

struct alignas(64) stripe {
  std::atomic<bool> taken{false};
};
std::array<stripe, 1024> stripes;  // locks of device memory's cells, by address

class stripe_lock {
 public:
  explicit stripe_lock(std::uintptr_t address) : at_(stripes[address / 256 % stripes.size()]) {
    while (at_.taken.exchange(true, std::memory_order_acquire)) {
    }
  }
  ~stripe_lock() { at_.taken.store(false, std::memory_order_release); }
  stripe_lock(const stripe_lock&) = delete;
  stripe_lock& operator=(const stripe_lock&) = delete;

 private:
  stripe& at_;
};

struct access {
  std::uintptr_t address, pc;
  unsigned bytes;
  access_kind kind;
  space where;
  std::uint32_t thread;
  access_mark mark;  // less its bytes of the word
};

struct hit {
  bool found = false;
  access_mark other;
  access_type what{};
};

std::uint64_t acquired_by(const block_check& b, std::uint32_t thread) {
  return std::max({b.lanes[thread].acquired, b.warps[thread / warp_size].acquired, b.acquired});
}

bool is_ordered(const block_check& b, std::uint32_t thread, const access_mark& m, bool shared) {
  if (m.launch != b.launch->id) return true;
  const unsigned cluster = static_cast<unsigned>(b.home->blocks.size());
  const unsigned other = m.thread();
  if (m.block == b.id) {
    if (m.stamp <= b.met || other == thread) return true;
    if (other / warp_size == thread / warp_size) {
      const warp_check& w = b.warps[thread / warp_size];
      if (m.stamp <= w.met) return true;
      if (w.known && m.stamp <= (*w.known)[thread % warp_size][other % warp_size]) return true;
    }
  } else if (m.block / cluster == b.id / cluster) {
    if (m.stamp <= b.home->met) return true;
  } else if (shared) {
    return true;  // an earlier block had this memory
  }
  const std::uint64_t acquired = acquired_by(b, thread);
  return acquired != 0 && b.launch->covers(m, acquired);
}

void acquire(block_check& b, std::uint32_t thread) {
  b.lanes[thread].pending = b.warps[thread / warp_size].pending = b.pending = true;
}

/// What is known of one word against this access; then the word remembers it.
void visit(cell& c, block_check& b, const access& a, unsigned bytes, hit& h) {
  const bool shared = a.where != space::global;
  access_mark now = a.mark;
  now.who = static_cast<std::uint16_t>(now.who | bytes << 10);
  const auto clashes = [&](const access_mark& m) {
    return m.launch == now.launch && (m.bytes() & bytes) != 0 &&
           !is_ordered(b, a.thread, m, shared);
  };
  const bool writes = a.kind != access_kind::load;
  if (!(now.atomic() && c.write.atomic()) && clashes(c.write)) {
    if (!writes && c.write.flag()) {
      acquire(b, a.thread);
    } else if (a.kind == access_kind::store && !shared && c.write.atomic() &&
               acquired_by(b, a.thread) != 0) {
      // A ticket put back to zero: the own atomic came last, though the other was noted after it.
    } else if (!(c.write.flag() && now.flag())) {
      h = {true, c.write, c.write.atomic() ? access_type::atomic : access_type::write};
    }
  }
  if (writes) {
    for (access_mark& m : c.reads) {
      if (!now.flag() && !(now.atomic() && m.atomic()) && !h.found && clashes(m))
        h = {true, m, access_type::read};
      if ((m.bytes() & ~bytes) == 0) m.launch = 0;
    }
    c.write = now;
    return;
  }
  auto& [first, second] = c.reads;
  if (first.launch != now.launch || first.thread() == a.thread ||
      is_ordered(b, a.thread, first, shared)) {
    first = now;
  } else if (second.launch != now.launch || second.thread() == a.thread ||
             first.thread() / warp_size == second.thread() / warp_size ||
             is_ordered(b, a.thread, second, shared)) {
    second = now;
  }
}

void report(finding_kind kind, const access& a, const hit& h, std::ptrdiff_t offset,
            std::size_t size) {
  const hot_state saved = hot;
  hush_hooks();
  raw_finding f{.kind = kind, .space = memory_space(a.where), .bytes = a.bytes};
  f.here = {a.mark, access_type(a.kind), a.pc};
  f.other = f.here;
  if (h.found) {
    // The other place lies in the same half of the address space, or just beyond its border.
    std::uintptr_t pc = (a.pc >> 32 << 32) | h.other.site;
    if (pc > a.pc + (1UL << 31)) pc -= 1UL << 32;
    if (pc + (1UL << 31) < a.pc) pc += 1UL << 32;
    f.other = {h.other, h.what, pc};
  }
  f.offset = offset;
  f.size = size;
  saved.check->launch->add(f);
  hot = saved;
}

void report_race(const block_check& b, const access& a, const hit& h, std::ptrdiff_t offset,
                 std::size_t size) {
  const bool same_warp = h.other.thread() / warp_size == a.thread / warp_size;
  report(h.other.block != b.id ? finding_kind::race_between_blocks
         : same_warp           ? finding_kind::race_in_warp
                               : finding_kind::race_between_warps,
         a, h, offset, size);
}

/// Calls `f(word, its bytes)` for the words that the access touches.
template <class F>
void for_each_word(std::uintptr_t offset, unsigned bytes, F f) {
  for (std::uintptr_t at = offset, end = offset + bytes; at < end;) {
    const std::uintptr_t next = std::min((at | 3) + 1, end);
    f(at / 4, ((1U << (next - at)) - 1) << at % 4);
    at = next;
  }
}

bool all_bytes_are(std::uintptr_t address, unsigned bytes, unsigned char value) {
  const auto* const p = reinterpret_cast<const volatile unsigned char*>(address);
  for (unsigned i = 0; i < bytes; ++i) {
    if (p[i] != value) return false;
  }
  return true;
}

/// Whether anybody has touched this page. Linux tells; where it doesn't, everything was written.
bool touched(std::uintptr_t address) {
  static const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  std::uint64_t entry = 0;
  if (map < 0 || pread(map, &entry, sizeof entry, static_cast<off_t>(address / page * 8)) != 8) {
    return true;
  }
  return entry >> 62 != 0;  // in memory or swapped out
}

const region* find_region(block_check& b, std::uintptr_t address, std::uintptr_t pc) {
  const region*& guess = b.guesses[pc / 4 % b.guesses.size()];
  if (guess != nullptr && address - guess->begin < guess->bytes) return guess;
  const auto& all = b.launch->regions;
  const auto after = std::upper_bound(all.begin(), all.end(), address,
                                      [](auto at, const region& r) { return at < r.begin; });
  if (after == all.begin()) return nullptr;
  return guess = &*(after - 1);
}

void check_global(block_check& b, const access& a) {
  const region* const r = find_region(b, a.address, a.pc);
  if (r == nullptr || a.address + a.bytes > r->begin + r->bytes) {
    const auto offset = r == nullptr ? 0 : a.address - r->begin;
    const auto size = r == nullptr ? 0 : r->bytes;
    report(finding_kind::out_of_bounds, a, {}, static_cast<std::ptrdiff_t>(offset), size);
    if (offset + a.bytes <= (size + page - 1) / page * page) return;  // it harms nobody here
    fail(*hot.current, "accesses " + std::to_string(a.bytes) + " bytes at offset " +
                           std::to_string(offset) + " of an allocation of " + std::to_string(size) +
                           " bytes");
  }
  const std::uintptr_t offset = a.address - r->begin;
  hit h;
  bool unwritten = false;
  {
    const stripe_lock lock(a.address);
    std::uint32_t& state = r->memory->pages[offset / page];
    if (state >> 1 != b.launch->id) {
      state = b.launch->id * 2U + (touched(a.address) ? 0U : 1U);
    }
    for_each_word(offset, a.bytes, [&](std::uintptr_t word, unsigned bytes) {
      cell& c = r->memory->cells[word];
      if ((state & 1) != 0 && a.kind != access_kind::store && c.write.launch == 0) {
        unwritten = true;
      }
      visit(c, b, a, bytes, h);
    });
  }
  if (unwritten && all_bytes_are(a.address, a.bytes, 0)) {
    report(finding_kind::unwritten, a, {}, static_cast<std::ptrdiff_t>(offset), r->bytes);
  }
  if (h.found) report_race(b, a, h, static_cast<std::ptrdiff_t>(offset), r->bytes);
}

bool owns(const block& b, std::size_t offset, unsigned bytes) {
  if (offset + bytes <= grid_of(b.warps[0].lanes[0]).config.shared_bytes) return true;
  return std::any_of(b.storage.begin(), b.storage.end(),
                     [&](const auto& o) { return o.begin <= offset && offset + bytes <= o.end; });
}

void check_shared(block_check& b, const access& a, bool anew = false) {
  const std::size_t rank = (a.address - hot.group_base) / shared_stride;
  const block& owner = hot.at->home->home->blocks[rank];
  block_check& target = b.home->blocks[rank];
  const std::size_t offset = a.address - reinterpret_cast<std::uintptr_t>(owner.shared);
  if (!owns(owner, offset, a.bytes)) {
    return report(finding_kind::out_of_bounds, a, {}, static_cast<std::ptrdiff_t>(offset),
                  owner.storage_end);
  }
  hit h;
  bool unwritten = false;
  for_each_word(offset, a.bytes, [&](std::uintptr_t word, unsigned bytes) {
    shared_cell& c = (*target.cells)[word];
    if (c.block != target.id || c.launch != b.launch->id) {
      c.block = target.id;
      c.launch = b.launch->id;
      c.written = 0;
    }
    if (a.kind != access_kind::store && (bytes & ~c.written) != 0) unwritten = true;
    if (a.kind != access_kind::load) c.written = static_cast<std::uint8_t>(c.written | bytes);
    visit(c, b, a, bytes, h);
    if (anew) c.write.launch = 0;
  });
  if (unwritten && all_bytes_are(a.address, a.bytes, 0xA5)) {
    report(finding_kind::unwritten, a, {}, static_cast<std::ptrdiff_t>(offset), owner.storage_end);
  }
  if (h.found) report_race(b, a, h, static_cast<std::ptrdiff_t>(offset), owner.storage_end);
}

void tell(block_check& b, std::uint32_t thread) {
  lane_check& me = b.lanes[thread];
  if (me.told) return;
  me.told = true;
  b.launch->publish(b.id, {0, thread, me.own, me.in_warp, me.in_block});
}

access describe_access(block_check& b, std::uintptr_t address, access_kind kind, space where,
                       unsigned bytes, std::uintptr_t pc) {
  const std::uint32_t thread = hot.at->index * warp_size + hot.current->index;
  lane_check& me = b.lanes[thread];
  if (me.pending) {
    me.acquired = b.launch->releases.load();
    me.pending = false;
  }
  unsigned who = thread;
  if (kind == access_kind::atomic || address == me.word) {
    me.word = 0;
    who |= access_mark::atomic_bit | (me.own != 0 ? access_mark::flag_bit : 0U);
    if (kind != access_kind::load) tell(b, thread);
  } else if (kind == access_kind::store && me.flags) {
    who |= access_mark::flag_bit;
    me.flags = false;
    tell(b, thread);
  }
  return {address,
          pc,
          bytes,
          kind,
          where,
          thread,
          {b.id, b.home->clock, static_cast<std::uint32_t>(pc), static_cast<std::uint16_t>(who),
           b.launch->id}};
}

}  // namespace

void check_access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
                  std::uintptr_t pc) {
  block_check& b = *hot.check;
  const unsigned bytes = 1U << size_log2;
  const access a = describe_access(b, address, kind, where, bytes, pc);
  // A struct of two words is copied in one piece: eight bytes need an alignment of four at least.
  if (address % std::min(bytes, 4U) != 0) report(finding_kind::misaligned, a, {}, 0, 0);
  if (where == space::global) {
    check_global(b, a);
  } else {
    check_shared(b, a);
  }
  if (a.mark.atomic()) acquire(b, a.thread);
}

void check_word(std::uintptr_t word, bool release) {
  if (release) check_fence();
  lane_check& me = hot.check->lanes[hot.at->index * warp_size + hot.current->index];
  me.word = word;
  me.flags = false;
}

void check_copy_in(const void* shared, const void* global, std::size_t bytes, std::uintptr_t pc) {
  block_check& b = *hot.check;
  const auto from = reinterpret_cast<std::uintptr_t>(global);
  const auto to = reinterpret_cast<std::uintptr_t>(shared);
  for (std::size_t i = 0; i < bytes; i += 16) {
    check_global(b, describe_access(b, from + i, access_kind::load, space::global, 16, pc));
    // Who waits for the copy is ordered after it.
    check_shared(b, describe_access(b, to + i, access_kind::store, space::shared, 16, pc), true);
  }
}

void check_copy_out(const void* global, const void* shared, std::size_t bytes, std::uintptr_t pc) {
  block_check& b = *hot.check;
  const auto from = reinterpret_cast<std::uintptr_t>(shared);
  const auto to = reinterpret_cast<std::uintptr_t>(global);
  for (std::size_t i = 0; i < bytes; i += 16) {
    check_shared(b, describe_access(b, from + i, access_kind::load, space::shared, 16, pc));
    check_global(b, describe_access(b, to + i, access_kind::store, space::global, 16, pc));
  }
}

}  // namespace simt::detail
