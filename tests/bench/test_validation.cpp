// How predictions of time are held against what a device took, and what calibrate refuses.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/calibrate/calibrate.hpp"
#include "bench/validation/rows.hpp"
#include "ladder/machines/registers.hpp"
#include "warpfold/error.hpp"

namespace {

using namespace warpfold;

TEST(kendall_tau, counts_pairs_in_the_same_order) {
  const std::vector<double> up{1, 2, 3, 4}, down{4, 3, 2, 1}, one_swapped{2, 1, 3, 4},
      tied{1, 1, 3, 4};
  EXPECT_EQ(validation::kendall_tau(up, up), 1);
  EXPECT_EQ(validation::kendall_tau(up, down), -1);
  EXPECT_NEAR(validation::kendall_tau(up, one_swapped), 4.0 / 6, 1e-12);
  EXPECT_NEAR(validation::kendall_tau(up, tied), 5.0 / 6, 1e-12);
  const std::vector<double> spreads{0.5, 0.5, 0.4, 0.4};  // 1 and 2 are not told apart
  EXPECT_NEAR(validation::kendall_tau(one_swapped, up, spreads), 1, 1e-12);
}

validation::row row_of(double measured_us, double predicted_us) {
  validation::row r{.ladder = "reduce", .type = "i32", .measured_us = measured_us};
  r.predicted_us = predicted_us;
  return r;
}

TEST(validation, errors_are_of_rows_with_a_prediction) {
  std::vector<validation::row> rows{row_of(10, 11), row_of(10, 8), row_of(10, 10), row_of(1, 9)};
  rows.back().predicted.no_ground = "its threads wait";
  const auto e = validation::errors_of(rows, [](const auto&) { return true; });
  EXPECT_EQ(e.rows, 3U);
  EXPECT_NEAR(e.mean, 10, 1e-9);
  EXPECT_NEAR(e.bias, -10.0 / 3, 1e-9);
  EXPECT_NEAR(e.percentile_90, 20, 1e-9);
  EXPECT_NEAR(e.worst, 20, 1e-9);
}

/// What a prediction says of its error is what the stored runs say.
TEST(validation, a_device_file_has_the_errors_that_were_found) {
  constexpr std::size_t fewest = 5;  // rows that tell an error
  for (const std::string name : {"h100", "h200"}) {
    const simt::device_model device = simt::find_device_model(name);
    const auto rows = validation::stored_rows(WARPFOLD_SOURCE_DIR "/bench/results", name, device);
    for (std::size_t i = 0; i < simt::limiter_names.size(); ++i) {
      const auto e = validation::errors_of(
          rows, [&](const auto& r) { return r.queued && r.predicted.by == simt::limiter(i); });
      if (e.rows < fewest) {
        EXPECT_TRUE(std::isnan(device.error_pct[i])) << name << ", " << simt::limiter_names[i];
      } else {
        EXPECT_EQ(device.error_pct[i], std::round(e.mean))
            << name << ", " << simt::limiter_names[i];
      }
    }
  }
}

/// Of the unseen half. Where that has few kernels of a kind, of those of both halves as they were
/// predicted before any was measured; and where these are few, of all of them.
TEST(validation, a_device_file_has_the_errors_that_were_found_blind) {
  constexpr std::size_t fewest = 5;
  const auto rows = validation::blind_rows(WARPFOLD_SOURCE_DIR "/tests/golden", "h200",
                                           simt::find_device_model("h200"));
  auto first = rows;
  for (auto& r : first) r.predicted_us = r.first_us;
  for (std::size_t i = 0; i < simt::kind_names.size(); ++i) {
    const auto of_kind = [i](const auto& r) {
      return simt::kind_of(r.predicted.by) == simt::kernel_kind(i);
    };
    auto e = validation::errors_of(rows,
                                   [&](const auto& r) { return r.half == "unseen" && of_kind(r); });
    if (e.rows < fewest) e = validation::errors_of(first, of_kind);
    if (e.rows < fewest) e = validation::errors_of(first, [](const auto&) { return true; });
    for (const std::string name : {"h100", "h200"}) {
      const simt::blind_error said = simt::find_device_model(name).blind[i];
      EXPECT_EQ(said.mean, std::round(e.mean)) << name << ", " << simt::kind_names[i];
      EXPECT_EQ(said.nine_of_ten, std::round(e.percentile_90)) << name << simt::kind_names[i];
    }
  }
}

/// Of kernels that no change of the model looked at; the aim is 20 % in the mean.
TEST(validation, blind_errors_stay_as_small_as_they_are) {
  const auto rows = validation::blind_rows(WARPFOLD_SOURCE_DIR "/tests/golden", "h200",
                                           simt::find_device_model("h200"));
  const auto unseen = validation::errors_of(rows, [](const auto& r) { return r.half == "unseen"; });
  EXPECT_EQ(rows.size(), 153U);
  EXPECT_EQ(unseen.rows, 94U);
  EXPECT_LE(unseen.mean, 17);
  EXPECT_LE(unseen.percentile_90, 27);
}

/// As in docs/time.md; a change of the model that moves an error by a tenth changes these, too.
void expect_errors(const validation::errors& e, std::size_t rows, double mean, double percentile_90,
                   double worst) {
  EXPECT_EQ(e.rows, rows);
  EXPECT_NEAR(e.mean, mean, mean / 10);
  EXPECT_NEAR(e.percentile_90, percentile_90, percentile_90 / 10);
  EXPECT_NEAR(e.worst, worst, worst / 10);
}

TEST(validation, predictions_of_stored_rows_have_the_documented_errors) {
  const std::string results = WARPFOLD_SOURCE_DIR "/bench/results";
  const auto queued = [](const validation::row& r) { return r.queued; };
  const auto all = [](const validation::row&) { return true; };
  const auto h100 = simt::find_device_model("h100"), h200 = simt::find_device_model("h200");
  expect_errors(validation::errors_of(validation::stored_rows(results, "h100", h100), queued), 1219,
                6.1, 12.8, 37.7);
  expect_errors(validation::errors_of(validation::stored_rows(results, "h200", h200), queued), 556,
                7.5, 16.5, 31.9);
  expect_errors(validation::errors_of(validation::other_rows(results, "h100", h100), all), 20, 13.8,
                22.9, 29.4);
}

/// What docs/time.md aims at, 85 %, and what it has: no change of the model loses one.
TEST(validation, rungs_keep_the_limits_that_a_profiler_names) {
  const auto rows =
      validation::limit_rows(WARPFOLD_SOURCE_DIR "/bench/results", simt::find_device_model("h100"));
  ASSERT_EQ(rows.size(), 28U);
  const auto close = std::ranges::count_if(rows, [](const auto& r) { return r.is_close(); });
  EXPECT_GE(close, 26);
  const auto same = std::ranges::count_if(rows, [](const auto& r) { return r.agrees(); });
  EXPECT_GE(same, 26);
}

/// Of each kernel of the ladders' own, by the name that the CPU machine has for it.
TEST(validation, registers_of_the_ladders_kernels_are_known) {
  for (const auto& [row, profiles] :
       validation::stored_profiles(WARPFOLD_SOURCE_DIR "/bench/results")) {
    if (std::get<1>(row).ends_with("library")) continue;
    for (const auto& p : profiles) {
      const auto kernel = p.at("kernel").get<std::string>();
      const auto known = ladder::registers_of(kernel);
      ASSERT_EQ(known.size(), 1U) << kernel;
      ASSERT_EQ(known.at(90), p.at("registers").at("90").get<unsigned>()) << kernel;
    }
  }
  EXPECT_TRUE(ladder::registers_of("sums<int>").empty());
}

/// So that the order of the rungs is as measured, and instructions are what a device executes.
TEST(validation, counts_and_order_stay_as_close_as_they_are) {
  const std::string results = WARPFOLD_SOURCE_DIR "/bench/results";
  const auto rows = validation::stored_rows(results, "h100", simt::find_device_model("h100"));
  struct sizes {
    const char* ladder;
    double least;
    int largest;
  };
  for (const sizes& s : {sizes{"reduce", 0.88, 26}, {"scan", 0.85, 26}, {"sort", 0.9, 22}}) {
    for (int size = 20; size <= s.largest; size += 2) {
      const auto order = validation::order_of(rows, [&](const validation::row& r) {
        return r.queued && r.ladder == s.ladder && r.n == std::size_t{1} << size;
      });
      EXPECT_GE(order.groups, 3U) << s.ladder << " 2^" << size;
      EXPECT_GE(order.mean_tau, s.least) << s.ladder << " 2^" << size;
      EXPECT_GE(order.mean_told_apart, 0.9) << s.ladder << " 2^" << size;
    }
  }
  const auto kernels = validation::instructions_rows(results);
  EXPECT_GE(kernels.size(), 20U);
  double sum = 0;
  for (const auto& k : kernels) sum += std::abs(k.counted / k.executed - 1);
  EXPECT_LE(sum / static_cast<double>(kernels.size()), 0.1);
}

/// Published limits alone, and kernels of 2007 and 2014: the order is right, and no time is off by
/// more than a factor of 2, but for one. Rung 16 keeps its sum in a register, where that kernel has
/// shared memory: loads wait for it there.
TEST(validation, the_documents_times_of_older_devices) {
  for (const auto& [printed, name] : {std::pair{"G80", "g80"}, {"Tesla K40m", "k40m"}}) {
    const auto rows = validation::document_rows(WARPFOLD_SOURCE_DIR "/bench/results", printed,
                                                simt::find_device_model(name));
    ASSERT_EQ(rows.size(), 7U);
    for (const auto& r : rows) {
      const bool differs = std::string_view(name) == "k40m" && r.rung.starts_with("16");
      const double most = differs ? 2.2 : 2.01;
      EXPECT_GT(r.predicted_us, r.measured_us / most) << name << " " << r.rung;
      EXPECT_LT(r.predicted_us, r.measured_us * most) << name << " " << r.rung;
    }
    EXPECT_EQ(validation::order_of(rows, [](const auto&) { return true; }).mean_tau, 1) << name;
  }
}

TEST(calibrate, a_busy_device_is_refused_with_all_that_is_unsteady) {
  const std::vector<bench::measured_constant> steady{{"read_gbs", 3000, 0.04},
                                                     {"launch_us", 5, 0.5}};
  EXPECT_NO_THROW(bench::refuse_unsteady(steady, 0.05));
  const std::vector<bench::measured_constant> busy{
      {"read_gbs", 3000, 0.12}, {"l2_gbs", 5000, 0.01}, {"gap_us", 1, 0.061}};
  try {
    bench::refuse_unsteady(busy, 0.05);
    FAIL() << "nothing was refused";
  } catch (const device_error& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("read_gbs by 12 %, gap_us by 6 %"), std::string::npos) << said;
    EXPECT_EQ(said.find("l2_gbs"), std::string::npos) << said;
  }
  EXPECT_NO_THROW(bench::refuse_unsteady(busy, 0.15));
}

}  // namespace
