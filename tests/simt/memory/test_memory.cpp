// Device memory of the CPU machine.
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "simt/memory.hpp"

namespace warpfold::tests {
namespace {

TEST(memory, is_aligned_to_256_bytes_and_all_of_it_is_there) {
  std::vector<char*> blocks;
  for (const std::size_t bytes : {0UL, 1UL, 255UL, 256UL, 4096UL, 4097UL, 1UL << 20}) {
    auto* const p = static_cast<char*>(simt::allocate(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0U) << bytes;
    ASSERT_NE(p, nullptr);
    if (bytes != 0) std::memset(p, static_cast<int>(blocks.size()), bytes);
    blocks.push_back(p);
  }
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i][0], static_cast<char>(i)) << "no other allocation overlaps";
  }
  for (char* p : blocks) simt::free(p);
  simt::free(nullptr);
}

TEST(memory, refuses_what_the_machine_has_not) {
  EXPECT_THROW(simt::allocate(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  EXPECT_THROW(simt::allocate(std::size_t{1} << 62), std::bad_alloc);
  EXPECT_THROW(simt::allocate(2 * simt::free_memory()), std::bad_alloc);
  EXPECT_GT(simt::free_memory(), 0U);
}

TEST(memory, comes_back_when_freed) {
  constexpr std::size_t bytes = 64 << 20;
  for (int i = 0; i < 100; ++i) {  // 6.4 GB in all
    auto* const p = static_cast<char*>(simt::allocate(bytes));
    for (std::size_t at = 0; at < bytes; at += 1 << 20) p[at] = 1;
    simt::free(p);
  }
}

TEST(memory_death, faults_when_used_after_it_was_freed_or_past_its_end) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  void* const memory = simt::allocate(100);
  auto* const freed = static_cast<volatile char*>(memory);
  simt::free(memory);
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a use after free is what is tested
  EXPECT_DEATH(freed[0] = 1, "");
  void* const one_page = simt::allocate(4096);
  auto* const page = static_cast<volatile char*>(one_page);
  EXPECT_DEATH(page[4096] = 1, "");
  simt::free(one_page);
}

}  // namespace
}  // namespace warpfold::tests
