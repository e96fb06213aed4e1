// What devices execute of loops and of short conditions, by basic block.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simt/source_step/costs.hpp"

namespace {

std::string guard(int number) {
  return "  call void @__sanitizer_cov_trace_pc_guard(i32* inttoptr (i64 add (i64 ptrtoint ([9 x "
         "i32]* @g to i64), i64 " +
         std::to_string(4 * number) + ") to i32*))\n";
}

/// Of a function with so many basic blocks.
std::vector<simt::instruction_counts> costs_of(const std::string& body, int blocks) {
  std::string table = "@pcs = private constant [" + std::to_string(2 * blocks) + " x i64*] [";
  for (int b = 0; b < blocks; ++b) {
    table += (b == 0 ? "" : ", ") + std::string("i64* bitcast (void ()* @f to i64*), ") +
             "i64* inttoptr (i64 1 to i64*)";
  }
  const std::string text = simt::source_step::with_costs(
      table + "], section \"__sancov_pcs\", align 8\ndefine void @f() {\n" + body + "}\n");
  std::vector<simt::instruction_counts> all;
  const std::string before = "i64* inttoptr (i64 ";
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
    all.push_back(
        simt::unpacked(static_cast<std::uint64_t>(std::stoll(text.substr(at + before.size())))));
  return all;
}

/// A loop of one block that goes round while %more.
simt::instruction_counts cost_of_loop(const std::string& phi, const std::string& inside) {
  return costs_of("entry:\n" + guard(0) + "  br label %body\n\nbody:  ; preds\n" + phi + guard(1) +
                      inside + "  br i1 %more, label %again, label %end\n\nagain:\n" + guard(2) +
                      "  br label %body\n\nend:\n" + guard(3) + "  ret void\n",
                  4)
      .at(1);
}
constexpr const char* counter = "  %i = phi i32 [ %next, %again ], [ 0, %entry ]\n";
constexpr const char* count = "  %next = add i32 %i, 1\n  %more = icmp ult i32 %next, %n\n";

TEST(costs, an_unrolled_loop_counts_once_in_four_iterations) {
  const auto own = cost_of_loop(counter, count);
  EXPECT_EQ(own.integers, 1U);  // addition, comparison and branch: three in four iterations
  const auto with_work =
      cost_of_loop(std::string(counter) + "  %x = phi i32 [ %y, %again ], [ 0, %entry ]\n",
                   "  %y = xor i32 %x, %k\n" + std::string(count));
  EXPECT_EQ(with_work.integers, 2U);
}

TEST(costs, a_loop_that_ends_by_what_it_computes_is_not_unrolled) {
  const auto by_data = cost_of_loop(
      std::string(counter) + "  %x = phi i32 [ %y, %again ], [ %first, %entry ]\n",
      "  %next = add i32 %i, 1\n  %y = xor i32 %x, %k\n  %more = icmp ult i32 %y, %n\n");
  EXPECT_EQ(by_data.integers, 4U);
}

TEST(costs, a_loop_computes_the_reciprocal_of_its_divisor_once) {
  const std::string phi = std::string(counter) + "  %x = phi i32 [ %q, %again ], [ %y, %entry ]\n";
  EXPECT_EQ(cost_of_loop(phi, "  %q = udiv i32 %x, %d\n" + std::string(count)).divides, 0U);
  EXPECT_EQ(cost_of_loop(phi, "  %q = udiv i32 %x, %d\n" + std::string(count)).multiplies, 2U);
  EXPECT_EQ(cost_of_loop(phi, "  %q = udiv i32 %d, %x\n" + std::string(count)).divides, 1U);
}

/// `if (%c) body`, with a block for the edge past it.
std::vector<simt::instruction_counts> costs_of_if(const std::string& body) {
  return costs_of("entry:\n  %p = call i32* @shared()\n" + guard(0) +
                      "  br i1 %c, label %then, label %past\n\nthen:\n" + guard(1) + body +
                      "  br label %join\n\npast:\n" + guard(2) + "  br label %join\n\njoin:\n" +
                      guard(3) + "  ret void\n",
                  4);
}

TEST(costs, all_warps_execute_a_short_if) {
  const auto costs = costs_of_if(
      "  %v = load i32, i32* %p, align 4\n  %w = xor i32 %v, %k\n"
      "  store i32 %w, i32* %p, align 4\n");
  EXPECT_EQ(costs.at(0).integers, 2U);  // the branch, and what is in the body
  EXPECT_EQ(costs.at(0).shared_ahead, 2U);
  EXPECT_EQ(costs.at(1).integers, 0U);
  EXPECT_EQ(costs.at(1).shared_inside, 2U);
  EXPECT_EQ(costs.at(1).loads, 1U);
}

TEST(costs, what_parameters_point_to_is_not_shared) {
  const auto costs = costs_of_if(
      "  %at = getelementptr %struct.pair, %struct.pair* %p, i64 0, i32 1\n"
      "  %v = load i32, i32* %at, align 4\n"
      "  store i32 %v, i32* %parameter, align 4\n");
  EXPECT_EQ(costs.at(0).shared_ahead, 1U);
}

TEST(costs, a_long_if_is_a_branch) {
  std::string body;
  for (int i = 0; i < 8; ++i) body += "  %v" + std::to_string(i) + " = xor i32 %a, %b\n";
  const auto costs = costs_of_if(body);
  EXPECT_EQ(costs.at(0).integers, 1U);
  EXPECT_EQ(costs.at(1).integers, 8U);
  EXPECT_EQ(costs_of_if("  call void @simt_barrier()\n  %v = call i32 @other()\n").at(0).integers,
            1U);
}

/// What it adds to is in the device's cache: one trip there and back for the result.
TEST(costs, an_atomic_is_waited_for_where_its_result_is_used) {
  const std::string add = "  %old = atomicrmw add i32* %p, i32 1 monotonic, align 4\n";
  EXPECT_EQ(costs_of(guard(0) + add + "  %x = xor i32 %old, 1\n  ret void\n", 1).at(0).loads, 1U);
  EXPECT_EQ(costs_of(guard(0) + add + "  ret void\n", 1).at(0).loads, 0U);
}

}  // namespace
