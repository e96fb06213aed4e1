// What errors say, and that they can be copied and thrown like any exception.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "warpfold/status.hpp"

namespace warpfold {
namespace {

TEST(error, says_its_parts_one_after_the_other) {
  const std::string name = "in.raw";
  EXPECT_STREQ(usage_error("reduce").what(), "reduce");
  EXPECT_STREQ(usage_error(name).what(), "in.raw");
  EXPECT_STREQ(
      data_error(name, ": ", std::string_view("end of file").substr(0, 3), " at ", std::size_t{7})
          .what(),
      "in.raw: end at 7");
  EXPECT_STREQ(error("", std::string(), std::string_view()).what(), "");
}

TEST(error, says_whole_numbers_of_every_width) {
  EXPECT_STREQ(error(std::uint8_t{200}, " ", std::int8_t{-5}, " ", 0, " ", -1L).what(),
               "200 -5 0 -1");
  EXPECT_STREQ(error(std::numeric_limits<std::uint64_t>::max()).what(), "18446744073709551615");
  EXPECT_STREQ(error(std::numeric_limits<std::int64_t>::min()).what(), "-9223372036854775808");
}

TEST(error, keeps_a_long_message_whole) {
  const std::string path(5000, 'p');
  EXPECT_EQ(error(path, "!").what(), path + "!");
}

TEST(error, outlives_its_parts_and_its_copies) {
  std::string part(100, 'a');
  error first(part);
  part.assign(100, 'b');
  const error copy = first;  // NOLINT(performance-unnecessary-copy-initialization)
  first = error("other");
  EXPECT_EQ(copy.what(), std::string(100, 'a'));
  EXPECT_STREQ(first.what(), "other");
  first = copy;
  EXPECT_EQ(first.what(), std::string(100, 'a'));
  error& same = first;
  first = same;
  EXPECT_EQ(first.what(), std::string(100, 'a'));
}

TEST(error, is_caught_as_what_it_is) {
  EXPECT_THROW(throw usage_error("a"), error);
  EXPECT_THROW(throw device_error("a"), std::exception);
  try {
    try {
      throw data_error("a ", 1);
    } catch (const error&) {
      throw;
    }
  } catch (const data_error& e) {
    EXPECT_STREQ(e.what(), "a 1");
  }
}

TEST(status, says_how_many_bytes_are_needed_and_given) {
  const status refused(1, "the memory is too small", 4096, 64);
  EXPECT_EQ(refused.needed(), 4096U);
  EXPECT_EQ(refused.given(), 64U);
  try {
    refused.throw_if_failed("a sum of ", 10, " values");
    FAIL();
  } catch (const device_error& e) {
    EXPECT_STREQ(e.what(),
                 "a sum of 10 values: the memory is too small: 4096 bytes needed, 64 given");
  }
  EXPECT_EQ(status(2, "out of memory").needed(), 0U);
  try {
    status(1, "as many items as keys", 0, 3, "items").throw_if_failed("a sort");
    FAIL();
  } catch (const device_error& e) {
    EXPECT_STREQ(e.what(), "a sort: as many items as keys: 0 items needed, 3 given");
  }
}

TEST(status, throws_what_was_asked_and_why_it_failed) {
  EXPECT_NO_THROW(status().throw_if_failed("nothing"));
  try {
    status(2, "out of memory").throw_if_failed("a sum of ", 10, " values");
    ADD_FAILURE() << "did not throw";
  } catch (const device_error& e) {
    EXPECT_STREQ(e.what(), "a sum of 10 values: out of memory");
  }
}

}  // namespace
}  // namespace warpfold
