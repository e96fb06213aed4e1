// What a checked launch finds, and what it must not.
#include <cerrno>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests::findings {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class F>
std::vector<simt::finding> found_by(F f, simt::run_options options = {}) {
  options.check = true;
  simt::observe scope(options);
  try {
    f();
  } catch (const simt::kernel_error&) {
  }
  return scope.findings;
}

/// "kind:line of one side:line of the other", the smaller line first.
std::vector<std::string> brief(const std::vector<simt::finding>& all) {
  std::vector<std::string> list;
  for (const auto& f : all) {
    const auto [low, high] = std::minmax(f.here.line, f.other.line);
    list.push_back(std::string(name_of(f.kind)) + ":" + std::to_string(low) + ":" +
                   std::to_string(high));
    EXPECT_THAT(f.here.file, HasSubstr("test_findings.cpp")) << f.text();
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::string at(const char* kind, int low, int high) {
  return std::string(kind) + ":" + std::to_string(low) + ":" + std::to_string(high);
}

constexpr int exchange_line = __LINE__ + 4;
template <bool Barrier>
__global__ void exchange(int* out) {
  int* const s = detail::dynamic_shared<int>();
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  if constexpr (Barrier) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 32];
}

// A program may wait for all its children: what reads the lines of the kernels is none of them.
TEST(findings, are_placed_by_no_child_of_the_program) {
  const device_array<int> out(64);
  const simt::launch_config config{.grid = 1, .block = 64, .shared_bytes = 256};
  const auto found = found_by([&] { simt::launch(config, exchange<false>, out.data()); });
  EXPECT_THAT(found, testing::Not(IsEmpty()));
  EXPECT_EQ(brief(found),
            brief(found_by([&] { simt::launch(config, exchange<false>, out.data()); })));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(findings, between_warps_without_a_barrier) {
  for (const std::uint64_t seed : {0, 7}) {
    for (const bool count : {false, true}) {
      const device_array<int> out(3 * 64);
      const simt::launch_config config{.grid = 3, .block = 64, .shared_bytes = 256};
      EXPECT_THAT(brief(found_by([&] { simt::launch(config, exchange<true>, out.data()); },
                                 {.count = count, .seed = seed})),
                  IsEmpty());
      const auto found = found_by([&] { simt::launch(config, exchange<false>, out.data()); },
                                  {.count = count, .seed = seed});
      const std::string race = at("race between warps", exchange_line, exchange_line + 2);
      const std::string read = at("read of unwritten memory", exchange_line + 2, exchange_line + 2);
      EXPECT_THAT(brief(found), testing::Contains(race));
      for (const auto& line : brief(found)) EXPECT_TRUE(line == race || line == read) << line;
      EXPECT_GT(found.back().count, 1U);
      EXPECT_THAT(found.back().text(), HasSubstr("exchange<false>"));
    }
  }
}

constexpr int tail_line = __LINE__ + 5;
template <bool Sync>
__global__ void warp_exchange(int* data) {
  data[threadIdx.x] += 1;
  if constexpr (Sync) __syncwarp();
  data[threadIdx.x + 32] = data[threadIdx.x ^ 1];
}

TEST(findings, in_a_warp_without_syncwarp) {
  const device_array<int> data(64);
  EXPECT_THAT(
      found_by([&] { simt::launch({.grid = 1, .block = 32}, warp_exchange<true>, data.data()); }),
      IsEmpty());
  const auto found =
      found_by([&] { simt::launch({.grid = 1, .block = 32}, warp_exchange<false>, data.data()); });
  EXPECT_THAT(brief(found), testing::Contains(at("race in a warp", tail_line - 2, tail_line)));
  EXPECT_THAT(found[0].mend(), HasSubstr("lockstep"));
}

constexpr int bounds_line = __LINE__ + 2;
__global__ void past_the_end(const int* in, int* out, unsigned by) {
  out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + by];
}

TEST(findings, out_of_bounds) {
  const device_array<int> in(100, 1), out(64);
  const auto run = [&](unsigned by) {
    return brief(found_by(
        [&] { simt::launch({.grid = 1, .block = 64}, past_the_end, in.data(), out.data(), by); }));
  };
  EXPECT_THAT(run(36), IsEmpty());
  EXPECT_THAT(run(37), ElementsAre(at("access out of bounds", bounds_line, bounds_line)));
  EXPECT_THAT(run(1 << 20), ElementsAre(at("access out of bounds", bounds_line, bounds_line)))
      << "where there is no memory";
}

__global__ void shared_past_the_end(int* out) {
  int* const s = detail::dynamic_shared<int>();
  s[threadIdx.x + 1] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x + 1];
}

