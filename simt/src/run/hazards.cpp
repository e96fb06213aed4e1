#include "simt/src/run/hazards.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "simt/src/run/failures.hpp"
#include "simt/src/run/names.hpp"

namespace simt::detail {

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

namespace {

std::string deadlock_report(const cluster& c) {
  for (const block& b : c.blocks) {
    if (b.live == 0 && c.blocks.size() > 1) continue;
    std::string text = where_is(b) + ": no thread can continue.";
    for (const crowd& these : crowds_of(b)) {
      text += " " + std::to_string(these.count) + " of " + std::to_string(c.threads_per_block) +
              " threads (first: thread " + triple(these.first->thread_idx) + ", warp " +
              std::to_string(these.first->warp->index) + " lane " +
              std::to_string(these.first->index) + ") ";
      text += these.spins ? "spin on words that no thread writes" : "wait at " + describe(these.at);
      text += ".";
    }
    if (b.first_exit != nullptr) {
      text += " " + std::to_string(c.threads_per_block - b.live) + " ended (first: thread " +
              triple(b.first_exit->thread_idx) + ").";
    }
    return text;
  }
  return "kernel " + kernel_name(c.worker->launched->kernel) + ": no thread can continue.";
}

}  // namespace

void give_up(const cluster& stuck, bool spins) {
  grid& g = *stuck.worker->launched;
  observer* const observed_by = stuck.worker->observer;
  if (observed_by != nullptr && observed_by->reports_hang(stuck, spins)) {
    g.stop = true;
  } else {
    g.fail(deadlock_report(stuck));
  }
}

}  // namespace simt::detail
