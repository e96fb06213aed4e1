// The prefix that chunks of neighbouring values pass from one to the next.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "warpfold/host/detail/threads.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Passes the prefix from chunk to chunk, in order.
template <class Acc>
class prefix_chain {
 public:
  explicit prefix_chain(std::optional<Acc> init) : prefix_(std::move(init)) {}

  /// Waits for the prefix of `chunk` and publishes that of the next one, after(before).
  /// False when another chunk has failed.
  template <class F>
  bool pass(std::size_t chunk, std::optional<Acc>& before, const F& after) {
    std::size_t now = turn_;
    for (; now != chunk; now = turn_) {
      if (now == failed) return false;
      turn_.wait(now);
    }
    before = prefix_;
    prefix_.emplace(after(before));
    turn_.compare_exchange_strong(now, chunk + 1);  // unless another has failed meanwhile
    turn_.notify_all();
    return true;
  }
  void fail() {
    turn_ = failed;
    turn_.notify_all();
  }
  /// Once all chunks have passed.
  std::optional<Acc> last() && { return std::move(prefix_); }

 private:
  static constexpr std::size_t failed = std::numeric_limits<std::size_t>::max();

  std::atomic<std::size_t> turn_ = 0;
  std::optional<Acc> prefix_;
};

/// work(begin, end, pass) for each chunk of n values, where pass(before, after) is that of the
/// chain; it returns false where pass did. make_work() makes a thread's own. Returns the prefix
/// behind the last chunk. Each thread takes chunk after chunk, so those before a chunk are done or
/// being worked on.
template <class Acc, class MakeWork>
std::optional<Acc> chain_chunks(const host_execution& where, std::size_t n, std::size_t chunk,
                                std::optional<Acc> init, const MakeWork& make_work) {
  const std::size_t count = n == 0 ? 0 : (n - 1) / chunk + 1;
  prefix_chain<Acc> prefixes(std::move(init));
  std::atomic<std::size_t> next = 0;
  const auto take_chunks = [&] {
    auto work = make_work();
    for (std::size_t c = next++; c < count; c = next++) {
      const std::size_t begin = c * chunk;
      const auto pass = [&](std::optional<Acc>& before, const auto& after) {
        return prefixes.pass(c, before, after);
      };
      if (!work(begin, begin + std::min(chunk, n - begin), pass)) return;
    }
  };
  if (count == 1) {
    take_chunks();
  } else if (count > 1) {
    run_on(where, [&] {
      for_each_index(std::min(thread_count(), count), [&](std::size_t) {
        try {
          // An operator that has threads of its own must not take up another share of this work
          // while the others wait for the chunk that it is called for.
          run_isolated(take_chunks);
        } catch (...) {
          next = count;
          prefixes.fail();
          throw;
        }
      });
    });
  }
  return std::move(prefixes).last();
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
