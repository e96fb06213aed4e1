// Every access of a checked launch, before it happens. Hot: no containers here but to look up.
#include <algorithm>
#include <bit>
#include <utility>

#include "simt/src/check/races.hpp"
#include "simt/src/memory/arena.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/heap.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

std::uint64_t acquired_by(const block_check& b, std::uint32_t thread) {
  return std::max({b.lanes[thread].acquired, b.warps[thread / warp_size].acquired, b.acquired});
}

bool is_ordered(block_check& b, std::uint32_t thread, const access_mark& m, bool shared) {
  if (m.launch != b.launch->id) return true;
  const auto cluster = static_cast<unsigned>(b.cluster->blocks.size());
  const unsigned other = m.thread();
  if (m.block == b.id) {
    if (m.stamp <= b.met || other == thread) return true;
    if (other / warp_size == thread / warp_size) {
      const warp_check& w = b.warps[thread / warp_size];
      if (m.stamp <= w.met) return true;
      if (w.known && m.stamp <= (*w.known)[thread % warp_size][other % warp_size]) return true;
    }
  } else if (m.block / cluster == b.id / cluster) {
    if (m.stamp <= b.cluster->met) return true;
  } else if (shared) {
    return true;  // an earlier block had this memory
  }
  const std::uint64_t acquired = acquired_by(b, thread);
  if (acquired == 0) return false;
  if (m.block / cluster == b.id / cluster &&
      m.stamp > b.cluster->blocks[m.block % cluster].published) {
    return false;  // without a look at what all blocks share
  }
  ordered_before& memo = b.ordered[m.block % b.ordered.size()];
  return memo.covers(m, acquired) || b.launch->covers(m, b.id, acquired, memo);
}

void note_acquire(block_check& b, const access& a) {
  lane_check& me = b.lanes[a.thread];
  me.pending = b.warps[a.thread / warp_size].pending = b.pending = true;
  if (a.where != space::global) return;
  me.looking = a.address;
  me.looking_stamp = a.mark.stamp;
}

/// The atomic that a thread was making is over: what others had done to the word is known.
void finish_look(block_check& b, std::uint32_t thread) {
  constexpr std::size_t most = 4096;
  lane_check& me = b.lanes[thread];
  const look seen{me.looking, thread, me.looking_stamp,
                  last_write(b, *tls.warp->block, me.looking)};
  me.looking = 0;
  if (b.looked.size() < most) {
    b.looked.push_back(seen);
  } else {
    b.looked[b.looks % most] = seen;
  }
  ++b.looks;
}

bool is_same(const access_mark& x, const access_mark& y) {
  return x.block == y.block && x.stamp == y.stamp && x.site == y.site && x.thread() == y.thread() &&
         x.launch == y.launch;
}

/// Whether the storing thread knows that the atomic `m` came before: it, or one that it has met
/// since, has looked at that word, and no atomic has come to it after that. So does who drew the
/// last ticket and puts the counter back to zero.
bool has_seen(block_check& b, const access& a, const access_mark& m) {
  const auto tells = [&](const look& k) {
    if (k.address + 3 < a.address || k.address >= a.address + a.bytes) return false;
    access_mark at = a.mark;
    at.who = static_cast<std::uint16_t>(k.thread);
    at.stamp = k.stamp;
    return is_ordered(b, a.thread, at, false);
  };
  for (std::uint32_t thread = 0; thread < b.lanes.size(); ++thread) {
    const lane_check& l = b.lanes[thread];
    if (l.looking != 0 && tells({l.looking, thread, l.looking_stamp, {}})) return true;
  }
  return std::any_of(b.looked.begin(), b.looked.end(),
                     [&](const look& k) { return is_same(k.last, m) && tells(k); });
}

/// The thread stored there plainly and nobody has met it since: its atomic tells no more than that.
bool is_start_value(const block_check& b, const access& a, const access_mark& m) {
  return m.launch == a.mark.launch && m.block == b.id && m.thread() == a.thread && !m.atomic() &&
         m.stamp > std::max({b.met, b.warps[a.thread / warp_size].met, b.lanes[a.thread].any.own});
}

/// Whether the scopes of both take in the other's block.
bool reaches(const access_mark& x, const access_mark& y) {
  return x.block == y.block || (x.narrow | y.narrow) == 0;
}

