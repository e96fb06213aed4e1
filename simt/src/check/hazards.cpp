// What a kernel can't survive: a barrier, a warp operation or a wait that can't end. In a checked
// launch it is a finding, and the launch ends.
#include "simt/src/run/hazards.hpp"

#include <algorithm>
#include <bit>

#include "simt/src/check/checker.hpp"
#include "simt/src/run/cluster.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

std::string plural(std::uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

raw_party party_of(const lane& l, std::string doing, unsigned threads = 1) {
  const block& b = block_of(l);
  return {b.block_idx,      l.thread_idx,     l.warp->index, l.at,
          last_position(l), std::move(doing), threads};
}

/// For "waits at __shfl_sync with mask 0x0000ffff, for lanes 0x0000ff00".
std::string waiting_at(const crowd& c) {
  std::string text = std::string("waits at ") + name_of(c.at.what);
  for (const collective& meeting : c.first->warp->collectives) {
    const bool in_it = (meeting.arrived >> c.first->index & 1) != 0 && meeting.unread == 0;
    if (!in_it || (c.first->warp->elsewhere >> c.first->index & 1) == 0) continue;
    text +=
        " with mask " + hex(meeting.mask) + ", for lanes " + hex(meeting.mask & ~meeting.arrived);
    break;
  }
  return text;
}

/// What the thread polls, and who wrote there last, if anybody else did.
raw_party spinner(const crowd& c, std::vector<raw_party>& writers) {
  const block_check& b = check_of(*c.first);
  const std::uint32_t thread = c.first->warp->index * warp_size + c.first->index;
  const lane_check& l = b.lanes[thread];
  raw_party p = party_of(*c.first, "spins", c.count);
  if (l.polled == 0) return p;
  p.at = {};
  p.pc = l.polled_at;
  p.doing = "spins; it last read " + describe_address(b, block_of(*c.first), l.polled);
  const access_mark m = last_write(b, block_of(*c.first), l.polled);
  const bool by_itself = m.block == b.id && m.thread() == thread;
  if (m.launch != b.launch->id) {
    p.doing += ", which no thread has written in this launch";
  } else if (by_itself) {
    p.doing += ", which only its own atomics have written since";
  } else {
    const launch_config& config = grid_of(*c.first).config;
    writers.push_back({.block = block_at(m.block, config.grid, config.cluster),
                       .thread = unflatten(m.thread(), config.block),
                       .warp = m.thread() / warp_size,
                       .at = {},
                       .pc = full_position(m.site, l.polled_at),
                       .doing = wrote_last});
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
      if (l.at.what != intrinsic::cluster_sync) return false;
    }
    return true;
  });
}

}  // namespace

void checker::end_by(raw_hazard h) {
  const std::scoped_lock lock(mutex);
  if (!ended) hazards.push_back(std::move(h));
  ended = true;
}

void checker::end(lane& self) {
  {
    const hooks_disabled quiet;
    const std::scoped_lock lock(mutex);
    ended = true;
  }
  end_launch(self);
}

namespace {

raw_hazard described(const hazard& h) {
  raw_hazard raw{.kind = h.kind, .detail = {}, .parties = {party_of(h.self, h.what)}};
  if (h.self.at.line != 0) {
    raw.parties[0].doing = std::string("at ") + name_of(h.self.at.what) + " " + h.what;
  }
  if (h.other != nullptr) raw.parties.push_back(party_of(*h.other, h.other_does));
  return raw;
}

}  // namespace

bool checker::reports(const hazard& h) {
  raw_hazard raw = described(h);
  const hooks_disabled quiet;
  end_by(std::move(raw));
  return true;
}

void checker::notices(const hazard& h) {
  raw_hazard raw = described(h);
  raw.ends = false;
  const hooks_disabled quiet;
  keep(std::move(raw));
}

/// Once for each place. Values of lanes that are not there are one finding of the launch: nobody
/// knows which of them the thread goes on to use.
void checker::keep(raw_hazard h) {
  constexpr std::size_t most = 256, most_places = 8;
  const std::scoped_lock lock(mutex);
  const auto is_at = [&](const raw_party& p) {
    const place& at = h.parties[0].at;
    return p.at.line == at.line && p.at.file == at.file;
  };
  const bool is_value = h.kind == finding_kind::wrong_mask && !h.ends;
  const auto same = [&](const raw_hazard& k) {
    return k.kind == h.kind && k.ends == h.ends && k.note == h.note &&
           (is_value || is_at(k.parties[0]));
  };
  const auto known = std::find_if(hazards.begin(), hazards.end(), same);
  if (known != hazards.end()) {
    ++known->count;
    auto& all = known->parties;
    const bool is_new = is_value && std::none_of(all.begin(), all.end(), is_at);
    if (is_new && all.size() < most_places) all.push_back(std::move(h.parties[0]));
  } else if (hazards.size() < most) {
    hazards.push_back(std::move(h));
  }
}

