// The race checker's rules: which accesses are ordered, and what an access means to a word that
// others have accessed. Hot: inlined into accesses.cpp, its only user.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simt/src/check/races.hpp"

namespace simt::detail {

inline std::uint64_t acquired_by(const block_check& b, std::uint32_t thread) {
  return std::max({b.lanes[thread].acquired, b.warps[thread / warp_size].acquired, b.acquired});
}

inline bool is_ordered(block_check& b, std::uint32_t thread, const access_mark& m, bool shared) {
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

inline void note_acquire(block_check& b, const access& a) {
  lane_check& me = b.lanes[a.thread];
  me.pending = b.warps[a.thread / warp_size].pending = b.pending = true;
  if (a.where != space::global) return;
  me.looking = a.address;
  me.looking_stamp = a.mark.stamp;
}

inline bool is_same(const access_mark& x, const access_mark& y) {
  return x.block == y.block && x.stamp == y.stamp && x.site == y.site && x.thread() == y.thread() &&
         x.launch == y.launch;
}

/// Whether the storing thread knows that the atomic `m` came before: it, or one that it has met
/// since, has looked at that word, and no atomic has come to it after that. So does who drew the
/// last ticket and puts the counter back to zero.
inline bool has_seen(block_check& b, const access& a, const access_mark& m) {
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
inline bool is_start_value(const block_check& b, const access& a, const access_mark& m) {
  return m.launch == a.mark.launch && m.block == b.id && m.thread() == a.thread && !m.atomic() &&
         m.stamp > std::max({b.met, b.warps[a.thread / warp_size].met, b.lanes[a.thread].any.own});
}

/// Whether the scopes of both take in the other's block.
inline bool reaches(const access_mark& x, const access_mark& y) {
  return x.block == y.block || (x.narrow | y.narrow) == 0;
}

/// Whether what lies between the two accesses of a warp's lanes is a vote or a shuffle, and neither
/// a barrier nor a fence.
inline bool trusts_vote(const block_check& b, std::uint32_t thread, const access_mark& m) {
  const std::uint32_t other = m.thread();
  return m.block == b.id && other != thread && other / warp_size == thread / warp_size &&
         m.stamp > std::max(b.met, b.lanes[other].any.own) &&
         m.stamp > std::min(b.lanes[thread].synced, b.lanes[other].synced);
}

/// What an access means that is not ordered after the last write of a word.
//
//   access             | last write                    | verdict
//   -------------------+-------------------------------+--------------------------------------------
//   load               | flag that reaches it          | acquires: ordered after what it publishes
//   atomic             | atomic that reaches it        | allowed, but for volatile words in a warp
//   flag               | flag that reaches it          | allowed
//   store, global      | atomic that its thread knows  | allowed
//   any                | any                           | race
//
// A flag is an atomic, or a store, after a fence. Volatile accesses are atomics here.
enum class verdict : std::uint8_t { allowed, acquires, race };

/// One word against an access.
class word_visit {
 public:
  word_visit(cell& c, block_check& b, const access& a, unsigned bytes, hit& h)
      : c_(c), b_(b), a_(a), now_(a.mark), bytes_(bytes), shared_(a.where != space::global), h_(h) {
    now_.who = static_cast<std::uint16_t>(now_.who | bytes << 10);
  }

  /// Checks the access; then the word remembers it.
  void run() {
    h_.carried |= a_.kind == access_kind::atomic && c_.write.atomic() && c_.write.launch != 0 &&
                  c_.write.launch != now_.launch && c_.write.site == now_.site;
    switch (after_last_write()) {
      case verdict::allowed: break;
      case verdict::acquires: note_acquire(b_, a_); break;
      case verdict::race: {
        const bool is_atomic = c_.write.atomic() && !a_.strong;  // else most likely volatile, too
        found(c_.write, is_atomic ? access_type::atomic : access_type::write);
      }
    }
    writes() ? check_reads() : remember_read();
  }

 private:
  [[nodiscard]] bool writes() const { return a_.kind != access_kind::load; }
  [[nodiscard]] bool is_in_warp(const access_mark& m) const {
    return m.block == b_.id && m.thread() / warp_size == a_.thread / warp_size;
  }

  [[nodiscard]] verdict after_last_write() {
    const access_mark& m = c_.write;
    const bool acquires = acquires_flag(m);
    if (!(a_.strong && acquires) && are_atomics(m, writes() || a_.polls)) return verdict::allowed;
    if (!clashes(m, m.atomic() ? access_type::atomic : access_type::write)) return verdict::allowed;
    if (acquires) return verdict::acquires;
    return are_flags(m) || stores_over_known_atomic(m) ? verdict::allowed : verdict::race;
  }

  // The rows of the table.
  [[nodiscard]] bool acquires_flag(const access_mark& m) const {
    return !writes() && m.flag() && reaches(m, now_);
  }
  /// Lanes of which one reads what another stores in volatile words trust in lockstep, but for
  /// those that come back until they have read what they wait for (`polls`).
  [[nodiscard]] bool are_atomics(const access_mark& m, bool polls) const {
    return now_.atomic() && m.atomic() && reaches(m, now_) &&
           (polls || !(a_.strong && is_in_warp(m)));
  }
  [[nodiscard]] bool are_flags(const access_mark& m) const {
    return m.flag() && now_.flag() && reaches(m, now_);
  }
  [[nodiscard]] bool stores_over_known_atomic(const access_mark& m) const {
    return a_.kind == access_kind::store && !shared_ && m.atomic() && has_seen(b_, a_, m);
  }

  /// Whether both touch a byte and neither is ordered before the other. Where only a vote orders
  /// them, that is noted.
  [[nodiscard]] bool clashes(const access_mark& m, access_type what) {
    if (m.launch != now_.launch || (m.bytes() & bytes_) == 0) return false;
    if (!is_ordered(b_, a_.thread, m, shared_)) return true;
    if (b_.launch->notes && !h_.found && trusts_vote(b_, a_.thread, m)) {
      h_.voted = true;
      h_.other = m;
      h_.what = what;
    }
    return false;
  }
  void found(const access_mark& m, access_type what) { h_ = {true, false, h_.carried, m, what}; }

  /// A write against the reads before it, which it ends.
  void check_reads() {
    for (access_mark& m : c_.reads) {
      if (!now_.flag() && !are_atomics(m, b_.polls(m.site)) && !h_.found &&
          clashes(m, access_type::read)) {
        found(m, access_type::read);
      }
      if ((m.bytes() & ~bytes_) == 0) m.launch = 0;
    }
    if (!(now_.atomic() && is_start_value(b_, a_, c_.write))) c_.write = now_;
  }
  /// In the place of a read that is ordered before it, or of one of two in one warp.
  void remember_read() {
    auto& [first, second] = c_.reads;
    const bool same_warp =
        first.block == second.block && first.thread() / warp_size == second.thread() / warp_size;
    if (is_ordered(b_, a_.thread, first, shared_)) {
      first = now_;
    } else if (same_warp || is_ordered(b_, a_.thread, second, shared_)) {
      second = now_;
    }
  }

  cell& c_;
  block_check& b_;
  const access& a_;
  access_mark now_;
  unsigned bytes_;
  bool shared_;
  hit& h_;
};

}  // namespace simt::detail
