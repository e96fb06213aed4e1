// What a kernel can't survive: a barrier, a warp operation or a wait that can't end. Unchecked it
// is an error; in a checked launch a finding, and the launch ends.
#include <algorithm>
#include <bit>
#include <string_view>

#include "simt/src/check/checker.hpp"

namespace simt::detail {

namespace {

/// The threads that do the same, and the first of them.
struct crowd {
  const lane* first;
  place at;
  bool spins;
  unsigned count;
};

std::vector<crowd> crowds_of(const block& b) {
  std::vector<crowd> all;
  for (const warp& w : b.warps) {
    for (std::uint32_t rest = w.live; rest != 0; rest &= rest - 1) {
      const lane& l = w.lanes[static_cast<unsigned>(std::countr_zero(rest))];
      const bool spins = (w.spinning >> l.index & 1) != 0;
      const place& at = (w.elsewhere >> l.index & 1) != 0 ? l.at : b.barrier;
      const auto same = [&](const crowd& c) {
        return c.spins == spins &&
               (spins || (c.at.line == at.line && std::string_view(c.at.file) == at.file));
      };
      const auto known = std::find_if(all.begin(), all.end(), same);
      if (known != all.end()) {
        ++known->count;
      } else {
        all.push_back({&l, at, spins, 1});
      }
    }
  }
  return all;
}

std::string plural(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

raw_party party_of(const lane& l, std::string doing, unsigned threads = 1) {
  const block& b = home_of(l);
  return {b.block_idx,      l.thread_idx,     l.home->index, l.at,
          last_position(l), std::move(doing), threads};
}

/// For "waits at __shfl_sync with mask 0x0000ffff, for lanes 0x0000ff00".
std::string waiting_at(const crowd& c) {
  std::string text = std::string("waits at ") + name_of(c.at.what);
  for (const collective& meeting : c.first->home->collectives) {
    const bool in_it = (meeting.arrived >> c.first->index & 1) != 0 && meeting.unread == 0;
    if (!in_it || (c.first->home->elsewhere >> c.first->index & 1) == 0) continue;
    text +=
        " with mask " + hex(meeting.mask) + ", for lanes " + hex(meeting.mask & ~meeting.arrived);
    break;
  }
  return text;
}

/// What the thread polls, and who wrote there last, if anybody else did.
raw_party spinner(const crowd& c, std::vector<raw_party>& writers) {
  block_check& b = *home_of(*c.first).check;
  const std::uint32_t thread = c.first->home->index * warp_size + c.first->index;
  const lane_check& l = b.lanes[thread];
  raw_party p = party_of(*c.first, "spins", c.count);
  if (l.polled == 0) return p;
  p.at = {};
  p.pc = l.polled_at;
  p.doing = "spins; it last read " + describe_address(b, home_of(*c.first), l.polled);
  const access_mark m = last_write(b, home_of(*c.first), l.polled);
  const bool by_itself = m.block == b.id && m.thread() == thread;
  if (m.launch != b.launch->id) {
    p.doing += ", which nobody has written in this launch";
  } else if (by_itself) {
    p.doing += ", where only its own atomics have come since";
  } else {
    const launch_config& config = grid_of(*c.first).config;
    writers.push_back({.block = unflatten(m.block, config.grid),
                       .thread = unflatten(m.thread(), config.block),
                       .warp = m.thread() / warp_size,
                       .at = {},
                       .pc = full_position(m.site, l.polled_at),
                       .doing = "wrote that last"});
  }
  return p;
}

void add_waiting(raw_hazard& h, const block& b) {
  std::vector<raw_party> writers;
  for (const crowd& c : crowds_of(b)) {
    if (c.spins) {
      h.parties.push_back(spinner(c, writers));
    } else {
      raw_party p = party_of(*c.first, waiting_at(c), c.count);
      p.at = c.at;
      h.parties.push_back(std::move(p));
    }
  }
  h.parties.insert(h.parties.end(), writers.begin(), writers.end());
}

void add_ended(raw_hazard& h, const block& b) {
  if (b.first_exit == nullptr) return;
  h.parties.push_back(party_of(*b.first_exit, "has ended", b.threads - b.live));
}

bool waits_at_barriers_only(const block& b) {
  return std::all_of(b.warps.begin(), b.warps.end(), [](const warp& w) {
    std::uint32_t rest = w.live & w.elsewhere;
    for (; rest != 0; rest &= rest - 1) {
      const lane& l = w.lanes[static_cast<unsigned>(std::countr_zero(rest))];
      if (l.at.what != word::cluster_sync) return false;
    }
    return true;
  });
}

std::string deadlock_report(const group& g) {
  for (const block& b : g.blocks) {
    if (b.live == 0 && g.blocks.size() > 1) continue;
    std::string text = where_is(b) + ": no thread can go on.";
    for (const crowd& c : crowds_of(b)) {
      text += " " + std::to_string(c.count) + " of " + std::to_string(g.threads_per_block) +
              " threads (first: thread " + triple(c.first->thread_idx) + ", warp " +
              std::to_string(c.first->home->index) + " lane " + std::to_string(c.first->index) +
              ") ";
      text += c.spins ? "spin for something that nobody does" : "wait at " + describe(c.at);
      text += ".";
    }
    if (b.first_exit != nullptr) {
      text += " " + std::to_string(g.threads_per_block - b.live) + " ended (first: thread " +
              triple(b.first_exit->thread_idx) +
              "); every thread of a block, also one with nothing to do, must reach its barriers.";
    }
    return text;
  }
  return "kernel " + kernel_name(g.home->job->kernel) + ": no thread can go on.";
}

void end_launch(grid& g, raw_hazard h) {
  {
    const std::scoped_lock lock(g.check->mutex);
    if (!g.check->ended) g.check->hazards.push_back(std::move(h));
    g.check->ended = true;
  }
  g.stop = true;
}

}  // namespace

void fail_hazard(lane& self, finding_kind kind, const std::string& what, const lane* other,
                 const std::string& other_does) {
  grid& g = *home_of(self).home->home->job;
  if (!g.check) fail(self, what);
  lane& current = *hot.current;
  raw_hazard h{.kind = kind, .detail = {}, .parties = {party_of(self, what)}};
  if (self.at.line != 0) {
    h.parties[0].doing = std::string("at ") + name_of(self.at.what) + " " + what;
  }
  if (other != nullptr) h.parties.push_back(party_of(*other, other_does));
  hush_hooks();
  end_launch(g, std::move(h));
  abandon(current);
}

void fail_checked(lane& self) {
  grid& g = *home_of(self).home->home->job;
  hush_hooks();
  {
    const std::scoped_lock lock(g.check->mutex);
    g.check->ended = true;
  }
  g.stop = true;
  abandon(self);
}

void give_up(const group& stuck, bool spins) {
  grid& g = *stuck.home->job;
  if (!g.check) {
    const std::string what = deadlock_report(stuck);
    const std::scoped_lock lock(g.mutex);
    if (g.failure.empty()) g.failure = what;
    g.stop = true;
    return;
  }
  if (spins) {
    raw_hazard h{.kind = finding_kind::spinning, .detail = {}, .parties = {}};
    for (const auto& other : stuck.home->resident) {
      for (const block& b : other->blocks) {
        if (b.live != 0) add_waiting(h, b);
      }
    }
    const std::uint64_t begun = std::min<std::uint64_t>(g.next_group, g.groups);
    if (begun != g.groups) {
      const std::uint64_t left = (g.groups - begun) * stuck.blocks.size();
      h.detail = std::to_string(left) + " of " + plural(g.groups * stuck.blocks.size(), "block") +
                 " can't begin before one that runs has ended, as on a device that is full";
    }
    return end_launch(g, std::move(h));
  }
  for (const block& b : stuck.blocks) {
    if (b.live == 0) continue;
    raw_hazard h{.kind = finding_kind::deadlock, .detail = {}, .parties = {}};
    if (waits_at_barriers_only(b)) h.kind = finding_kind::barrier_not_reached;
    add_waiting(h, b);
    add_ended(h, b);
    return end_launch(g, std::move(h));
  }
}

}  // namespace simt::detail
