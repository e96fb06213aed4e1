// The commands on files as calls, on many threads and in little memory: every result is that of a
// plain loop, whatever the threads do.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "data/output_file.hpp"
#include "files/reduce.hpp"
#include "files/scan.hpp"
#include "files/sort.hpp"
#include "tests/temporary_directory.hpp"

namespace warpfold::tests {
namespace {

const files::run_options four_threads{.memory = files::least_memory, .threads = 4};

class host_files : public testing::Test {
 protected:
  template <class T>
  std::filesystem::path write(const char* name, const std::vector<T>& values) {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    return path;
  }
  template <class T>
  std::vector<T> read(const std::filesystem::path& path) {
    std::vector<T> values(std::filesystem::file_size(path) / sizeof(T));
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
  }
  temporary_directory folder_;
};

std::vector<std::int32_t> some_values(std::size_t n) {
  std::mt19937 random(7);
  std::vector<std::int32_t> values(n);
  for (auto& v : values) v = static_cast<std::int32_t>(random() % 2001) - 1000;
  return values;
}

TEST_F(host_files, sums_and_statistics) {
  const auto values = some_values(3'000'000);
  const auto sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  data::number_input in(write("in", values), value_type::i32);
  EXPECT_EQ(files::reduce_all(in, files::reduction::sum, four_threads)[0].second,
            files::number(sum));
  const auto about = files::reduce_all(in, files::reduction::statistics, four_threads);
  EXPECT_EQ(std::get<double>(about[1].second), static_cast<double>(sum)) << about[1].first;
}

TEST_F(host_files, exact_sums) {
  std::vector<float> values(2'000'000, 0.25F);
  values.front() = 1e30F;
  values.back() = -1e30F;
  data::number_input in(write("in", values), value_type::f32);
  EXPECT_EQ(
      std::get<float>(files::reduce_all(in, files::reduction::exact_sum, four_threads)[0].second),
      499'999.5F);
}

TEST_F(host_files, prefixes) {
  const auto values = some_values(3'000'000);
  std::vector<std::int64_t> expected(values.begin(), values.end());
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  data::number_input in(write("in", values), value_type::i32);
  data::output_file out(folder_ / "out", data::output_file::over::nothing);
  EXPECT_EQ(
      files::scan_all(in, files::reduction::sum, false, value_type::i64, out, 0, four_threads),
      values.size());
  out.commit();
  EXPECT_EQ(read<std::int64_t>(folder_ / "out"), expected);
}

TEST_F(host_files, sorts_in_runs_that_are_merged) {
  auto values = some_values(9'000'000);  // more than twice the memory
  data::number_input in(write("in", values), value_type::i32);
  data::output_file out(folder_ / "out", data::output_file::over::nothing);
  files::sort_all({.keys = in,
                   .items = nullptr,
                   .descending = false,
                   .keys_out = {&out, 0},
                   .items_out = {},
                   .scratch_folder = folder_.path()},
                  four_threads);
  out.commit();
  std::sort(values.begin(), values.end());
  EXPECT_EQ(read<std::int32_t>(folder_ / "out"), values);
}

}  // namespace
}  // namespace warpfold::tests