TEST(findings, shared_memory_that_the_block_has_not) {
  const device_array<int> out(32);
  const auto run = [&](unsigned bytes) {
    return found_by([&] {
      simt::launch({.grid = 1, .block = 32, .shared_bytes = bytes}, shared_past_the_end,
                   out.data());
    });
  };
  EXPECT_THAT(run(33 * 4), IsEmpty());
  const auto found = run(32 * 4);
  ASSERT_EQ(found.size(), 2U);
  for (const auto& f : found) {
    EXPECT_EQ(f.kind, simt::finding_kind::out_of_bounds);
    EXPECT_EQ(f.offset, 128);
  }
}

/// Block 0 writes every word, then, with one worker, block 1 reads every word.
template <class Word>
__global__ void one_writes_one_reads(Word* data, unsigned n, unsigned factor) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    Word* const at = data + i * factor % n;
    if (blockIdx.x == 0) {
      *at = Word();
    } else {
      const volatile auto first = *reinterpret_cast<const int*>(at);
      static_cast<void>(first);
    }
  }
}

TEST(findings, of_every_word_however_much_memory_a_block_touches) {
  const auto races = [](auto word, unsigned factor) {
    constexpr unsigned n = 1U << 17;
    const device_array<decltype(word)> data(n);
    const auto found = found_by(
        [&] {
          simt::launch({.grid = 2, .block = 96}, one_writes_one_reads<decltype(word)>, data.data(),
                       n, factor);
        },
        {.workers = 1});
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? 0 : found[0].count;
  };
  for (const unsigned factor : {1U, 3U, 4099U}) {  // neighbours, every third, one of each page
    EXPECT_EQ(races(int(), factor), 1U << 17) << factor;
    EXPECT_EQ(races(uint2(), factor), 1U << 17) << factor;
    EXPECT_EQ(races(int4(), factor), 1U << 17) << factor;
  }
}

__global__ void odd(const char* in, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(in + 2 + 4 * threadIdx.x);
}

TEST(findings, misaligned) {
  const device_array<char> in(256);
  const device_array<int> out(32);
  const auto found =
      found_by([&] { simt::launch({.grid = 1, .block = 32}, odd, in.data(), out.data()); });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, simt::finding_kind::misaligned);
  EXPECT_EQ(found[0].count, 32U);
}

__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

TEST(findings, fresh_memory) {
  auto* const fresh = static_cast<int*>(simt::allocate(4096));
  auto* const next = static_cast<int*>(simt::allocate(4096));
  const device_array<int> out(32);
  const auto run = [&](const int* from, int* to) {
    return found_by([&] { simt::launch({.grid = 1, .block = 32}, copy, from, to); });
  };
  EXPECT_THAT(run(out.data(), next), IsEmpty());
  EXPECT_THAT(run(next, out.data()), IsEmpty()) << "written by a kernel";
  const auto found = run(fresh, out.data());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, simt::finding_kind::unwritten);
  std::fill_n(fresh, 1024, 0);
  EXPECT_THAT(run(fresh, out.data()), IsEmpty()) << "written by the host";
  simt::free(fresh);
  simt::free(next);
}

__global__ void histogram(unsigned* bins) {
  auto* const s = detail::dynamic_shared<unsigned>();
  if (threadIdx.x < 8) s[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&s[threadIdx.x % 8], 1U);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

TEST(findings, atomics_do_not_race_with_atomics) {
  const device_array<unsigned> bins(8);
  EXPECT_THAT(found_by([&] {
                simt::launch({.grid = 40, .block = 256, .shared_bytes = 32}, histogram,
                             bins.data());
              }),
              IsEmpty());
  EXPECT_EQ(bins[3], 40U * 32);
}

__global__ void adds_nothing(unsigned* sum, unsigned* out) {
  atomicAdd(sum, 1U);
  out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(sum, 0U);
}

TEST(findings, an_atomic_that_adds_nothing_is_one) {
  const device_array<unsigned> sum(1), out(64);
  const auto launch = [&] {
    simt::launch({.grid = 2, .block = 32}, adds_nothing, sum.data(), out.data());
  };
  EXPECT_THAT(found_by(launch), IsEmpty());
  EXPECT_EQ(counted(launch).global_load.requests, 0U);
}

template <bool Fence>
__global__ void last_block(int* partials, unsigned* ticket, int* out) {
  auto& is_last = detail::shared_storage<bool>();
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = 1;
    if constexpr (Fence) __threadfence();
    is_last = atomicAdd(ticket, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  if (threadIdx.x < gridDim.x) atomicAdd(out, partials[threadIdx.x]);
  if (threadIdx.x == 0) *ticket = 0;
}

TEST(findings, between_blocks_without_a_fence) {
  const device_array<int> partials(40), out(1);
  const device_array<unsigned> ticket(1);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto run = [&](auto* kernel) {
      return found_by(
          [&] {
            simt::launch({.grid = 40, .block = 64}, kernel, partials.data(), ticket.data(),
                         out.data());
          },
          {.seed = seed});
    };
    EXPECT_THAT(run(last_block<true>), IsEmpty()) << seed;
    const auto found = run(last_block<false>);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].kind, simt::finding_kind::race_between_blocks);
  }
  EXPECT_EQ(out[0], 40 * 8);
}

