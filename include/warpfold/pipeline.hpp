// A pipeline: data that need not fit in memory, taken through it chunk by chunk.
//
//   warpfold::pipeline line({.chunk_bytes = 1 << 20, .slots = 4});
//   line.run({.read = …, .work = …, .in_order = …, .finish = …, .write = …});
//
// A worker is a thread with a slot, the memory of one chunk. It takes the next chunk, reads it,
// works on it, waits for the chunks before if there is a stage in order, and so on. The stages of
// different chunks overlap, and no more than `slots` chunks are in memory. Only `in_order` runs for
// one chunk at a time, in the order of the chunks: a running total, a carry, the order of copies in
// a stream pass from one chunk to the next there. What a chunk holds depends on chunk_bytes alone,
// not on the number of slots or the workers' speed.
//
//   worker 0 | read 0 | work 0 | in_order 0 | finish 0 | write 0 | read 2 | …
//   worker 1 | read 1 | work 1 |  (waits)   | in_order 1 | finish 1 | write 1 | …
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "warpfold/error.hpp"

namespace warpfold {

/// A run that was asked to stop before its end.
class interrupted : public error {
 public:
  using error::error;
};

/// Takes data through stages, chunk by chunk, on threads of its own. Host code alone: what runs on
/// a device is put into streams by the stages (device_stage does that).
class pipeline {
 public:
  /// What a pipeline is made with.
  struct options {
    /// Bytes in a chunk; the last one may have fewer.
    std::size_t chunk_bytes = std::size_t{1} << 20;
    /// Chunks on their way at once, each with a worker; 0: one for each processor.
    unsigned slots = 0;
    /// Where the slots' memory comes from; null: the default one.
    std::pmr::memory_resource* memory = nullptr;
    /// Ends a run, which then throws `interrupted`.
    std::stop_token stop{};
  };

  /// Bytes [offset, offset + bytes.size()) of the data, in slot `slot`.
  struct chunk {
    std::uint64_t index;         ///< counted from 0
    std::uint64_t offset;        ///< index * chunk_bytes
    std::span<std::byte> bytes;  ///< valid until its last stage has returned
    unsigned slot;               ///< less than slots(); one chunk at a time is in it
  };

  /// The stages of a chunk, in this order. Only `read` or `borrow` is required. Different threads
  /// run stages of different chunks at the same time, except `in_order` and stages that are
  /// declared in order. An exception of a stage ends the run, which throws the first such exception
  /// after all workers have ended.
  struct stages {
    /// Fills room.bytes with the bytes from room.offset on; returns how many, fewer only at the
    /// end.
    std::function<std::size_t(const chunk& room)> read{};
    /// Instead of `read`, for data that are in memory: their bytes from `offset` on, no more than
    /// `most`, fewer only at the end. Chunks are those bytes then, and slots have no memory.
    std::function<std::span<std::byte>(std::uint64_t offset, std::size_t most)> borrow{};
    /// Whether `read` must be called for one chunk after the other, as a stream must.
    bool read_in_order = false;
    /// Work that is independent of other chunks.
    std::function<void(const chunk&)> work{};
    /// Work in the order of the chunks, one chunk at a time.
    std::function<void(const chunk&)> in_order{};
    /// Work that depends on the chunks before.
    std::function<void(const chunk&)> finish{};
    /// Output; a separate stage, so that its time is measured.
    std::function<void(const chunk&)> write{};
    /// Whether `write` must be called for one chunk after the other, as a stream must.
    bool write_in_order = false;
  };
  /// The stages that workers' time is counted for.
  enum stage : unsigned { reading, working, ordering, finishing, writing, waiting, stage_count };

  /// How far a run is. `busy` is in seconds, the sum of all workers; `waiting` is for the chunks
  /// before.
  struct progress {
    std::uint64_t bytes = 0;                 ///< that have gone through all stages
    double elapsed = 0;                      ///< seconds since the run began
    unsigned slots = 0;                      ///< how many there are
    std::array<double, stage_count> busy{};  ///< by stage
  };

  /// Throws usage_error for chunks of no bytes.
  explicit pipeline(options o) : options_(std::move(o)) {
    if (options_.chunk_bytes == 0) throw usage_error("warpfold::pipeline: chunk_bytes is 0");
    if (options_.slots == 0) options_.slots = std::max(1U, std::thread::hardware_concurrency());
    if (options_.memory == nullptr) options_.memory = std::pmr::get_default_resource();
    ordered_.waiting = std::vector<std::condition_variable>(options_.slots);
    writes_.waiting = std::vector<std::condition_variable>(options_.slots);
  }
  ~pipeline() {
    for (std::byte* room : memory_) {
      options_.memory->deallocate(room, options_.chunk_bytes, alignment);
    }
  }
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  /// How many chunks are on their way at once.
  [[nodiscard]] unsigned slots() const { return options_.slots; }
  /// Bytes in all chunks but the last.
  [[nodiscard]] std::size_t chunk_bytes() const { return options_.chunk_bytes; }

  /// Takes all data through the stages; one run at a time. Worker 0 is the caller's thread. Throws
  /// what a stage throws, `interrupted`, and what the memory throws when it has no room.
  progress run(const stages& s) {
    begin(s);
    {
      std::vector<std::jthread> others;
      const std::stop_callback stop(options_.stop, [this] {
        fail(std::make_exception_ptr(interrupted("warpfold::pipeline: asked to stop")));
      });
      try {
        for (unsigned i = 1; i < options_.slots; ++i) {
          others.emplace_back([this, &s, i] { serve(s, i); });
        }
      } catch (...) {
        fail(std::current_exception());
      }
      serve(s, 0);
    }
    if (failure_) std::rethrow_exception(failure_);
    // A stage may have seen the request, and given up, before the callback came to be called.
    if (options_.stop.stop_requested()) throw interrupted("warpfold::pipeline: asked to stop");
    return so_far();
  }