/// Whether what lies between the two accesses of a warp's lanes is a vote or a shuffle, and neither
/// a barrier nor a fence.
bool trusts_vote(const block_check& b, std::uint32_t thread, const access_mark& m) {
  const std::uint32_t other = m.thread();
  return m.block == b.id && other != thread && other / warp_size == thread / warp_size &&
         m.stamp > std::max(b.met, b.lanes[other].any.own) &&
         m.stamp > std::min(b.lanes[thread].synced, b.lanes[other].synced);
}

/// What is known of one word against this access; then the word remembers it.
void visit(cell& c, block_check& b, const access& a, unsigned bytes, hit& h) {
  const bool shared = a.where != space::global;
  access_mark now = a.mark;
  now.who = static_cast<std::uint16_t>(now.who | bytes << 10);
  const auto clashes = [&](const access_mark& m, access_type what) {
    if (m.launch != now.launch || (m.bytes() & bytes) == 0) return false;
    if (!is_ordered(b, a.thread, m, shared)) return true;
    if (b.launch->notes && !h.found && trusts_vote(b, a.thread, m)) {
      h.voted = true;
      h.other = m;
      h.what = what;
    }
    return false;
  };
  // Lanes of which one reads what another stores in volatile words trust in lockstep, but for those
  // that come back until they have read what they wait for.
  const auto both_atomic = [&](const access_mark& m, bool polled) {
    const bool in_warp = m.block == b.id && m.thread() / warp_size == a.thread / warp_size;
    return now.atomic() && m.atomic() && reaches(m, now) && (polled || !(a.strong && in_warp));
  };
  const bool writes = a.kind != access_kind::load;
  h.carried |= a.kind == access_kind::atomic && c.write.atomic() && c.write.launch != 0 &&
               c.write.launch != now.launch && c.write.site == now.site;
  const bool looks = !writes && c.write.flag() && reaches(c.write, now);
  if (((a.strong && looks) || !both_atomic(c.write, writes || a.polls)) &&
      clashes(c.write, c.write.atomic() ? access_type::atomic : access_type::write)) {
    if (looks) {
      note_acquire(b, a);
    } else if (!(c.write.flag() && now.flag()) && !(a.kind == access_kind::store && !shared &&
                                                    c.write.atomic() && has_seen(b, a, c.write))) {
      const bool is_atomic = c.write.atomic() && !a.strong;  // else most likely volatile, too
      h = {true, false, h.carried, c.write, is_atomic ? access_type::atomic : access_type::write};
    }
  }
  if (writes) {
    for (access_mark& m : c.reads) {
      if (!now.flag() && !both_atomic(m, b.polls(m.site)) && !h.found &&
          clashes(m, access_type::read))
        h = {true, false, h.carried, m, access_type::read};
      if ((m.bytes() & ~bytes) == 0) m.launch = 0;
    }
    if (!(now.atomic() && is_start_value(b, a, c.write))) c.write = now;
    return;
  }
  auto& [first, second] = c.reads;
  const bool same_warp =
      first.block == second.block && first.thread() / warp_size == second.thread() / warp_size;
  if (is_ordered(b, a.thread, first, shared)) {
    first = now;
  } else if (same_warp || is_ordered(b, a.thread, second, shared)) {
    second = now;
  }
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
  const auto* const p = std::bit_cast<const volatile unsigned char*>(address);
  for (unsigned i = 0; i < bytes; ++i) {
    if (p[i] != value) return false;
  }
  return true;
}

const region* guess_region(block_check& b, std::uintptr_t address, std::uintptr_t pc) {
  const region*& guess = b.guesses[pc / 4 % b.guesses.size()];
  if (guess == nullptr || address - guess->begin >= guess->bytes) {
    guess = find_region(b.launch->regions, address);
  }
  return guess;
}

