// memcpy_async and cuda::pipeline. The copies are made at once, by the threads that ask for them,
// as accesses of theirs: what is early to read is found for the other threads of the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simt/barriers.hpp"
#include "simt/groups.hpp"

extern "C" void simt_copy(void* to, const void* from, std::size_t bytes, unsigned width);

namespace simt::detail {

/// The widest access, up to 16 bytes, that divides all of these.
inline unsigned widest_part(const void* to, const void* from, std::size_t bytes) {
  const auto all = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) |
                   bytes | std::uintptr_t{16};
  return 1U << __builtin_ctzll(all);
}

/// One thread's share of a copy.
[[gnu::always_inline]] inline void copy_share(void* to, const void* from, std::size_t bytes,
                                              std::size_t rank = 0, std::size_t threads = 1) {
  const unsigned width = widest_part(to, from, bytes);
  for (std::size_t at = rank * width; at < bytes; at += threads * width) {
    simt_copy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, width, width);
  }
}

}  // namespace simt::detail

namespace cuda {

/// A number of bytes that is a multiple of its alignment.
template <std::size_t Alignment>
struct aligned_size_t {
  static constexpr std::size_t align = Alignment;
  std::size_t value;
  // NOLINTNEXTLINE(google-explicit-constructor): as in CUDA
  constexpr aligned_size_t(std::size_t bytes) : value(bytes) {}
  constexpr operator std::size_t() const { return value; }  // NOLINT(google-explicit-constructor)
};

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, std::uint8_t Stages>
class pipeline_shared_state {
 public:
  pipeline_shared_state() = default;

 private:
  template <thread_scope>
  friend class pipeline;
  detail::phases full_[Stages], empty_[Stages];
};

template <thread_scope Scope>
class pipeline {
 public:
  pipeline() = default;
  template <std::uint8_t Stages, class Group>
  pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state, std::size_t producers,
           bool produces, bool consumes, std::size_t consumers)
      : full_(state->full_),
        empty_(state->empty_),
        stages_(Stages),
        produces_(produces),
        consumes_(consumes) {
    if (g.thread_rank() == 0) {
      for (unsigned i = 0; i < Stages; ++i) {
        full_[i].begin(static_cast<std::ptrdiff_t>(producers), __builtin_FILE(), __builtin_LINE());
        empty_[i].begin(static_cast<std::ptrdiff_t>(consumers), __builtin_FILE(), __builtin_LINE());
      }
    }
    g.sync();
  }

  void producer_acquire() {
    if (full_ == nullptr || !produces_ || head_ < stages_) return;
    empty_[head_ % stages_].wait(head_ / stages_ - 1);
  }
  void producer_commit() {
    if (full_ != nullptr && produces_) full_[head_ % stages_].arrive(1, 0, detail::nothing());
    ++head_;
  }
  void consumer_wait() {
    if (full_ != nullptr && consumes_) full_[tail_ % stages_].wait(tail_ / stages_);
  }
  void consumer_release() {
    if (full_ != nullptr && consumes_) empty_[tail_ % stages_].arrive(1, 0, detail::nothing());
    ++tail_;
  }
  /// Leaves the other threads to go on.
  bool quit() {
    if (full_ == nullptr) return true;
    for (unsigned i = 0; i < stages_; ++i) {
      if (produces_) full_[i].arrive(1, 1, detail::nothing());
      if (consumes_) empty_[i].arrive(1, 1, detail::nothing());
    }
    return true;
  }

 private:
  detail::phases *full_ = nullptr, *empty_ = nullptr;
  unsigned stages_ = 1;
  bool produces_ = true, consumes_ = true;
  std::uint64_t head_ = 0, tail_ = 0;
};

inline pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class Group, thread_scope Scope, std::uint8_t Stages>
pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state) {
  return {g, state, g.size(), true, true, g.size()};
}
/// The first so many threads of the group produce.
template <class Group, thread_scope Scope, std::uint8_t Stages>
pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state,
                              std::size_t producers) {
  const bool produces = g.thread_rank() < producers;
  return {g, state, producers, produces, !produces, g.size() - producers};
}
template <class Group, thread_scope Scope, std::uint8_t Stages>
pipeline<Scope> make_pipeline(const Group& g, pipeline_shared_state<Scope, Stages>* state,
                              pipeline_role role) {
  const bool produces = role == pipeline_role::producer;
  const auto producers = static_cast<std::size_t>(__syncthreads_count(produces ? 1 : 0));
  return {g, state, producers, produces, !produces, g.size() - producers};
}
template <std::uint8_t Prior, thread_scope Scope>
void pipeline_consumer_wait_prior(pipeline<Scope>&) {}

template <class Group, class To, class From, class Size, class Sync>
[[gnu::always_inline]] inline void memcpy_async(const Group& g, To* to, const From* from,
                                                Size bytes, Sync&) {
  simt::detail::copy_share(to, from, bytes, g.thread_rank(), g.size());
}
template <class To, class From, class Size, class Sync>
[[gnu::always_inline]] inline void memcpy_async(To* to, const From* from, Size bytes, Sync&) {
  simt::detail::copy_share(to, from, bytes);
}

}  // namespace cuda

namespace cooperative_groups {

/// The threads of the group have all to `wait` before they read it.
template <class Group, class To, class From, class Size,
          class = std::enable_if_t<std::is_convertible_v<Size, std::size_t>>>
[[gnu::always_inline]] inline void memcpy_async(const Group& g, To* to, const From* from,
                                                Size bytes) {
  simt::detail::copy_share(to, from, bytes, g.thread_rank(), g.size());
}
/// In elements: as many as both have.
template <class Group, class T>
[[gnu::always_inline]] inline void memcpy_async(const Group& g, T* to, std::size_t room,
                                                const T* from, std::size_t count) {
  const std::size_t bytes = (room < count ? room : count) * sizeof(T);
  simt::detail::copy_share(to, from, bytes, g.thread_rank(), g.size());
}
template <class Group>
[[gnu::always_inline]] inline void wait(const Group& g, const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
  g.sync(file, line);
}
template <unsigned Stages, class Group>
[[gnu::always_inline]] inline void wait_prior(const Group& g, const char* file = __builtin_FILE(),
                                              int line = __builtin_LINE()) {
  g.sync(file, line);
}

}  // namespace cooperative_groups
