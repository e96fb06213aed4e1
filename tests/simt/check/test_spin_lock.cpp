#include <atomic>
#include <ctime>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

#include "simt/src/check/spin_lock.hpp"

namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Lets threads that start from now on share one core.
class one_core {
 public:
  one_core() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (!CPU_ISSET(core, &before_)) continue;
      CPU_SET(core, &one);
      break;
    }
    sched_setaffinity(0, sizeof one, &one);
  }
  ~one_core() { sched_setaffinity(0, sizeof before_, &before_); }
  one_core(const one_core&) = delete;
  one_core& operator=(const one_core&) = delete;

 private:
  cpu_set_t before_;
};

TEST(spin_lock, keeps_others_out) {
  simt::detail::spin_lock lock;
  int sum = 0;
  const auto add = [&] {
    for (int i = 0; i < 100'000; ++i) {
      const std::scoped_lock held(lock);
      ++sum;
    }
  };
  { const std::jthread a(add), b(add), c(add); }
  EXPECT_EQ(sum, 300'000);
}

TEST(spin_lock, gives_its_core_to_a_holder_that_has_none) {
  const one_core scope;
  simt::detail::spin_lock lock;
  constexpr int rounds = 100;
  std::atomic<int> step{0};
  const auto until = [&](int wanted) {
    while (step != wanted) std::this_thread::yield();
  };
  const double before = cpu_seconds();
  {
    const std::jthread holder([&] {
      for (int i = 0; i < 3 * rounds; i += 3) {
        lock.lock();
        step = i + 1;
        until(i + 2);  // now the other thread spins, for its whole time slice if it knows no better
        lock.unlock();
        until(i + 3);
      }
    });
    const std::jthread other([&] {
      for (int i = 0; i < 3 * rounds; i += 3) {
        until(i + 1);
        step = i + 2;
        lock.lock();
        lock.unlock();
        step = i + 3;
      }
    });
  }
  EXPECT_LT(cpu_seconds() - before, 0.001 * rounds);  // a time slice is three or more
}

}  // namespace