void check_global(block_check& b, const access& a) {
  const region* const r = guess_region(b, a.address, a.pc);
  target at = target_in(r, a.address);
  const auto offset = static_cast<std::uintptr_t>(at.offset);
  if (r == nullptr || offset + a.bytes > at.size) {
    if (in_arena(a.address)) {
      at = target_in(nearest_region(b.launch->regions, a.address), a.address);
    }
    const bool harmless =
        r != nullptr && offset + a.bytes <= (at.size + page_bytes - 1) / page_bytes * page_bytes;
    report(finding_kind::out_of_bounds, a, {}, at, &checker::add, !harmless);
    if (harmless) return;
    b.launch->end(*tls.current);
  }
  if (r->required && a.kind != access_kind::store) {
    for (const auto& map : b.launch->required_reads) map->note(a.address, a.bytes, a.pc);
  }
  hit h;
  bool unwritten = false;
  const std::uintptr_t begin = a.address - r->begin;
  for (std::uintptr_t from = begin, end = begin + a.bytes; from < end;) {
    const std::uintptr_t to = std::min((from | (page_bytes - 1)) + 1, end);
    locked_words words(*r, r->begin + from, *b.pages);
    for_each_word(from, static_cast<unsigned>(to - from), [&](std::uintptr_t w, unsigned bytes) {
      cell& c = words[w % (page_bytes / 4)];
      if (words.fresh() && a.kind != access_kind::store && c.write.launch == 0) unwritten = true;
      visit(c, b, a, bytes, h);
    });
    from = to;
  }
  if (h.carried) report(finding_kind::not_repeatable, a, {}, at, &checker::add_stale);
  if (unwritten && all_bytes_are(a.address, a.bytes, 0)) report(finding_kind::unwritten, a, {}, at);
  if (h.found) report_race(b, a, h, at);
  if (h.voted) report_vote(a, h, at);
}

bool owns(const block& b, std::size_t offset, unsigned bytes) {
  if (offset + bytes <= b.dynamic_bytes) return true;
  return std::any_of(b.storage.begin(), b.storage.end(),
                     [&](const auto& o) { return o.begin <= offset && offset + bytes <= o.end; });
}

void check_shared(block_check& b, const access& a, bool anew = false) {
  const std::size_t rank = (a.address - tls.cluster_base) / shared_stride;
  const block& owner = tls.warp->block->cluster->blocks[rank];
  block_check& other = b.cluster->blocks[rank];
  const std::size_t offset = a.address - reinterpret_cast<std::uintptr_t>(owner.shared);
  if (!owns(owner, offset, a.bytes)) {
    return report(finding_kind::out_of_bounds, a, {}, target_in(owner, a.address));
  }
  hit h;
  bool unwritten = false;
  for_each_word(offset, a.bytes, [&](std::uintptr_t word, unsigned bytes) {
    shared_cell& c = (*other.cells)[word];
    if (c.block != other.id || c.launch != b.launch->id) {
      c.block = other.id;
      c.launch = b.launch->id;
      c.written = 0;
    }
    if (a.kind != access_kind::store && (bytes & ~c.written) != 0) unwritten = true;
    if (a.kind != access_kind::load) c.written = static_cast<std::uint8_t>(c.written | bytes);
    visit(c, b, a, bytes, h);
    if (anew) c.write.launch = 0;
  });
  if (unwritten && all_bytes_are(a.address, a.bytes, 0xA5)) {
    report(finding_kind::unwritten, a, {}, target_in(owner, a.address));
  }
  if (h.found) report_race(b, a, h, target_in(owner, a.address));
  if (h.voted) report_vote(a, h, target_in(owner, a.address));
}

void release(block_check& b, std::uint32_t thread) {
  lane_check& me = b.lanes[thread];
  if (me.released && !b.fenced) return;
  me.released = true;
  const auto publish = [&](const fenced_until& f, bool narrow) {
    b.launch->publish(b, {0, thread, f.own, f.in_warp, f.in_block, narrow});
  };
  publish(me.wide, false);
  if (me.any.own > me.wide.own) publish(me.any, true);
}

/// The thread makes an atomic on this word: what it read there before was to be decided by it.
void follow_reads(block_check& b, lane_check& me, std::uintptr_t address) {
  const bool compares = std::exchange(me.compares, false);
  for (const plain_read& r : me.reads) {
    if (r.address != address) continue;
    if (b.decided_at == r.pc && b.decided_by_comparison == compares) continue;
    b.decided_at = r.pc;
    b.decided_by_comparison = compares;
    const hooks_disabled quiet;
    b.launch->decide(r.pc, compares);
  }
}

