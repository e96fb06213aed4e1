// A program that has used the machine ends, also where a thread of the machine finds no work just
// before the program's end and goes to sleep just after it.
#include <atomic>
#include <cstdlib>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include "simt/cuda.hpp"
#include "simt/launch.hpp"

namespace {

std::atomic<bool> slow = false;
pthread_t main_thread;

/// Holds up the machine's threads, never the one that launches.
void hold_up(unsigned milliseconds) {
  if (slow && pthread_equal(pthread_self(), main_thread) == 0) usleep(milliseconds * 1000);
}

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real =
      reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  hold_up(20);
  return real(mutex);
}

extern "C" int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static const auto real = reinterpret_cast<int (*)(pthread_cond_t*, pthread_mutex_t*)>(
      dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2"));
  hold_up(200);
  return real(condition, mutex);
}

namespace {

__global__ void nothing() {}

TEST(exit, comes_though_a_thread_is_just_going_to_sleep) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        alarm(20);
        main_thread = pthread_self();
        simt::launch({.grid = 64, .block = 32}, nothing);  // the threads are there
        slow = true;
        simt::launch({.grid = 64, .block = 32}, nothing);
        usleep(60'000);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
