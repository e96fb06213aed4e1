#include "simt/src/run/vigil.hpp"

#include <algorithm>
#include <bit>
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

template <class F>
void for_each_warp(const worker& w, F f) {
  for (const auto& c : w.resident) {
    for (block& b : c->blocks) {
      for (warp& each : b.warps) f(each);
    }
  }
}

}  // namespace

void vigil::rest() {
  stop();
  withdraw();
  rounds_ = 0;
  from_ = 2;
  to_ = 10;
}

void vigil::withdraw() {
  if (!agreed_) return;
  agreed_ = false;
  const std::scoped_lock lock(worker_.launched->mutex);
  worker_.launched->agreement.withdraw();
}

void vigil::leave() {
  rest();
  const std::scoped_lock lock(worker_.launched->mutex);
  worker_.launched->agreement.leave();
}

void vigil::start() {
  if (keeps_) return;
  keeps_ = true;
  watched_ = worker_.observer;
  if (watched_ != nullptr)
    both_ = std::make_unique<observer_list>(std::vector{watched_, static_cast<observer*>(this)});
  worker_.observer = watched_ != nullptr ? both_.get() : this;
  begin_anew();
}

void vigil::stop() {
  if (!keeps_) return;
  keeps_ = false;
  worker_.observer = watched_;
}

void vigil::begin_anew() {
  changed_ = false;
  renews_ = true;
  kept_for_ = 0;
  stored_at_ = 0;
  for_each_warp(worker_, [](warp& w) { w.states.reset(); });
}

bool vigil::is_in_vain() {
  ++rounds_;
  if (!keeps_) {
    if (rounds_ >= from_) start();
    return false;
  }
  settle();
  ++kept_for_;
  renews_ = std::has_single_bit(kept_for_);  // a longer and longer time to come back in
  if (changed_) {
    begin_anew();
    withdraw();
  }
  if (!all_repeat()) {
    if (rounds_ < to_) return false;
    stop();
    withdraw();
    from_ = 4 * to_;
    to_ = from_ + from_ / 2;
    return false;
  }
  // What others write meanwhile counts: all must find so after the last one has.
  const std::scoped_lock lock(worker_.launched->mutex);
  in_vain_agreement& all = worker_.launched->agreement;
  if (!agreed_ || epoch_ != all.epoch) {
    if (!agreed_) all.join();
    agreed_ = true;
    epoch_ = all.epoch;
    confirmed_ = false;
    to_ = std::max(to_, rounds_ + 8);
    begin_anew();
    return false;
  }
  if (!confirmed_) ++all.confirmed;
  confirmed_ = true;
  return all.confirmed == all.workers;
}

bool vigil::all_repeat() const {
  bool all = true;
  for_each_warp(worker_, [&](const warp& w) {
    const std::uint32_t repeats = w.states != nullptr ? w.states->repeats : 0;
    all &= (w.spinning & w.live & ~repeats) == 0;
  });
  return all;
}

std::uint64_t state_of(const lane& self, const void* frame) {
  const std::byte* const top = self.warp->stacks + (self.index + std::size_t{1}) * stack_bytes;
  return hash_of(static_cast<const std::uint64_t*>(frame),
                 reinterpret_cast<const std::uint64_t*>(top));
}

void vigil::note(const void* frame) {
  lane& self = *tls.current;
  warp& w = *self.warp;
  const hooks_disabled quiet;
  settle();
  const std::uint64_t now = state_of(self, frame);
  if (w.states == nullptr) w.states = std::make_unique<lane_states>();
  std::uint64_t& kept = w.states->kept[self.index];
  if (kept == now) w.states->repeats |= 1U << self.index;
  if (kept == 0 || renews_) kept = now;
}

/// Whether the last store has changed anything.
void vigil::settle() {
  if (stored_at_ == 0) return;
  const void* const at = std::bit_cast<const void*>(stored_at_);
  changed_ |= std::memcmp(at, before_.data(), stored_bytes_) != 0;
  stored_at_ = 0;
}

void vigil::access(std::uintptr_t address, access_kind kind, space, unsigned size_log2,
                   std::uintptr_t) {
  settle();
  if (kind == access_kind::load) return;
  stored_at_ = address;
  stored_bytes_ = std::size_t{1} << size_log2;
  std::memcpy(before_.data(), std::bit_cast<const void*>(address), stored_bytes_);
}

void vigil::bulk_load(const void*, const void*, std::size_t, std::uintptr_t) { changed_ = true; }
void vigil::bulk_store(const void*, const void*, std::size_t, std::uintptr_t) { changed_ = true; }

}  // namespace simt::detail