access describe_access(block_check& b, std::uintptr_t address, access_kind kind, space where,
                       unsigned bytes, std::uintptr_t pc) {
  const std::uint32_t thread = tls.warp->index * warp_size + tls.current->index;
  lane_check& me = b.lanes[thread];
  if (me.pending) {
    me.acquired = b.launch->releases.load();
    me.pending = false;
  }
  if (me.looking != 0) finish_look(b, thread);
  if (kind != access_kind::store) {
    me.polled = address;
    me.polled_at = pc;
  }
  if (kind == access_kind::load && address != me.word) {
    me.reads[me.next_read++ % me.reads.size()] = {address, pc};
  } else if (kind == access_kind::atomic) {
    follow_reads(b, me, address);
  }
  unsigned who = thread;
  const bool strong = std::exchange(me.strong, 0) == address && kind != access_kind::atomic;
  if (strong && me.polls) me.waited = address;
  const bool polls = strong && kind == access_kind::load && me.waited == address;
  bool narrow = false;
  if (strong || kind == access_kind::atomic || address == me.word) {
    narrow = std::exchange(me.block_scope, false);
    me.word = 0;
    if (strong && kind == access_kind::store) me.flags = false;
    who |= access_mark::atomic_bit | (me.any.own != 0 ? access_mark::flag_bit : 0U);
    if (kind != access_kind::load) release(b, thread);
  } else if (kind == access_kind::store && me.flags) {
    who |= access_mark::flag_bit;
    narrow = me.any.own > me.wide.own;
    me.flags = false;
    release(b, thread);
  }
  const access_mark mark{b.id,
                         b.cluster->clock,
                         static_cast<std::uint32_t>(pc) & access_mark::site_bits,
                         narrow,
                         static_cast<std::uint16_t>(who),
                         b.launch->id};
  if (polls && !b.polls(mark.site)) b.polling_sites.push_back(mark.site);
  return {address, pc, bytes, kind, where, thread, strong, polls, mark};
}

}  // namespace

void checker::access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
                     std::uintptr_t pc) {
  block_check& b = check_of(*tls.warp->block);
  settle(b);
  const unsigned bytes = 1U << size_log2;
  const detail::access a = describe_access(b, address, kind, where, bytes, pc);
  if (address % bytes != 0) report(finding_kind::misaligned, a, {}, {});
  if (kind != access_kind::load) {
    b.pages->store.store(a.mark.id(), std::memory_order_relaxed);
    b.pages->storing.store(address, std::memory_order_release);
  }
  if (where == space::global) {
    check_global(b, a);
  } else {
    check_shared(b, a);
  }
  if (a.mark.atomic() && !a.strong) note_acquire(b, a);
}

void checker::other_access(std::uintptr_t address, access_kind kind, unsigned size_log2,
                           std::uintptr_t pc) {
  const block& b = *tls.warp->block;
  const cluster& c = *b.cluster;
  const bool on_a_stack = address - reinterpret_cast<std::uintptr_t>(c.mapping) < c.memory_bytes;
  if (pageable_access || on_a_stack || is_on_heap(address) || program.contains(address)) return;
  const detail::access a =
      describe_access(check_of(b), address, kind, space::global, 1U << size_log2, pc);
  report(finding_kind::host_memory, a, {}, {});
}

void checker::misaligned_access(std::uintptr_t address, access_kind kind, space where,
                                std::uintptr_t pc) {
  const detail::access a = describe_access(check_of(*tls.current), address, kind, where, 16, pc);
  report(finding_kind::misaligned, a, {}, {}, &checker::add, true);
  end(*tls.current);
}

void checker::bulk_load(const void* shared, const void* global, std::size_t bytes,
                        std::uintptr_t pc) {
  block_check& b = check_of(*tls.current);
  const auto from = reinterpret_cast<std::uintptr_t>(global);
  const auto to = reinterpret_cast<std::uintptr_t>(shared);
  for (std::size_t i = 0; i < bytes; i += 16) {
    check_global(b, describe_access(b, from + i, access_kind::load, space::global, 16, pc));
    // Who waits for the copy is ordered after it.
    check_shared(b, describe_access(b, to + i, access_kind::store, space::shared, 16, pc), true);
  }
}

void checker::bulk_store(const void* global, const void* shared, std::size_t bytes,
                         std::uintptr_t pc) {
  block_check& b = check_of(*tls.current);
  const auto from = reinterpret_cast<std::uintptr_t>(shared);
  const auto to = reinterpret_cast<std::uintptr_t>(global);
  for (std::size_t i = 0; i < bytes; i += 16) {
    check_shared(b, describe_access(b, from + i, access_kind::load, space::shared, 16, pc));
    check_global(b, describe_access(b, to + i, access_kind::store, space::global, 16, pc));
  }
}

}  // namespace simt::detail
