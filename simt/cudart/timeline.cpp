#include "simt/cudart/timeline.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace simt {

namespace detail {

namespace {
thread_local timeline_state* current = nullptr;

constexpr double per_gb(double bytes, double gbs) { return bytes / (gbs * 1000); }

const char* name_of(const operation& what) {
  switch (what.where) {
    case engine::copy_in: return "copy in";
    case engine::copy_out: return "copy out";
    case engine::callback: return "host function";
    default: return "kernel";
  }
}

double rate_of(const operation& what, const engine_speeds& s) {
  if (what.staged) return s.pageable_gbs;
  if (what.where == engine::copy_in) return s.copy_in_gbs;
  return what.where == engine::copy_out ? s.copy_out_gbs : s.kernel_gbs;
}
}  // namespace

std::uint64_t timeline_state::made = 0;

timeline_state* current_timeline() { return current; }

unsigned timeline_state::number_of(void* stream) {
  if (is_legacy(stream)) return 0;
  return numbers.try_emplace(stream, static_cast<unsigned>(numbers.size()) + 1).first->second;
}

tail timeline_state::before(void* stream) {
  if (is_legacy(stream)) {
    tail all = legacy_;
    all.insert(all.end(), orphans_.begin(), orphans_.end());
    for (const auto& [other, last] : tails_) {
      if (waits_for_legacy(other)) all.insert(all.end(), last.begin(), last.end());
    }
    return all;
  }
  tail all = tails_[stream];
  if (waits_for_legacy(stream)) all.insert(all.end(), legacy_.begin(), legacy_.end());
  return all;
}

void timeline_state::follow(void* stream, tail last) {
  if (is_legacy(stream)) {
    legacy_ = std::move(last);
    orphans_.clear();
  } else {
    tails_[stream] = std::move(last);
  }
}

void timeline_state::forget(void* stream) {
  const auto found = tails_.find(stream);
  if (found == tails_.end()) return;
  if (waits_for_legacy(stream)) {
    orphans_.insert(orphans_.end(), found->second.begin(), found->second.end());
  }
  tails_.erase(found);
}

std::size_t timeline_state::put(tail after, const operation& what, double latency, unsigned stream,
                                int named) {
  const auto bytes = static_cast<double>(what.bytes);
  const std::size_t id = device.add({.where = what.where,
                                     .issued = now,
                                     .us = latency + per_gb(bytes, rate_of(what, speeds)),
                                     .after = std::move(after)});
  notes.push_back({id, stream, named, name_of(what)});
  return id;
}

std::size_t timeline_state::put(void* stream, const operation& what) {
  call();
  if (what.staged) return put_staged(stream, what);
  const std::size_t id = put(before(stream), what, speeds.latency_us, number_of(stream), label);
  follow(stream, {id});
  return id;
}

std::size_t timeline_state::put_staged(void* stream, const operation& what) {
  constexpr std::size_t small = std::size_t{64} << 10;  // the call returns once this is staged
  if (what.where == engine::copy_in && what.bytes <= small) {
    works(per_gb(static_cast<double>(what.bytes), speeds.pageable_gbs), "stages",
          number_of(stream));
    const std::size_t id = put(before(stream), {.where = what.where, .bytes = what.bytes},
                               speeds.latency_us, number_of(stream), label);
    follow(stream, {id});
    return id;
  }
  const std::size_t id = put(before(stream), what, speeds.latency_us, number_of(stream), label);
  follow(stream, {id});
  const double end = device.run_until_end(id);
  of_host.push_back({engine::host, number_of(stream), label, "stages", device[id].begin, end});
  now = std::max(now, end);
  return id;
}

std::size_t timeline_state::mark(tail after) {
  return device.add({.mark = true, .issued = now, .after = std::move(after)});
}

std::size_t timeline_state::mark(void* stream) {
  const std::size_t id = mark(before(stream));
  follow(stream, {id});
  return id;
}

void timeline_state::sleep_until(double end) {
  if (end <= now) return;
  of_host.push_back({engine::host, 0, label, "waits", now, end});
  now = end;
}

void timeline_state::wait(const tail& ids) {
  double end = now;
  for (const std::size_t id : ids) end = std::max(end, device.run_until_end(id));
  sleep_until(end);
}

void timeline_state::wait_for_all() {
  device.run_all();
  double end = now;
  for (std::size_t id = 0; id < device.count(); ++id) end = std::max(end, device[id].end);
  sleep_until(end);
}

bool timeline_state::has_ended(const tail& ids) {
  device.run_until(now);
  return std::all_of(ids.begin(), ids.end(),
                     [&](std::size_t id) { return device[id].end >= 0 && device[id].end <= now; });
}

void timeline_state::works(double us, const char* what, unsigned stream) {
  of_host.push_back({engine::host, stream, label, what, now, now + us});
  now += us;
}

}  // namespace detail

timeline::timeline(const engine_speeds& speeds)
    : state_(std::make_unique<detail::timeline_state>(speeds)) {
  if (detail::current != nullptr) {
    throw std::logic_error("simt::timeline: this thread has one already");
  }
  detail::current = state_.get();
}
timeline::~timeline() { detail::current = nullptr; }

double timeline::now_us() const { return state_->now; }

void timeline::host_works(std::size_t bytes) {
  const double us = detail::per_gb(static_cast<double>(bytes), state_->speeds.host_gbs);
  state_->of_host.push_back({engine::host, 0, -1, "works", state_->now, state_->now + us});
  state_->now += us;
}

void timeline::label(int label, std::size_t kernel_bytes) {
  state_->label = label;
  state_->kernel_bytes = kernel_bytes;
}

std::vector<timeline_span> timeline::spans() const {
  state_->device.run_all();
  std::vector<timeline_span> all = state_->of_host;
  for (const auto& n : state_->notes) {
    const detail::task& t = state_->device[n.id];
    all.push_back({t.where, n.stream, n.label, n.what, t.begin, t.end});
  }
  for (auto& s : all) {
    s.begin_us -= state_->origin;
    s.end_us -= state_->origin;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.begin_us < b.begin_us; });
  return all;
}

void timeline::forget_spans() {
  state_->notes.clear();
  state_->of_host.clear();
  state_->numbers.clear();
  state_->origin = state_->now;
}

}  // namespace simt
