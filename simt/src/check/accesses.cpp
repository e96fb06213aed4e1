// Every access of a checked launch, before it happens. Hot: no containers here but to look up.
#include <algorithm>
#include <bit>
#include <utility>

#include "simt/src/check/races.hpp"
#include "simt/src/check/word_visit.hpp"
#include "simt/src/memory/arena.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/heap.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

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
      word_visit(c, b, a, bytes, h).run();
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
    word_visit(c, b, a, bytes, h).run();
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
  // In a trial: the address may come from the value, and nobody restores what is stored there.
  if (absent_value != 0 && kind != access_kind::load && !on_a_stack) end(*tls.current);
  if (pageable_access || on_a_stack || is_on_heap(address) || program.contains(address)) return;
  const detail::access a =
      describe_access(check_of(b), address, kind, space::global, 1U << size_log2, pc);
  constexpr std::uintptr_t never_mapped = 1 << 16;
  report(finding_kind::host_memory, a, {},
         {.name = address < never_mapped ? null_pointer : nullptr});
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
