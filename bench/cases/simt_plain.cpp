// Kernels that nobody watches beside watched ones, beside the same loops with OpenMP, and beside
// the same kernels in OpenCL on POCL; each peer where it is installed. Values are small whole
// numbers, so that every order and every fusion gives the same result.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases/plain_kernels.hpp"
#include "bench/cases/rung_12.hpp"
#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"
#include "bench/peers/loops.hpp"
#include "simt/memory.hpp"
#ifdef WARPFOLD_BENCH_OPENCL
#include "bench/peers/opencl.hpp"
#endif

namespace warpfold::bench {
namespace {

constexpr std::size_t n = std::size_t{1} << 24, side = std::size_t{1} << 12, product_side = 512;

/// Device memory.
template <class T>
class values {
 public:
  explicit values(std::size_t count)
      : count_(count), at_(static_cast<T*>(simt::allocate(count * sizeof(T)))) {}
  values(const values&) = delete;
  values& operator=(const values&) = delete;
  ~values() { simt::free(at_); }

  [[nodiscard]] T* get() const { return at_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  void count_up(std::size_t modulus) {
    for (std::size_t i = 0; i < count_; ++i) at_[i] = static_cast<T>(i % modulus);
  }
  void poison() { std::memset(at_, 0xA5, bytes()); }
  [[nodiscard]] std::vector<T> all() const { return {at_, at_ + count_}; }
  [[nodiscard]] bool equals(const std::vector<T>& other) const {
    return std::memcmp(at_, other.data(), bytes()) == 0;
  }

 private:
  std::size_t count_;
  T* at_;
};

measure::measurement record(const std::string& what, const std::string& who, std::size_t count,
                            std::size_t bytes) {
  measure::measurement m{.ladder = "simt-plain", .name = who, .n = count};
  m.reference = true;
  m.type = "f32", m.op = what, m.useful_bytes = bytes;
  return m;
}

using call = std::function<void()>;

/// One kernel, on both engines and as its peers have it.
class contest {
 public:
  contest(std::string what, std::size_t count, std::size_t bytes)
      : what_(std::move(what)), count_(count), bytes_(bytes) {}

  void add(const std::string& who, const call& run) {
    all_.push_back({record(what_, who, count_, bytes_), [run](std::size_t) { run(); }});
  }
  void add_kernel(const call& launch) {
    add("plain", [launch] {
      const simt::observe scope({});
      launch();
    });
    add("watched", [launch] {
      const simt::observe scope({.watched = true});
      launch();
    });
  }
  /// Every result of every candidate is checked.
  void run(session& s, unsigned samples, const call& renew, const std::function<bool()>& is_right) {
    const slots memory{.renew = renew, .check = [&](std::size_t, std::size_t) {
                         return one_result(is_right(), "it differs from the loop's");
                       }};
    s.add(time_on_host(s.samples(samples), memory, all_));
  }

