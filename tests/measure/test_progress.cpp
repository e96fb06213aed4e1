#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "measure/progress.hpp"

namespace warpfold::measure {
namespace {

/// What has been written to `descriptor`'s other end so far.
std::string pending(int descriptor) {
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

class terminal : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TERM", "xterm", 1);
    near_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (near_ < 0 || ::grantpt(near_) != 0 || ::unlockpt(near_) != 0) {
      GTEST_SKIP() << "no pseudo-terminals here";
    }
    far_ = ::open(::ptsname(near_), O_RDWR | O_NOCTTY);
    ASSERT_GE(far_, 0);
  }
  void TearDown() override {
    ::close(far_);
    ::close(near_);
  }
  int near_ = -1, far_ = -1;
};

TEST_F(terminal, shows_one_line_and_erases_it) {
  {
    progress p(true, far_);
    p.update("12 sequential", 3, 14);
    EXPECT_EQ(pending(near_), "\r\x1b[K[ 3/14] 12 sequential");
    p.update("13 first_add", 4, 14);
    EXPECT_EQ(pending(near_), "") << "at most ten a second";
  }
  EXPECT_EQ(pending(near_), "\r\x1b[K");
}

TEST_F(terminal, never_wraps) {
  progress p(true, far_);
  p.update(std::string(500, 'x'), 1, 1);
  const std::string text = pending(near_);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 80 - 1 - 6 - 1);
}

TEST_F(terminal, stays_clean_unless_asked) {
  {
    progress p(false, far_);
    p.update("12 sequential", 1, 2);
  }
  ::setenv("TERM", "dumb", 1);
  {
    progress p(true, far_);
    p.update("12 sequential", 1, 2);
  }
  EXPECT_EQ(pending(near_), "");
}

TEST_F(terminal, has_colors_unless_it_is_dumb_or_the_user_wants_none) {
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(is_able_terminal(far_) && shows_color(far_));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(shows_color(far_)) << "an empty value counts as none";
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(is_able_terminal(far_));
  EXPECT_FALSE(shows_color(far_));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(is_able_terminal(far_) || shows_color(far_));
  ::unsetenv("TERM");
  EXPECT_FALSE(is_able_terminal(far_) || shows_color(far_));
}

TEST(progress, writes_nothing_into_a_pipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  {
    progress p(true, ends[1]);
    p.update("12 sequential", 1, 2);
  }
  EXPECT_EQ(pending(ends[0]), "");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace warpfold::measure
