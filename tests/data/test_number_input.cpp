// Files of numbers as one: opened as they are read, by several threads, in few descriptors.
#include <filesystem>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "data/npy.hpp"
#include "data/number_input.hpp"
#include "tests/temporary_directory.hpp"
#include "warpfold/error.hpp"

namespace warpfold::data {
namespace {

constexpr std::size_t file_count = 200, each = 100;

class many_files : public testing::Test {
 protected:
  many_files() {
    std::vector<std::int32_t> values(each);
    for (std::size_t i = 0; i < file_count; ++i) {
      std::iota(values.begin(), values.end(), static_cast<std::int32_t>(i * each));
      paths_.push_back(directory_ / (std::to_string(i) + ".npy"));
      write_npy(paths_.back(), array_of<std::int32_t>(values));
    }
  }
  static std::size_t open_files() {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  }

  tests::temporary_directory directory_;
  std::vector<std::string> paths_;
};

TEST_F(many_files, are_read_by_many_threads_while_few_are_open) {
  const std::size_t before = open_files();
  number_input in(paths_, {});
  EXPECT_LE(open_files(), before + 64);
  EXPECT_EQ(in.shape(), std::vector<std::size_t>{file_count * each});
  std::vector<std::jthread> readers;
  std::vector<std::int32_t> all(file_count * each, -1);
  constexpr std::size_t stretch = 2 * each + 17;  // of three files or four
  for (std::size_t t = 0; t < 16; ++t) {
    readers.emplace_back([&, t] {
      for (std::size_t at = t * stretch; at < all.size(); at += 16 * stretch) {
        const auto part = std::span(all).subspan(at, std::min(stretch, all.size() - at));
        in.read(at * sizeof(std::int32_t), std::as_writable_bytes(part), {});
      }
    });
  }
  readers.clear();
  std::vector<std::int32_t> expected(all.size());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_TRUE(all == expected);
  EXPECT_LE(open_files(), before + 64);
}

TEST_F(many_files, one_that_became_another_is_not_read) {
  number_input in(paths_, {});
  std::filesystem::rename(paths_[1], paths_[0]);
  std::vector<std::int32_t> all(each);
  try {
    in.read(0, std::as_writable_bytes(std::span(all)), {});
    FAIL() << "nothing was thrown";
  } catch (const data_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("was replaced"));
  }
}

}  // namespace
}  // namespace warpfold::data
