#include "simt/src/run/livelock_detector.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <mutex>

#include "simt/src/observers.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

/// Of whole words.
std::uint64_t hash_of(const std::uint64_t* begin, const std::uint64_t* end) {
  std::uint64_t h = 0x9e37'79b9'7f4a'7c15;
  for (; begin < end; ++begin) h = std::rotl((h ^ *begin) * 0xff51'afd7'ed55'8ccd, 29);
  return h | 1;  // 0: none
}

/// The running lane's registers, which are at `frame`, and its stack from there up.
std::uint64_t state_of(const lane& self, const void* frame) {
  const std::byte* const top = self.warp->stacks + (self.index + std::size_t{1}) * stack_bytes;
  return hash_of(static_cast<const std::uint64_t*>(frame),
                 reinterpret_cast<const std::uint64_t*>(top));
}

template <class F>
void for_each_warp(const worker& w, F f) {
  for (const auto& c : w.resident) {
    for (block& b : c->blocks) {
      for (warp& each : b.warps) f(each);
    }
  }
}

}  // namespace

void livelock_detector::reset() {
  stop_observing();
  turns_ = {};
}

void livelock_detector::leave() {
  reset();
  const std::scoped_lock lock(worker_.launched->mutex);
  worker_.launched->agreement.leave();
}

void livelock_detector::withdraw() {
  if (stage_ < stage::found) return;
  stage_ = stage::observing;
  const std::scoped_lock lock(worker_.launched->mutex);
  worker_.launched->agreement.begin_epoch();
}

void livelock_detector::observe() {
  stage_ = stage::observing;
  of_launch_ = worker_.observer;
  if (of_launch_ != nullptr)
    both_ = std::make_unique<observer_list>(std::vector{of_launch_, static_cast<observer*>(this)});
  worker_.observer = of_launch_ != nullptr ? both_.get() : this;
  keep_states_anew();
}

void livelock_detector::stop_observing() {
  if (stage_ == stage::idle) return;
  withdraw();
  stage_ = stage::idle;
  worker_.observer = of_launch_;
}

void livelock_detector::keep_states_anew() {
  changed_ = false;
  keeps_next_ = true;
  turns_.observed = 0;
  last_store_.address = 0;
  for_each_warp(worker_, [](warp& w) { w.states.reset(); });
}

bool livelock_detector::all_repeat() {
  ++turns_.count;
  if (stage_ == stage::idle) {
    if (turns_.count >= turns_.first) observe();
    return false;
  }
  compare_last_store();
  ++turns_.observed;
  keeps_next_ = std::has_single_bit(turns_.observed);  // a longer and longer time to come back in
  if (changed_) {
    keep_states_anew();
    withdraw();
  }
  if (!all_states_repeat()) {
    if (turns_.count < turns_.last) return false;
    stop_observing();
    turns_.first = 4 * turns_.last;
    turns_.last = turns_.first + turns_.first / 2;
    return false;
  }
  // What others write meanwhile counts: all must find so after the last one has.
  const std::scoped_lock lock(worker_.launched->mutex);
  livelock_agreement& all = worker_.launched->agreement;
  if (stage_ == stage::observing || epoch_ != all.epoch) {
    if (stage_ == stage::observing) all.begin_epoch();
    stage_ = stage::found;
    epoch_ = all.epoch;
    turns_.last = std::max(turns_.last, turns_.count + 8);
    keep_states_anew();
    return false;
  }
  if (stage_ == stage::found) ++all.confirmed;
  stage_ = stage::confirmed;
  return all.confirmed == all.workers;
}

bool livelock_detector::all_states_repeat() const {
  bool all = true;
  for_each_warp(worker_, [&](const warp& w) {
    const std::uint32_t repeats = w.states != nullptr ? w.states->repeats : 0;
    all &= (w.spinning & w.live & ~repeats) == 0;
  });
  return all;
}

void livelock_detector::note_yield(const void* frame) {
  lane& self = *tls.current;
  warp& w = *self.warp;
  const hooks_disabled quiet;
  compare_last_store();
  const std::uint64_t now = state_of(self, frame);
  if (w.states == nullptr) w.states = std::make_unique<lane_states>();
  std::uint64_t& kept = w.states->kept[self.index];
  if (kept == now) w.states->repeats |= 1U << self.index;
  if (kept == 0 || keeps_next_) kept = now;
}

void livelock_detector::set_loop_repeats(bool is) {
  if (loop_.repeats == is) return;
  loop_.repeats = is;
  const std::scoped_lock lock(worker_.launched->mutex);
  unsigned& looping = worker_.launched->agreement.looping;
  is ? ++looping : --looping;
}

bool livelock_detector::thread_repeats(const void* registers) {
  grid& g = *worker_.launched;
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t progress = g.progress.load(std::memory_order_relaxed);
  if (loop_.asked++ == 0 || loop_.progress != progress) {
    set_loop_repeats(false);
    loop_ = {progress, now, 0, 1, false};
    return false;
  }
  const std::chrono::duration<double> waited = now - loop_.since;
  worker_.say_waiting(waited.count());
  if (waited.count() < g.options.patience_seconds) return false;
  const std::uint64_t state = state_of(*tls.current, registers);
  if (state == loop_.state) {
    set_loop_repeats(true);
  } else if (std::has_single_bit(loop_.asked)) {  // a longer and longer time to come back in
    loop_.state = state;
    set_loop_repeats(false);
  }
  if (!loop_.repeats) return false;
  const std::scoped_lock lock(g.mutex);
  return g.agreement.looping == g.agreement.workers;
}

/// Whether it has written a new value.
void livelock_detector::compare_last_store() {
  if (last_store_.address == 0) return;
  const void* const at = std::bit_cast<const void*>(last_store_.address);
  changed_ |= std::memcmp(at, last_store_.before.data(), last_store_.bytes) != 0;
  last_store_.address = 0;
}

void livelock_detector::access(std::uintptr_t address, access_kind kind, space, unsigned size_log2,
                               std::uintptr_t) {
  compare_last_store();
  if (kind == access_kind::load) return;
  last_store_.address = address;
  last_store_.bytes = std::size_t{1} << size_log2;
  std::memcpy(last_store_.before.data(), std::bit_cast<const void*>(address), last_store_.bytes);
}

void livelock_detector::bulk_load(const void*, const void*, std::size_t, std::uintptr_t) {
  changed_ = true;
}
void livelock_detector::bulk_store(const void*, const void*, std::size_t, std::uintptr_t) {
  changed_ = true;
}

}  // namespace simt::detail
