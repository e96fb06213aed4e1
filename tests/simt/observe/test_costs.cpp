// What devices execute of loops and of short conditions, by basic block.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir.hpp"
#include "simt/observe/costs.hpp"

namespace {

using namespace simt::observe;

std::vector<simt::instruction_counts> costs_of(const std::string& body,
                                               const std::string& parameters = "") {
  return simt::observe::costs_of(function_of(body, parameters));
}

TEST(costs, a_struct_that_is_given_by_value_is_no_memory_to_wait_for) {
  const std::string body = guard + R"(  %in = getelementptr inbounds %struct.s, ptr %t, i64 0, i32 0
  %p = load ptr, ptr %in, align 8
  %v = load i32, ptr %p, align 4
  ret void
)";
  EXPECT_EQ(costs_of(body, "ptr byval(%struct.s) align 8 %t").at(0).loads, 1U);
  EXPECT_EQ(costs_of(body, "ptr %t").at(0).loads, 2U);
}

/// A loop of one block that goes round while %more.
simt::instruction_counts cost_of_loop(const std::string& phi, const std::string& inside) {
  return costs_of("entry:\n" + guard + "  br label %body\n\nbody:  ; preds\n" + phi + guard +
                  inside + "  br i1 %more, label %again, label %end\n\nagain:\n" + guard +
                  "  br label %body\n\nend:\n" + guard + "  ret void\n")
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

/// `if (%c) body`, with a block for the edge past it, and something behind it.
std::vector<simt::instruction_counts> costs_of_if(
    const std::string& body, const std::string& before = "",
    const std::string& behind = "  %behind = add i32 %k, 1\n") {
  return costs_of("entry:\n  %p = call ptr @shared()\n" + guard + before +
                  "  br i1 %c, label %then, label %past\n\nthen:\n" + guard + body +
                  "  br label %join\n\npast:\n" + guard + "  br label %join\n\njoin:\n" + guard +
                  behind + "  ret void\n");
}

TEST(costs, all_warps_execute_a_short_if) {
  const auto costs = costs_of_if(
      "  %v = load i32, ptr %p, align 4\n  %w = xor i32 %v, %k\n"
      "  store i32 %w, ptr %p, align 4\n");
  EXPECT_EQ(costs.at(0).integers, 1U);  // what is in the body, and no branch
  EXPECT_EQ(costs.at(0).shared_ahead, 2U);
  EXPECT_EQ(costs.at(1).integers, 0U);
  EXPECT_EQ(costs.at(1).shared_inside, 2U);
  EXPECT_EQ(costs.at(1).loads, 1U);
}

TEST(costs, what_parameters_point_to_is_not_shared) {
  const auto costs = costs_of_if(
      "  %at = getelementptr %struct.pair, ptr %p, i64 0, i32 1\n"
      "  %v = load i32, ptr %at, align 4\n"
      "  store i32 %v, ptr %parameter, align 4\n");
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

/// As a device's branches do: where lanes may part, and back to where a loop of several blocks
/// begins.
TEST(costs, branches_take_their_time) {
  const std::string by_lane =
      "  %t = call i32 @_ZN4simt6detail12thread_indexEi(i32 0)\n  %c = icmp ult i32 %t, %n\n";
  std::string body;
  for (int i = 0; i < 8; ++i) body += "  %v" + std::to_string(i) + " = xor i32 %a, %b\n";
  EXPECT_GE(costs_of_if(body, by_lane).at(0).chain, costs_of_if(body).at(0).chain + 5);
  const auto loop_of = [](const std::string& blocks) {
    return costs_of("entry:\n" + guard + "  br label %body\n\nbody:\n" + guard + blocks +
                    "  %i = add i32 %k, 1\n  %c = icmp ult i32 %i, %n\n"
                    "  br i1 %c, label %body, label %end\n\nend:\n" +
                    guard + "  ret void\n");
  };
  const auto two = loop_of("  %x = xor i32 %a, %b\n  br label %second\n\nsecond:\n" + guard);
  EXPECT_EQ(two.at(2).chain, loop_of("").at(1).chain + 4);
}

TEST(costs, a_body_through_memory_is_a_branch) {
  EXPECT_EQ(costs_of_if("  %v = load i32, ptr %parameter, align 4\n"
                        "  store i32 %v, ptr %parameter, align 4\n")
                .at(0)
                .integers,
            1U);
}

/// A call that may throw leads to two blocks, too, and has no branch to leave out.
TEST(costs, a_call_that_may_throw_is_no_if) {
  const auto costs = costs_of(
      guard + "  invoke void @simt_other() to label %then unwind label %past\n\nthen:\n" + guard +
      "  %w = xor i32 %a, %b\n  br label %join\n\npast:\n"
      "  %pad = landingpad { ptr, i32 } cleanup\n" +
      guard + "  br label %join\n\njoin:\n" + guard + "  %behind = add i32 %k, 1\n  ret void\n");
  EXPECT_EQ(costs.at(0).integers, 0U);
  EXPECT_EQ(costs.at(1).integers, 1U);
}

TEST(costs, what_ends_a_thread_is_for_the_lanes_that_go_on) {
  const std::string body = "  %w = xor i32 %a, %b\n";
  EXPECT_EQ(costs_of_if(body).at(1).integers, 0U);
  EXPECT_EQ(costs_of_if(body, "", "").at(1).integers, 1U);
}

constexpr const char* thread =
    "  %t = call i32 @_ZN4simt6detail12thread_indexEi(i32 0)\n  %c = icmp ult i32 %t, %n\n";
constexpr const char* block =
    "  %t = call i32 @_ZN4simt6detail11block_indexEi(i32 0)\n  %c = icmp ult i32 %t, %n\n";

TEST(costs, where_lanes_part_a_device_says_where_they_meet) {
  std::string body;
  for (int i = 0; i < 8; ++i) body += "  %v" + std::to_string(i) + " = xor i32 %a, %b\n";
  EXPECT_EQ(costs_of_if(body, block).at(0).integers, 3U);
  EXPECT_EQ(costs_of_if(body, thread).at(0).integers, 5U);
  EXPECT_EQ(costs_of_if(body, thread, "").at(0).integers, 3U);  // they do not meet
}

TEST(costs, a_shuffle_reckons_the_lane_itself) {
  const std::string lane =
      "  %l = call i32 @_ZN4simt6detail10lane_indexEv()\n  %from = sub i32 %l, 1\n";
  const std::string call =
      "  %v = call i64 @_ZN4simt6detail12warp_shuffleENS0_5placeEjmj(ptr null, i64 0, i32 -1, i64 "
      "%x, i32 %from)\n";
  EXPECT_EQ(costs_of(guard + lane + call + "  ret void\n", "i64 %x").at(0).integers, 0U);
  EXPECT_EQ(costs_of(guard + lane + call + "  %used = xor i32 %from, 1\n  ret void\n", "i64 %x")
                .at(0)
                .integers,
            3U);
}

TEST(costs, addresses_that_are_a_constant_apart_are_one) {
  const std::string both =
      "  %a = getelementptr inbounds i32, ptr %p, i64 %i\n  %j = add i64 %i, 4\n"
      "  %b = getelementptr inbounds i32, ptr %p, i64 %j\n";
  EXPECT_EQ(costs_of(guard + both + "  ret void\n").at(0).integers, 2U);
}

TEST(costs, an_address_of_shared_memory_takes_what_is_added_to_its_index) {
  const auto sum_of = [](const std::string& pointer) {
    return costs_of(guard + pointer +
                    "  %sum = add i32 %x, %y\n  %i = zext i32 %sum to i64\n"
                    "  %a = getelementptr inbounds i32, ptr %p, i64 %i\n  ret void\n")
        .at(0)
        .integers;
  };
  EXPECT_EQ(sum_of("  %p = call ptr @_ZN4simt6detail14dynamic_sharedEv()\n"),
            sum_of("  %p = call ptr @_ZN4simt6detail14other_pointerEv()\n") - 1);
}

TEST(costs, words_multiply_to_twice_the_bits_at_once) {
  const std::string words = "  %a = zext i32 %x to i64\n  %b = zext i32 %y to i64\n";
  EXPECT_EQ(costs_of(guard + words + "  %c = mul i64 %a, %b\n  ret void\n").at(0).multiplies, 1U);
  EXPECT_EQ(
      costs_of(guard + "  %c = mul i64 %a, %b\n  ret void\n", "i64 %a, i64 %b").at(0).multiplies,
      4U);
}

/// What it adds to is in the device's cache: one trip there and back for the result.
TEST(costs, an_atomic_is_waited_for_where_its_result_is_used) {
  const std::string add = "  %old = atomicrmw add ptr %p, i32 1 monotonic, align 4\n";
  EXPECT_EQ(costs_of(guard + add + "  %x = xor i32 %old, 1\n  ret void\n").at(0).loads, 1U);
  EXPECT_EQ(costs_of(guard + add + "  ret void\n").at(0).loads, 0U);
}

}  // namespace