/// Block 0 puts `total` back to zero, to which another has added. It has met that one at another
/// word only, and without a fence.
__global__ void clears_too_early(unsigned* met, unsigned* total) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    while (atomicAdd(met, 0U) < 1) {
    }
    *total = 0;
  } else {
    atomicAdd(total, 1U);
    atomicAdd(met, 1U);
  }
}

/// It has added to the word itself, but the other came after it; and no fence tells it so.
__global__ void clears_after_its_own(unsigned* met, unsigned* total) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    atomicAdd(total, 1U);
    atomicAdd(met, 1U);
    while (atomicAdd(met, 0U) < 2) {
    }
    *total = 0;
  } else {
    while (atomicAdd(met, 0U) < 1) {
    }
    atomicAdd(total, 1U);
    atomicAdd(met, 1U);
  }
}

TEST(findings, a_store_that_others_atomics_may_follow) {
  const device_array<unsigned> met(1), total(1);
  for (auto* const kernel : {&clears_too_early, &clears_after_its_own}) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      met[0] = total[0] = 0;
      const auto found = found_by(
          [&] { simt::launch({.grid = 2, .block = 32}, kernel, met.data(), total.data()); },
          {.seed = seed});
      ASSERT_FALSE(found.empty()) << seed;
      EXPECT_EQ(found[0].kind, simt::finding_kind::race_between_blocks);
    }
  }
}

/// The last block puts the counter back to zero: a thread that drew no ticket does, after others'
/// atomics in its block.
__global__ void ticket_of_another_thread(unsigned* ticket, unsigned* total) {
  auto& is_last = detail::shared_storage<bool>();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(ticket, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  atomicAdd(&total[threadIdx.x], 1U);
  __syncthreads();
  if (is_last && threadIdx.x == 40) *ticket = 0;
}

TEST(findings, a_ticket_that_another_thread_puts_back_is_understood) {
  const device_array<unsigned> ticket(1), total(64);
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    EXPECT_THAT(found_by(
                    [&] {
                      simt::launch({.grid = 40, .block = 64}, ticket_of_another_thread,
                                   ticket.data(), total.data());
                    },
                    {.seed = seed}),
                IsEmpty())
        << seed;
    EXPECT_EQ(ticket[0], 0U);
  }
}

/// Each block waits for the one before it.
__global__ void chain(volatile int* flags, int* values) {
  const unsigned b = blockIdx.x;
  if (threadIdx.x != 0) return;
  if (b != 0) {
    while (flags[b - 1] == 0) {
    }
    __threadfence();
  }
  values[b] = b == 0 ? 1 : values[b - 1] + 1;
  __threadfence();
  flags[b] = 1;
}

TEST(findings, a_flag_after_a_fence_is_understood) {
  const device_array<int> flags(50), values(50);
  EXPECT_THAT(found_by([&] {
                simt::launch({.grid = 50, .block = 32}, chain,
                             static_cast<volatile int*>(flags.data()), values.data());
              }),
              IsEmpty());
  EXPECT_EQ(values[49], 50);
}

template <bool Release>
__global__ void chain_of_words(unsigned* words, int* values) {
  const unsigned b = blockIdx.x;
  if (threadIdx.x != 0) return;
  if (b != 0) {
    do {
      simt::detail::note_word(&words[b - 1], false);
    } while (__atomic_load_n(&words[b - 1], __ATOMIC_ACQUIRE) == 0);
  }
  values[b] = b == 0 ? 1 : values[b - 1] + 1;
  simt::detail::note_word(&words[b], Release);
  __atomic_store_n(&words[b], 1U, __ATOMIC_RELEASE);
}

TEST(findings, words_that_release_and_acquire_are_understood) {
  const device_array<unsigned> words(50), silent(50);
  const device_array<int> values(50);
  const simt::launch_config config{.grid = 50, .block = 32};
  EXPECT_THAT(
      found_by([&] { simt::launch(config, chain_of_words<true>, words.data(), values.data()); }),
      IsEmpty());
  EXPECT_FALSE(found_by([&] {
                 simt::launch(config, chain_of_words<false>, silent.data(), values.data());
               }).empty());
}

}  // namespace warpfold::tests::findings
