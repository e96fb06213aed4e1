#include "engines.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace simt::detail {

namespace {
constexpr double never = std::numeric_limits<double>::infinity();
}

std::size_t engines::add(task t) {
  tasks_.push_back(std::move(t));
  waiting_.push_back(tasks_.size() - 1);
  return tasks_.size() - 1;
}

std::size_t engines::lane_of(engine e) const {
  return static_cast<std::size_t>(copy_engines_ == 1 && e == engine::copy_out ? engine::copy_in
                                                                              : e);
}

double engines::ready(const task& t) const {
  double at = t.issued;
  for (const std::size_t id : t.after) {
    if (tasks_[id].end < 0) return never;
    at = std::max(at, tasks_[id].end);
  }
  return at;
}

bool engines::step(double limit) {
  std::size_t best = none;
  double best_begin = never, best_ready = never;
  std::array<bool, 5> blocked{};  // by a task that came before and can't begin yet
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const task& t = tasks_[waiting_[i]];
    const std::size_t lane = lane_of(t.where);
    if (!t.mark && blocked[lane]) continue;
    if (!t.mark && one_queue_) blocked[lane] = true;
    const double at = ready(t);
    const double begin = t.mark ? at : std::max(at, free_[lane]);
    if (begin < best_begin || (begin == best_begin && at < best_ready)) {
      best = i;
      best_begin = begin;
      best_ready = at;
    }
  }
  if (best == none || best_begin > limit) return false;
  task& t = tasks_[waiting_[best]];
  t.begin = best_begin;
  t.end = t.begin + (t.mark ? 0 : t.us);
  if (!t.mark) free_[lane_of(t.where)] = t.end;
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(best));
  return true;
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
