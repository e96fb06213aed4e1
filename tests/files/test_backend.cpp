// Where --backend auto runs a command: the rule, held against times that were measured.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "files/backend.hpp"

namespace warpfold::files {
namespace {

constexpr std::size_t memory = std::size_t{512} << 20;
constexpr surroundings server{.cores = 16, .link = 54.9e9};

task task_named(const std::string& name) {
  for (const auto& t : tasks) {
    if (t.name == name) return t.what;
  }
  ADD_FAILURE() << "no task is called " << name;
  return {};
}

TEST(backend, takes_the_faster_one_of_those_measured) {
  std::ifstream file(WARPFOLD_GOLDEN "/file_backends_h200.csv");
  ASSERT_TRUE(file);
  std::string line;
  int rows = 0, right = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream row(line);
    std::string name, cell[5];
    std::getline(row, name, ',');
    for (auto& c : cell) std::getline(row, c, ',');
    const unsigned cores = static_cast<unsigned>(std::stoul(cell[0]));
    const job j{task_named(name), std::stoull(cell[1]), std::stoull(cell[2])};
    const double on_host = std::stod(cell[3]), on_device = std::stod(cell[4]);
    const bool device = is_for_device(j, {.cores = cores, .link = server.link});
    const double taken = device ? on_device : on_host;
    ++rows;
    if (taken <= 1.1 * std::min(on_host, on_device)) ++right;
    EXPECT_LE(taken, 1.5 * std::min(on_host, on_device)) << line;
  }
  EXPECT_GE(rows, 30);
  EXPECT_GE(right, rows * 95 / 100);
}

TEST(backend, leaves_what_is_small_and_what_streams_to_the_host) {
  for (const auto& t : tasks) {
    EXPECT_FALSE(is_for_device({t.what, std::nullopt, memory}, server)) << t.name;
    EXPECT_FALSE(is_for_device({t.what, 0, memory}, server)) << t.name;
    EXPECT_FALSE(is_for_device({t.what, 100'000'000, memory}, server)) << t.name;
  }
  EXPECT_FALSE(is_for_device({task::reduce, 2'000'000'000, memory}, server));
}

TEST(backend, goes_to_the_device_where_cores_are_few_and_the_link_is_good) {
  const job j{task::statistics, 20'000'000'000, memory};
  EXPECT_TRUE(is_for_device(j, {.cores = 2, .link = 54.9e9}));
  EXPECT_FALSE(is_for_device(j, {.cores = 2, .link = 0.5e9}));
  EXPECT_FALSE(is_for_device(j, {.cores = 256, .link = 25e9}));
}

TEST(backend, from_the_least_bytes_on_the_device_stays_ahead) {
  for (const auto& t : tasks) {
    for (const unsigned cores : {1U, 4U, 16U}) {
      const surroundings s{.cores = cores, .link = 25e9};
      const auto least = least_device_bytes(t.what, memory, s);
      if (!least) continue;
      EXPECT_TRUE(is_for_device({t.what, *least, memory}, s)) << t.name;
      EXPECT_FALSE(is_for_device({t.what, *least * 99 / 100, memory}, s)) << t.name;
      EXPECT_TRUE(is_for_device({t.what, *least * 8, memory}, s)) << t.name;
    }
  }
}

TEST(backend, every_operation_has_a_task) {
  for (const auto& r : reductions) {
    const task t = task_of(r.op);
    EXPECT_EQ(t == task::exact, r.name.starts_with("exact")) << r.name;
    EXPECT_EQ(t == task::statistics, r.name == "statistics") << r.name;
  }
}

TEST(backend, auto_needs_a_device_for_what_is_for_one) {
  const job large{task::statistics, 1'000'000'000'000, memory};
  EXPECT_TRUE(is_for_device(large, surroundings_of({.threads = 1})));
  EXPECT_EQ(auto_takes_device(large, {.threads = 1}), has_device());
  EXPECT_FALSE(auto_takes_device({task::statistics, 1000, memory}, {.threads = 1}));
}

TEST(backend, surroundings_count_the_threads_that_may_run) {
  EXPECT_EQ(surroundings_of({.threads = 3}).cores, 3U);
  EXPECT_GE(surroundings_of({}).cores, 1U);
  EXPECT_GT(surroundings_of({}).link, 0);
}

}  // namespace
}  // namespace warpfold::files