 private:
  std::string what_;
  std::size_t count_, bytes_;
  std::vector<candidate> all_;
};

#ifdef WARPFOLD_BENCH_OPENCL
opencl_device& pocl() {
  static opencl_device device;
  return device;
}
#endif

void add_pocl([[maybe_unused]] contest& to, [[maybe_unused]] const char* kernel,
              [[maybe_unused]] std::array<const void*, 3> memory,
              [[maybe_unused]] std::array<std::size_t, 3> bytes,
              [[maybe_unused]] std::uint32_t last,
              [[maybe_unused]] std::array<std::size_t, 2> threads,
              [[maybe_unused]] std::array<std::size_t, 2> group) {
#ifdef WARPFOLD_BENCH_OPENCL
  if (!pocl().name().empty()) {
    to.add("POCL", [=] { pocl().run(kernel, memory, bytes, last, threads, group); });
    return;
  }
#endif
  std::fprintf(stderr, "skipped: POCL (Debian: pocl-opencl-icd, ocl-icd-opencl-dev)\n");
}

void add_openmp(contest& to, const call& loop) {
  if (loops::has_openmp()) {
    to.add("OpenMP", loop);
  } else {
    std::fprintf(stderr, "skipped: OpenMP (Debian: libomp-dev)\n");
  }
}

void without_barriers(session& s) {
  values<float> x(n), y(n), z(n);
  x.count_up(101);
  y.count_up(97);
  const auto ys = y.all();
  std::vector<float> right(n);

  for (std::size_t i = 0; i < n; ++i) right[i] = x.get()[i] + ys[i];
  contest add("vector add", n, 12 * n);
  add.add_kernel([&] { launch_vector_add(x.get(), y.get(), z.get(), n); });
  add_openmp(add, [&] { loops::vector_add(x.get(), y.get(), z.get(), n); });
  add.run(
      s, 9, [&] { z.poison(); }, [&] { return z.equals(right); });

  for (std::size_t i = 0; i < n; ++i) right[i] = 3 * x.get()[i] + ys[i];
  contest saxpy("SAXPY", n, 12 * n);
  saxpy.add_kernel([&] { launch_saxpy(3, x.get(), y.get(), n); });
  add_openmp(saxpy, [&] { loops::saxpy(3, x.get(), y.get(), n); });
  saxpy.run(
      s, 9, [&] { std::memcpy(y.get(), ys.data(), y.bytes()); }, [&] { return y.equals(right); });

  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = i / side, column = i % side;
    const bool rim = row == 0 || column == 0 || row == side - 1 || column == side - 1;
    const float* const at = x.get() + i;
    right[i] = rim ? *at : 0.2F * (at[0] + at[-1] + at[1] + *(at - side) + at[side]);
  }
  contest stencil("stencil of 5 points", n, 8 * n);
  stencil.add_kernel([&] { launch_stencil(x.get(), z.get(), side); });
  add_openmp(stencil, [&] { loops::stencil(x.get(), z.get(), side); });
  stencil.run(
      s, 9, [&] { z.poison(); }, [&] { return z.equals(right); });
}

void with_barriers(session& s) {
  constexpr std::size_t wide = product_side, count = wide * wide;
  values<float> a(count), b(count), c(count);
  a.count_up(11);
  b.count_up(13);
  std::vector<float> right(count);
  for (std::size_t row = 0; row < wide; ++row) {
    for (std::size_t k = 0; k < wide; ++k) {
      for (std::size_t i = 0; i < wide; ++i) {
        right[row * wide + i] += a.get()[row * wide + k] * b.get()[k * wide + i];
      }
    }
  }
  contest product("tiled product", count, 12 * count);
  product.add_kernel([&] { launch_product(a.get(), b.get(), c.get(), wide); });
  add_pocl(product, "product", {a.get(), b.get(), c.get()}, {a.bytes(), b.bytes(), c.bytes()}, wide,
           {wide, wide}, {product_tile, product_tile});
  product.run(
      s, 5, [&] { c.poison(); }, [&] { return c.equals(right); });

  values<std::uint32_t> in(n), sums(n / sum_block);
  in.count_up(1009);
  std::vector<std::uint32_t> right_sums(n / sum_block);
  for (std::size_t i = 0; i < n; ++i) right_sums[i / sum_block] += in.get()[i];
  contest reduction("block sums", n, 4 * n);
  reduction.add_kernel([&] { launch_block_sums(in.get(), sums.get(), n); });
  add_pocl(reduction, "block_sums", {in.get(), sums.get(), nullptr}, {in.bytes(), sums.bytes(), 0},
           n, {n, 0}, {sum_block, 0});
  reduction.run(
      s, 5, [&] { sums.poison(); }, [&] { return sums.equals(right_sums); });
}

void with_shuffles(session& s) {
  values<std::uint32_t> in(n), sums(n / 32);
  in.count_up(1009);
  std::vector<std::uint32_t> right(n / 32);
  for (std::size_t i = 0; i < n; ++i) right[i / 32] += in.get()[i];
  contest shuffles("warp sums by shuffles", n, 4 * n);
  shuffles.add_kernel([&] { launch_warp_sums(in.get(), sums.get(), n); });
  shuffles.run(
      s, 3, [&] { sums.poison(); }, [&] { return sums.equals(right); });
}

/// So many that the clock's own time is nothing.
void launches(session& s) {
  constexpr std::size_t count = 1000;
  contest empty("1000 empty launches", count, 0);
  empty.add_kernel([] {
    for (std::size_t i = 0; i < count; ++i) launch_nothing();
  });
  empty.run(
      s, 9, [] {}, [] { return true; });
}

void ladder(session& s) {
  rung_12 many(n, 256), few(std::size_t{1} << 20, 256);
  s.add(time_on_host(
      s.samples(3), {},
      std::vector{many.observed("plain", {}), many.observed("watched", {.watched = true})}));
  s.add(time_on_host(
      s.samples(5), {},
      std::vector{few.observed("counters", {.count = true}),
                  few.observed("counters and checks", {.count = true, .check = true})}));
}

void run_all(session& s) {
  launches(s);
  without_barriers(s);
  with_barriers(s);
  with_shuffles(s);
  ladder(s);
}

}  // namespace

const bench_program program{"simt_plain", "", "", run_all, nullptr, host_run_info};

}  // namespace warpfold::bench
