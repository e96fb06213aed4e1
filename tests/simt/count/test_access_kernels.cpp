// The measured patterns once more, by kernels: from the compiler's callbacks to the counters.
#include <string>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/count/access_table.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

/// A parameter of the kernel, so that reading it counts as nothing.
struct offsets {
  std::int32_t at[64];
};

template <class Word>
Word* target(const offsets& o, char* global) {
  char* const base = global != nullptr ? global : detail::dynamic_shared<char>();
  return reinterpret_cast<Word*>(base + o.at[threadIdx.x]);
}

template <class Word>
__global__ void load_kernel(offsets o, char* global) {
  if (o.at[threadIdx.x] == inactive) return;
  const Word value = *target<Word>(o, global);
  asm volatile("" : : "r"(&value) : "memory");
}

template <class Word>
__global__ void store_kernel(offsets o, char* global) {
  if (o.at[threadIdx.x] == inactive) return;
  *target<Word>(o, global) = Word();
}

template <class Word>
__global__ void add_kernel(offsets o, char* global) {
  if (o.at[threadIdx.x] == inactive) return;
  atomicAdd(target<Word>(o, global), 2);
}

struct kernels {
  using kernel = void (*)(offsets, char*);
  kernel load, store;
};
template <class Word>
constexpr kernels kernels_for = {load_kernel<Word>, store_kernel<Word>};

kernels by_size(unsigned size) {
  switch (size) {
    case 1: return kernels_for<unsigned char>;
    case 2: return kernels_for<short>;
    case 4: return kernels_for<float>;
    case 8: return kernels_for<uint2>;
    default: return kernels_for<int4>;
  }
}

simt::counters by_kernel(const access_pattern& p, kernels::kernel kernel) {
  offsets o;
  for (std::size_t i = 0; i < 32 * p.warps.size(); ++i) {
    o.at[i] = static_cast<std::int32_t>(p.warps[i / 32][i % 32]);
  }
  const auto bytes = static_cast<std::size_t>(p.end());
  const bool global = p.space == "global";
  const device_array<char> memory(global ? bytes : 0);
  return counted([&] {
    simt::launch({.grid = 1,
                  .block = 32 * static_cast<unsigned>(p.warps.size()),
                  .shared_bytes = global ? 0 : bytes},
                 kernel, o, global ? memory.data() : nullptr);
  });
}

TEST(access_kernels, loads_and_stores_count_as_measured) {
  int checked = 0;
  for (const access_pattern& p : access_patterns()) {
    const bool load = p.op == "load" || p.op == "load_predicated";
    if (!load && p.op != "store" && p.op != "store_predicated") continue;
    const kernels k = by_size(p.size);
    const auto counted = by_kernel(p, load ? k.load : k.store);
    expect_as_measured(p, counted);
    EXPECT_EQ(counted.launches, 1U);
    ++checked;
  }
  EXPECT_GT(checked, 1800);
}

TEST(access_kernels, eight_bytes_count_alike_in_one_word_and_in_two) {
  for (const access_pattern& p : access_patterns()) {
    if (p.size != 8 || p.op != "load") continue;
    expect_as_measured(p, by_kernel(p, load_kernel<double>));
    expect_as_measured(p, by_kernel(p, load_kernel<short4>));
  }
}

TEST(access_kernels, atomics_count_as_measured_and_as_nothing_else) {
  for (const access_pattern& p : access_patterns()) {
    const bool floating = p.op == "cxx_add_float";
    if (p.op != "red_add" && !(p.space == "global" && floating)) continue;
    const auto counted = by_kernel(p, floating ? add_kernel<float> : add_kernel<unsigned>);
    if (p.space == "global") {
      EXPECT_EQ(static_cast<double>(counted.global_atomic.requests), p.measured.at("red_requests"));
      EXPECT_EQ(static_cast<double>(counted.global_atomic.sectors), p.measured.at("red_sectors"));
    } else {
      EXPECT_EQ(static_cast<double>(counted.shared_atomic.requests), p.measured.at("atom_inst"));
      EXPECT_EQ(static_cast<double>(counted.shared_atomic.conflicts),
                p.measured.at("atom_conflicts"));
    }
    for (const auto& m :
         {counted.global_load, counted.global_store, counted.shared_load, counted.shared_store}) {
      EXPECT_EQ(m.requests, 0U) << "row " << p.id << ": " << p.op;
    }
  }
}

}  // namespace
}  // namespace warpfold::tests
