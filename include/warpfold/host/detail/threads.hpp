// The host's threads, which are oneTBB's. All that is instantiated of oneTBB is here, once for a
// source file, since it takes a compiler long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#if !__has_include(<tbb/parallel_for.h>)
#error "warpfold on the host needs oneTBB: install it (Debian: libtbb-dev), link warpfold::host"
#endif
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "warpfold/environment.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// A call of f(i) that outlives neither f nor the caller's statement.
class index_call {
 public:
  template <class F>
    requires std::is_invocable_v<const F&, std::size_t>
  explicit index_call(const F& f)
      : object_(&f),
        call_([](const void* object, std::size_t i) { (*static_cast<const F*>(object))(i); }) {}

  void operator()(std::size_t i) const { call_(object_, i); }

 private:
  const void* object_;
  void (*call_)(const void*, std::size_t);
};

inline void for_each_index_call(std::size_t count, const index_call& call) {
  using indices = tbb::blocked_range<std::size_t>;
  tbb::parallel_for(indices(0, count), [&call](const indices& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) call(i);
  });
}

/// For as long as it lives, parallel loops that this thread begins, and those within them, call
/// `check` before each index, and end with what it throws. No loops without a scope may run at the
/// same time: a thread that waits for its own takes up theirs.
class check_scope {
 public:
  explicit check_scope(const index_call& check) : outer_(std::exchange(current(), &check)) {}
  ~check_scope() { current() = outer_; }
  check_scope(const check_scope&) = delete;
  check_scope& operator=(const check_scope&) = delete;

  /// The check of this thread's scope; null where there is none.
  static const index_call*& current() {
    thread_local const index_call* check = nullptr;
    return check;
  }

 private:
  const index_call* outer_;
};

/// f(i) for each i below count, in any order and at the same time. What f throws is thrown here.
template <class F>
void for_each_index(std::size_t count, const F& f) {
  const index_call call(f);
  const index_call* const check = check_scope::current();
  if (check == nullptr) return for_each_index_call(count, call);
  const auto checked = [&](std::size_t i) {
    (*check)(i);
    const check_scope same(*check);
    call(i);
  };
  for_each_index_call(count, index_call(checked));
}

inline void run_call_on(unsigned limit, const index_call& call) {
  using tbb::global_control;
  const auto most = global_control::active_value(global_control::max_allowed_parallelism);
  tbb::task_arena arena(static_cast<int>(std::min<std::size_t>(limit, most)));
  arena.execute([&call] { call(0); });
}
/// Runs f and all parallel loops in it on no more threads than the caller allows.
template <class F>
void run_on(const host_execution& where, const F& f) {
  if (where.thread_limit == 0) return f();
  run_call_on(where.thread_limit, index_call([&f](std::size_t) { f(); }));
}

inline void run_call_isolated(const index_call& call) {
  tbb::this_task_arena::isolate([&call] { call(0); });
}
/// Runs f; a parallel loop in it does not take up work from outside while it waits for its own.
template <class F>
void run_isolated(const F& f) {
  run_call_isolated(index_call([&f](std::size_t) { f(); }));
}

/// Threads that a parallel loop here can use.
inline std::size_t thread_count() {
  return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