/// On a device of today the barrier is complete. Those of 6.x and older wait for all of the block.
void checker::note_exits(const block& b) {
  raw_hazard h{.kind = finding_kind::barrier_not_reached, .detail = {}, .parties = {}};
  const lane& last = *tls.current;
  const hooks_disabled quiet;
  raw_party waits{.block = b.block_idx,
                  .thread = last.thread_idx,
                  .warp = last.warp->index,
                  .at = b.barrier,
                  .doing = std::string("passes ") + name_of(b.barrier.what),
                  .threads = b.live};
  h.parties = {std::move(waits)};
  add_ended(h, b);
  h.ends = false;
  h.note = true;
  keep(std::move(h));
}

namespace {

unsigned times_past(const lane_check& l, const void* barrier) {
  for (const passing& p : l.passed) {
    if (p.barrier == barrier) return p.times;
  }
  return 0;
}

const lane& lane_of(const block& b, std::size_t thread) {
  return b.warps[thread / warp_size].lanes[thread % warp_size];
}

bool is_alive(const block& b, std::size_t thread) {
  return (b.warps[thread / warp_size].live >> thread % warp_size & 1) != 0;
}

}  // namespace

/// The barrier is complete, but some threads went past it more often than one that waits there:
/// they wait in a later round, or have ended. A device lets all go on; CUDA leaves it undefined.
void checker::note_passing(const block& b) {
  block_check& c = check_of(b);
  struct waiting {
    const void* barrier;
    std::size_t thread;
    unsigned times;  // the fewest
  };
  std::vector<waiting> all;
  for (std::size_t k = 0; k < b.threads; ++k) {
    const void* const barrier = c.lanes[k].waits_at;
    if (!is_alive(b, k) || barrier == nullptr) continue;
    const waiting now{barrier, k, times_past(c.lanes[k], barrier)};
    const auto same = std::find_if(all.begin(), all.end(),
                                   [=](const waiting& w) { return w.barrier == barrier; });
    if (same == all.end()) {
      all.push_back(now);
    } else if (now.times < same->times) {
      *same = now;
    }
  }
  const lane* waits = nullptr;
  raw_party past{.doing = "passed it and ended", .threads = 0};
  unsigned alive = 0;
  for (std::size_t i = 0; i < b.threads; ++i) {
    const auto behind = std::find_if(all.begin(), all.end(), [&](const waiting& w) {
      return (!is_alive(b, i) || c.lanes[i].waits_at == w.barrier) &&
             times_past(c.lanes[i], w.barrier) > w.times;
    });
    if (behind == all.end()) continue;
    if (is_alive(b, i) && ++alive == 1) past.doing = "passed it by and waits there later";
    if (waits == nullptr) waits = &lane_of(b, behind->thread);
    const lane& l = lane_of(b, i);
    if (past.threads++ == 0) past.block = b.block_idx, past.thread = l.thread_idx;
    if (past.threads == 1) past.warp = l.warp->index, past.at = b.barrier;
  }
  for (lane_check& l : c.lanes) {
    l.waits_at = nullptr;
    l.passed.fill({});
  }
  if (waits == nullptr) return;
  const hooks_disabled quiet;
  raw_hazard h{.kind = finding_kind::barrier_not_reached, .detail = {}, .parties = {}};
  h.parties = {{.block = b.block_idx,
                .thread = waits->thread_idx,
                .warp = waits->warp->index,
                .at = b.barrier,
                .doing = std::string("waits at ") + name_of(b.barrier.what),
                .threads = b.live - alive},
               std::move(past)};
  h.ends = false;
  keep(std::move(h));
}

namespace {

raw_hazard spinning(const cluster& stuck) {
  const grid& g = *stuck.worker->launched;
  raw_hazard h{.kind = finding_kind::spinning, .detail = {}, .parties = {}};
  for (const auto& other : stuck.worker->resident) {
    for (const block& b : other->blocks) {
      if (b.live != 0) add_waiting(h, b);
    }
  }
  const std::uint64_t begun = std::min<std::uint64_t>(g.next_cluster, g.clusters);
  if (begun != g.clusters) {
    const std::uint64_t left = (g.clusters - begun) * stuck.blocks.size();
    h.detail = std::to_string(left) + " of " + plural(g.clusters * stuck.blocks.size(), "block") +
               " cannot start before a running one ends, as on a full device";
  }
  return h;
}

raw_hazard deadlock(const block& b) {
  raw_hazard h{.kind = finding_kind::deadlock, .detail = {}, .parties = {}};
  if (waits_at_barriers_only(b)) h.kind = finding_kind::barrier_not_reached;
  add_waiting(h, b);
  add_ended(h, b);
  return h;
}

}  // namespace

bool checker::reports_hang(const cluster& stuck, bool spins) {
  if (spins) {
    end_by(spinning(stuck));
    return true;
  }
  const auto alive = std::find_if(stuck.blocks.begin(), stuck.blocks.end(),
                                  [](const block& b) { return b.live != 0; });
  if (alive != stuck.blocks.end()) end_by(deadlock(*alive));
  return true;
}

}  // namespace simt::detail
