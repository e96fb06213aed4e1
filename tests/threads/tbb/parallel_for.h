// The part of oneTBB that the library calls, on std::thread. The packaged oneTBB is not built for
// ThreadSanitizer, which then reports every parallel loop; here it sees how threads begin and end.
// No synchronisation but that is added, so that what the library itself forgot is found.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tbb {

namespace detail {
/// More than the test's machine may have: who takes turns with whom is for the system to say.
inline constexpr int cores = 4;
/// How many threads a loop of this thread may have, itself included.
inline thread_local int allowed = cores;
/// Threads that loops may still start, in all.
inline std::atomic<int> idle = cores - 1;

/// One of the idle cores, while it lives.
class claim {
 public:
  claim() : mine_(idle.fetch_sub(1, std::memory_order_relaxed) > 0) {
    if (!mine_) idle.fetch_add(1, std::memory_order_relaxed);
  }
  ~claim() {
    if (mine_) idle.fetch_add(1, std::memory_order_relaxed);
  }
  claim(const claim&) = delete;
  claim& operator=(const claim&) = delete;

  [[nodiscard]] bool mine() const { return mine_; }

 private:
  bool mine_;
};

template <class Call>
void for_each_below(std::size_t count, const Call& call) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr thrown;
  std::mutex throwing;
  const int limit = allowed;
  const auto work = [&] {
    allowed = limit;
    try {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) call(i);
    } catch (...) {
      const std::scoped_lock lock(throwing);
      if (!thrown) thrown = std::current_exception();
      next.store(count, std::memory_order_relaxed);
    }
  };
  {
    std::vector<std::unique_ptr<claim>> claims;
    std::vector<std::jthread> others;  // they end before others may take their place
    for (std::size_t i = 1; i < std::min(count, static_cast<std::size_t>(limit)); ++i) {
      claims.push_back(std::make_unique<claim>());
      if (claims.back()->mine()) others.emplace_back(work);
    }
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}
}  // namespace detail

template <class Index>
class blocked_range {
 public:
  blocked_range(Index begin, Index end) : begin_(begin), end_(end) {}
  [[nodiscard]] Index begin() const { return begin_; }
  [[nodiscard]] Index end() const { return end_; }

 private:
  Index begin_, end_;
};

template <class Index, class Body>
void parallel_for(const blocked_range<Index>& all, const Body& body) {
  detail::for_each_below(all.end() - all.begin(), [&](std::size_t i) {
    const Index at = all.begin() + static_cast<Index>(i);
    body(blocked_range<Index>(at, at + 1));
  });
}
template <class Index, class Body>
void parallel_for(Index begin, Index end, const Body& body) {
  detail::for_each_below(static_cast<std::size_t>(end - begin),
                         [&](std::size_t i) { body(begin + static_cast<Index>(i)); });
}

}  // namespace tbb