  /// Any thread may ask, during a run and after it.
  [[nodiscard]] progress so_far() const {
    progress p{.bytes = bytes_, .elapsed = 0, .slots = options_.slots, .busy = {}};
    for (unsigned i = 0; i < stage_count; ++i) p.busy[i] = static_cast<double>(busy_[i]) * 1e-9;
    p.elapsed = std::chrono::duration<double>(clock::now() - started_.load()).count();
    return p;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::size_t alignment = 4096;
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  void begin(const stages& s) {
    memory_.reserve(options_.slots);
    while (s.read && memory_.size() < options_.slots) {
      memory_.push_back(
          static_cast<std::byte*>(options_.memory->allocate(options_.chunk_bytes, alignment)));
    }
    next_ = ordered_.next = writes_.next = seen_ = 0;
    end_ = unknown;
    failure_ = nullptr;
    failed_ = false;
    bytes_ = 0;
    for (auto& b : busy_) b = 0;
    started_ = clock::now();
  }

  void fail(std::exception_ptr why) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(why);
    failed_ = true;
    for (auto& worker : ordered_.waiting) worker.notify_one();
    for (auto& worker : writes_.waiting) worker.notify_one();
  }

  template <class F>
  auto timed(stage which, const F& f) {
    struct stopwatch {
      std::atomic<std::int64_t>& total;
      clock::time_point start = clock::now();
      ~stopwatch() {
        total += std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count();
      }
    } const watch{busy_[which]};
    return f();
  }
  void pass_through(stage which, const std::function<void(const chunk&)>& f, const chunk& c) {
    if (f) timed(which, [&] { f(c); });
  }

  void serve(const stages& s, unsigned slot) {
    try {
      while (const auto c = take(s, slot)) {
        pass_through(working, s.work, *c);
        if (failed_ || !pass_in_order(ordered_, s.in_order != nullptr, ordering, s.in_order, *c)) {
          return;
        }
        pass_through(finishing, s.finish, *c);
        if (!pass_in_order(writes_, s.write_in_order, writing, s.write, *c)) return;
        bytes_ += c->bytes.size();
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  /// The next chunk, read; none at the end of the data, or of the run.
  std::optional<chunk> take(const stages& s, unsigned slot) {
    std::unique_lock in_order(reads_, std::defer_lock);
    if (s.read_in_order) in_order.lock();
    if (failed_) return std::nullopt;
    const std::uint64_t index = next_++;
    {
      const std::scoped_lock lock(mutex_);
      if (index >= end_) return std::nullopt;
    }
    chunk c{index, index * options_.chunk_bytes, {}, slot};
    std::size_t count = 0;
    timed(reading, [&] {
      if (s.borrow) {
        c.bytes = s.borrow(c.offset, options_.chunk_bytes);
        count = c.bytes.size();
      } else {
        c.bytes = {memory_[slot], options_.chunk_bytes};
        count = s.read(c);
      }
    });
    const std::scoped_lock lock(mutex_);
    if (count > 0) seen_ = std::max(seen_, index + 1);
    if (count < options_.chunk_bytes) end_ = std::min(end_, index + (count > 0 ? 1 : 0));
    if (seen_ > end_) {
      throw data_error("warpfold::pipeline: read gave bytes at ",
                       (seen_ - 1) * options_.chunk_bytes,
                       ", but fewer than it was asked for before them; do the data change?");
    }
    if (count == 0) return std::nullopt;
    c.bytes = c.bytes.first(count);
    return c;
  }

  /// What lets one chunk after the other pass. The worker with chunk i waits at i % slots, and
  /// alone: all chunks from `next` on that are on their way are in different slots.
  struct queue {
    std::vector<std::condition_variable> waiting;
    std::uint64_t next = 0;  // the chunk that may pass
  };

  /// The stage, after that of all chunks before if `ordered`; false when the run has failed
  /// meanwhile.
  bool pass_in_order(queue& q, bool ordered, stage which,
                     const std::function<void(const chunk&)>& f, const chunk& c) {
    if (ordered && !timed(waiting, [&] { return wait_for_earlier(q, c.index); })) return false;
    pass_through(which, f, c);
    if (ordered) let_next(q);
    return true;
  }
  bool wait_for_earlier(queue& q, std::uint64_t index) {
    std::unique_lock lock(mutex_);
    q.waiting[index % q.waiting.size()].wait(lock, [&] { return q.next == index || failure_; });
    return !failure_;
  }
  void let_next(queue& q) {
    std::uint64_t next = 0;
    {
      const std::scoped_lock lock(mutex_);
      next = ++q.next;
    }
    q.waiting[next % q.waiting.size()].notify_one();
  }

  options options_;
  std::vector<std::byte*> memory_;
  std::mutex reads_, mutex_;
  queue ordered_, writes_;
  std::exception_ptr failure_;
  std::uint64_t seen_ = 0;       // how many chunks there are at least
  std::uint64_t end_ = unknown;  // how many chunks there are
  std::atomic<bool> failed_ = false;
  std::atomic<std::uint64_t> next_ = 0, bytes_ = 0;
  std::array<std::atomic<std::int64_t>, stage_count> busy_{};  // nanoseconds
  std::atomic<clock::time_point> started_{clock::time_point{}};
};

}  // namespace warpfold
