#include "simt/cudart/engines.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace simt::detail {

namespace {
constexpr double never = std::numeric_limits<double>::infinity();
}

std::size_t engines::add(task t) {
  const std::size_t id = tasks_.size();
  links l{.ready = t.issued};
  for (const std::size_t other : t.after) {
    if (tasks_[other].end < 0) {
      ++l.missing;
      links_[other].followers.push_back(id);
    } else {
      l.ready = std::max(l.ready, tasks_[other].end);
    }
  }
  if (l.missing == 0) ready_.push_back(id);
  if (!t.mark && one_queue_) in_order_[lane_of(t.where)].push_back(id);
  tasks_.push_back(std::move(t));
  links_.push_back(std::move(l));
  return id;
}

std::size_t engines::lane_of(engine e) const {
  const bool shared = copy_engines_ == 1 && e == engine::copy_out;
  return static_cast<std::size_t>(shared ? engine::copy_in : e);
}

bool engines::step(double limit) {
  using order = std::tuple<double, double, std::size_t>;  // begins, has been ready, was called
  order best{never, never, 0};
  for (const std::size_t id : ready_) {
    const task& t = tasks_[id];
    const std::size_t lane = lane_of(t.where);
    if (!t.mark && one_queue_ && in_order_[lane].front() != id) continue;
    const double at = links_[id].ready;
    best = std::min(best, order{t.mark ? at : std::max(at, free_[lane]), at, id});
  }
  const auto& [at, since, id] = best;
  if (at == never || at > limit) return false;
  begin(id, at);
  return true;
}

void engines::begin(std::size_t id, double at) {
  task& t = tasks_[id];
  t.begin = at;
  t.end = at + (t.mark ? 0 : t.us);
  std::erase(ready_, id);
  if (!t.mark) {
    free_[lane_of(t.where)] = t.end;
    if (one_queue_) in_order_[lane_of(t.where)].pop_front();
  }
  for (const std::size_t follower : std::exchange(links_[id].followers, {})) {
    links& l = links_[follower];
    l.ready = std::max(l.ready, t.end);
    if (--l.missing == 0) ready_.push_back(follower);
  }
}

void engines::run_until(double time) {
  while (step(time)) {
  }
}

double engines::run_until_end(std::size_t id) {
  while (tasks_[id].end < 0 && step(never)) {
  }
  return tasks_[id].end;
}

void engines::run_all() {
  while (step(never)) {
  }
}

}  // namespace simt::detail
