// Limits on the number of threads: see parallel_for.h.
#pragma once

#include <algorithm>

#include <tbb/parallel_for.h>

namespace tbb {

class task_arena {
 public:
  explicit task_arena(int limit) : limit_(limit) {}
  template <class F>
  void execute(const F& f) {
    struct limited {
      int outer = detail::allowed;
      ~limited() { detail::allowed = outer; }
    } const until_done;
    detail::allowed = std::clamp(limit_, 1, detail::cores);
    f();
  }

 private:
  int limit_;
};

namespace this_task_arena {
/// No thread here takes up work from outside while it waits.
template <class F>
void isolate(const F& f) {
  f();
}
inline int max_concurrency() { return detail::allowed; }
}  // namespace this_task_arena

}  // namespace tbb
