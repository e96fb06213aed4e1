// Which basic blocks wait for what was loaded, which poll, and what loops hand on.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir.hpp"
#include "simt/observe/flow.hpp"

namespace {

using namespace simt::observe;

std::vector<flow> flows_of(const std::string& body) {
  const control_flow graph(function_of(body));
  return simt::observe::flows_of(graph, {});
}

/// A loop of one block, whose edge back is a block too.
std::string loop_of(const std::string& phi, const std::string& inside) {
  return "entry:\n" + guard + "  br label %body\n\nbody:  ; preds\n" + phi + guard + inside +
         "  br i1 %more, label %again, label %end\n\nagain:\n" + guard +
         "  br label %body\n\nend:\n" + guard + "  ret void\n";
}
std::vector<flow> flows_of_loop(const std::string& phi, const std::string& inside) {
  return flows_of(loop_of(phi, inside));
}

TEST(flow, a_load_whose_address_was_loaded_before_waits) {
  const auto chase = flows_of_loop("  %at = phi ptr [ %next, %again ], [ %start, %entry ]\n",
                                   "  %next = load ptr, ptr %at, align 8\n");
  EXPECT_TRUE(chase.at(1).waits);
  const std::string text = loop_of("  %at = phi ptr [ %next, %again ], [ %start, %entry ]\n",
                                   "  %x = load i32, ptr %at, align 4\n"
                                   "  %next = getelementptr i32, ptr %at, i64 1\n");
  const auto walk = flows_of(text);
  EXPECT_FALSE(walk.at(1).waits);
  ASSERT_EQ(walk.at(1).carried.size(), 1U);
  EXPECT_EQ(walk.at(1).carried[0].now->getName(), "at");
  EXPECT_EQ(walk.at(1).carried[0].next->getName(), "next");
}

TEST(flow, a_loop_that_asks_memory_anew_waits_each_time) {
  const auto walk = [](const std::string& how) {
    return flows_of(loop_of("  %at = phi ptr [ %next, %again ], [ %start, %entry ]\n",
                            "  %x = load " + how +
                                "i32, ptr %at, align 4\n"
                                "  %next = getelementptr i32, ptr %at, i64 1\n"));
  };
  EXPECT_TRUE(walk("volatile ").at(1).waits);
  EXPECT_TRUE(walk("volatile ").at(1).carried.empty()) << "it is not unrolled";
  EXPECT_FALSE(walk("").at(1).waits);
  EXPECT_EQ(walk("").at(1).carried.size(), 1U);
}

TEST(flow, values_that_go_on_as_others_are_moved) {
  const auto moves = [](const std::string& phis) {
    return flows_of("entry:\n" + guard + "  br label %body\n\nbody:  ; preds\n" + phis + guard +
                    "  br i1 %more, label %tail, label %end\n\ntail:\n" + guard +
                    "  %next = add i32 %a, 1\n  br label %body\n\nend:\n" + guard + "  ret void\n")
        .at(2)
        .moves;
  };
  EXPECT_EQ(moves("  %a = phi i32 [ %b, %tail ], [ 0, %entry ]\n"
                  "  %b = phi i32 [ %a, %tail ], [ 1, %entry ]\n"),
            3U)
      << "they change places by way of a third";
  EXPECT_EQ(moves("  %a = phi i32 [ %next, %tail ], [ 0, %entry ]\n"
                  "  %b = phi i32 [ %a, %tail ], [ 1, %entry ]\n"),
            1U);
  EXPECT_EQ(moves("  %d = phi i32 [ %a, %tail ], [ 3, %entry ]\n"
                  "  %c = phi i32 [ %b, %tail ], [ 2, %entry ]\n"
                  "  %b = phi i32 [ %next, %tail ], [ 1, %entry ]\n"
                  "  %a = phi i32 [ %c, %tail ], [ 0, %entry ]\n"),
            3U)
      << "in whatever order they are looked at";
  EXPECT_EQ(moves("  %a = phi i32 [ %next, %tail ], [ 0, %entry ]\n"
                  "  %b = phi i32 [ %b, %tail ], [ 1, %entry ]\n"),
            0U);
}

TEST(flow, a_constant_may_go_to_an_object_that_has_a_name) {
  const auto flows = flows_of_loop("", "  store i32 0, ptr @done, align 4\n");
  EXPECT_EQ(flows.at(1).accesses, 1U);
}

TEST(flow, a_loop_that_reads_a_word_until_it_changes_polls_and_so_does_what_leads_there) {
  const auto spin = flows_of_loop("",
                                  "  %x = load volatile i32, ptr %flag, align 4\n"
                                  "  %more = icmp eq i32 %x, 0\n");
  EXPECT_TRUE(spin.at(0).polls);
  EXPECT_TRUE(spin.at(1).polls);
  EXPECT_FALSE(spin.at(3).polls);
  const auto plain = flows_of_loop("",
                                   "  %x = load i32, ptr %flag, align 4\n"
                                   "  %more = icmp eq i32 %x, 0\n");
  EXPECT_FALSE(plain.at(1).polls) << "nobody may write it meanwhile";
  const auto moving = flows_of_loop("  %at = phi ptr [ %next, %again ], [ %start, %entry ]\n",
                                    "  %x = load volatile i32, ptr %at, align 4\n"
                                    "  %next = getelementptr i32, ptr %at, i64 1\n"
                                    "  %more = icmp eq i32 %x, 0\n");
  EXPECT_FALSE(moving.at(1).polls) << "another word each time";
}

/// Who finds the word written at the first look has come by, too.
TEST(flow, the_first_look_before_a_loop_that_polls_polls) {
  const auto flows =
      flows_of("entry:\n" + guard +
               "  %first = load volatile i32, ptr %flag, align 4\n  %c = icmp eq i32 %first, 0\n"
               "  br i1 %c, label %ahead, label %end\n\nahead:\n" +
               guard + "  %y = add i32 %k, 1\n  br label %body\n\nbody:\n" + guard +
               "  %x = load volatile i32, ptr %flag, align 4\n  %more = icmp eq i32 %x, 0\n"
               "  br i1 %more, label %body, label %end\n\nend:\n" +
               guard + "  ret void\n");
  EXPECT_TRUE(flows.at(0).polls);
  EXPECT_TRUE(flows.at(1).polls);
  EXPECT_FALSE(flows.at(3).polls);
}

}  // namespace
