// What the device compiler prints of registers, and what they leave room for.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simt/prediction.hpp"
#include "simt/registers.hpp"

namespace {

using simt::register_table;
using by_capability = std::map<int, unsigned>;

TEST(registers, are_read_from_what_the_compiler_prints) {
  const register_table table(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z5scaleIiEvPKT_PS0_i' for 'sm_90'\n"
      "ptxas info    : Function properties for _Z5scaleIiEvPKT_PS0_i\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 128 bytes smem\n"
      "ptxas info    : Compile time = 4.1 ms\n"
      "ptxas info    : Compiling entry function 'plain' for 'sm_90a'\n"
      "ptxas info    : Used 12 registers, used 0 barriers\n"
      "ptxas info    : Compiling entry function '_Z5scaleIiEvPKT_PS0_i' for 'sm_80'\n"
      "ptxas info    : Used 38 registers, used 1 barriers\n");
  EXPECT_EQ(table.of("scale<int>"), (by_capability{{80, 38}, {90, 40}}));
  EXPECT_EQ(table.of("plain"), (by_capability{{90, 12}}));
  EXPECT_TRUE(table.of("scale<float>").empty());
}

TEST(registers, are_read_from_a_program) {
  const register_table table(
      "Fatbin elf code:\n================\narch = sm_90\ncode version = [1,8]\n\n"
      "Resource usage:\n Common:\n  GLOBAL:0\n"
      " Function _ZN12_GLOBAL__N_14sumsEPFvvE:\n"
      "  REG:33 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0\n");
  EXPECT_EQ(table.of("(anonymous namespace)::sums"), (by_capability{{90, 33}}));
  EXPECT_TRUE(register_table("nothing of that").empty());
  EXPECT_TRUE(register_table("").empty());
}

/// 40 of each thread leave room for 48 warps of 64.
TEST(registers, limit_how_many_blocks_run_at_once) {
  const simt::device_model d = simt::find_device_model("h100");
  simt::launch_profile p;
  p.kernel = "sums";
  p.grid = {132 * 2, 1, 1};
  p.block = {1024, 1, 1};
  p.launches = 1;
  p.path.chain = 132 * 2 * 1000;
  const auto us = [&](unsigned registers) {
    p.registers = {{90, registers}};
    return simt::predict(std::vector{p}, d).queued_us;
  };
  const double both_at_once = us(32), one_block = 1000 * d.add_cycles / d.clock_ghz * 1e-3;
  EXPECT_GT(us(40) - both_at_once, one_block);
  EXPECT_EQ(us(64), us(40));
  us(65);
  EXPECT_EQ(simt::predict(std::vector{p}, d).no_ground, "no block of sums fits on this device");
  p.registers = {{80, 64}};
  EXPECT_EQ(simt::predict(std::vector{p}, d).queued_us, both_at_once) << "of another device";
}

}  // namespace
