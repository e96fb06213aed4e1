#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "data/npy.hpp"
#include "data/read.hpp"
#include "tests/temporary_directory.hpp"

namespace warpfold::data {
namespace {

template <class Error>
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(raw_file, is_one_dimension_of_its_type) {
  const tests::temporary_directory directory;
  const auto path = directory.file("a.bin", std::string("\1\0\0\0\2\0\0\0", 8));
  const array a = read_file(path, value_type::i32);
  EXPECT_EQ(a.shape, std::vector<std::size_t>{2});
  EXPECT_EQ(a.as<std::int32_t>()[1], 2);
  EXPECT_EQ(read_file(path, value_type::i64).as<std::int64_t>()[0], 0x2'0000'0001);
  EXPECT_EQ(read_file(path, value_type::u8).size(), 8U);
  EXPECT_EQ(read_file(directory.file("empty.bin", ""), value_type::f64).size(), 0U);
}

TEST(raw_file, has_a_whole_number_of_elements) {
  const tests::temporary_directory directory;
  const auto path = directory.file("a.bin", "seven b");
  const auto message = message_of<data_error>([&] { read_file(path, value_type::f32); });
  EXPECT_TRUE(has(message, "a.bin': 7 bytes are not a whole number of f32")) << message;
  EXPECT_THROW(read_file(directory.path(), value_type::u8), data_error);
  EXPECT_THROW(read_file(directory / "missing", value_type::u8), data_error);
}

TEST(read_file, knows_npy_by_its_first_bytes) {
  const tests::temporary_directory directory;
  const std::vector<float> values{1.5F, 2.5F};
  write_npy(directory / "a.dat", array_of<float>(values));
  EXPECT_EQ(read_file(directory / "a.dat").as<float>()[1], 2.5F);
  EXPECT_EQ(read_file(directory / "a.dat", value_type::f32).size(), 2U);
  const auto message =
      message_of<usage_error>([&] { read_file(directory / "a.dat", value_type::i32); });
  EXPECT_TRUE(has(message, "an .npy file of f32, but i32 is asked for")) << message;
}

TEST(read_file, asks_for_the_type_of_a_raw_file) {
  const tests::temporary_directory directory;
  const auto path = directory.file("a.bin", "12345678");
  EXPECT_EQ(read_file(path, value_type::f64).size(), 1U);
  const auto message = message_of<usage_error>([&] { read_file(path); });
  EXPECT_TRUE(has(message, "--type")) << message;
  EXPECT_THROW(read_file(directory.file("cut.npy", "\x93NUMPY"), value_type::u8), data_error);
}

}  // namespace
}  // namespace warpfold::data
