// What the device's functions give: one line of CSV for each, with a hash of all its results.
//
//   nvcc -std=c++20 -arch=sm_90 -o functions_probe functions_probe.cu
//   ./functions_probe > functions_h200.csv       # all of them
//   ./functions_probe --sweep > …                # of those of one float, all 2^32 arguments
//   ./functions_probe --values NAME > file       # what one gives: operands and result, in hex
//
// A function that is not rounded correctly has no hash, but how far it is from the exact result, as
// a part of what CUDA's documentation allows: 1.5 is too far, by half.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "functions/approximate.cuh"

namespace probe {

void check(cudaError_t e, const std::string& what) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "functions_probe: %s: %s\n", what.c_str(), cudaGetErrorString(e));
  std::exit(5);
}

/// Operand k of call i at [k n + i]: of two every pair, of more all of the first two and some of
/// the others, which are alike for a warp.
std::vector<word> operands_of(const function& f, unsigned& n) {
  if (f.count == 1) {
    const bool all = f.bits <= 16;
    n = f.bits <= 16 ? 1U << f.bits : f.run_all != nullptr ? 1U << 16 : values_of_one_operand;
    auto list = f.lists(n)[0];
    for (unsigned i = 0; i < n && all; ++i) list[i] = i;
    for (unsigned i = values_of_a_type; i < n && f.run_all != nullptr; ++i) {
      list[i] = i * 0x9e3779b1U;
    }
    return list;
  }
  const auto lists = f.lists(values_of_a_type);
  constexpr unsigned v = values_of_a_type;
  n = v * v * (f.count == 2 ? 1 : 8);
  std::vector<word> in(f.count * n);
  for (unsigned i = 0; i < n; ++i) {
    const unsigned a = i % v, b = i / v % v, turn = i / (v * v);
    const unsigned at[] = {a, b, (b * 29 + turn * 7) % v, (b * 37 + turn * 11) % v};
    for (std::size_t k = 0; k < f.count; ++k) in[k * n + i] = lists[k][at[k]];
  }
  return in;
}

std::vector<word> results_of(const function& f, const std::vector<word>& in, unsigned n) {
  word *from = nullptr, *to = nullptr;
  std::vector<word> out(n);
  check(cudaMalloc(&from, in.size() * sizeof(word)), f.name);
  check(cudaMalloc(&to, n * sizeof(word)), f.name);
  check(cudaMemcpy(from, in.data(), in.size() * sizeof(word), cudaMemcpyDefault), f.name);
  f.run(from, to, n);
  check(cudaGetLastError(), f.name);
  check(cudaMemcpy(out.data(), to, n * sizeof(word), cudaMemcpyDefault), f.name);
  check(cudaFree(from), f.name);
  check(cudaFree(to), f.name);
  return out;
}

void write_values(const function& f) {
  unsigned n = 0;
  const auto in = operands_of(f, n), out = results_of(f, in, n);
  for (unsigned i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < f.count; ++k) std::printf("%llx ", in[k * n + i]);
    std::printf("%llx\n", out[i]);
  }
}

/// As a part of what is allowed. A result that is rounded correctly is never too far.
real distance(const nearness& f, real exact, real most, const number& result) {
  const real past = std::ldexp(1.0L, result.highest_exponent + 1), v = result.value;
  if (most < 0) return 0;
  if (std::isnan(exact) || std::isnan(v)) return std::isnan(exact) && std::isnan(v) ? 0 : INFINITY;
  if (v == exact) return 0;
  const real cut = std::clamp(exact, -past, past), got = std::clamp(v, -past, past);
  const int exponent =
      cut == 0 ? result.lowest_exponent
               : std::clamp(std::ilogb(cut), result.lowest_exponent, result.highest_exponent);
  const real ulp = std::ldexp(1.0L, exponent - result.mantissa_bits);
  const real beyond = std::max(std::fabs(got - cut) - ulp / 2, 0.0L);  // of a correct rounding
  return beyond / (f.in == unit::ulp        ? most * ulp
                   : f.in == unit::absolute ? most
                                            : most * std::fabs(cut));
}

/// The farthest of all results, and where.
void write_nearness(const function& f, const std::vector<word>& in, const std::vector<word>& out) {
  const auto n = static_cast<unsigned>(out.size());
  real worst = 0;
  unsigned at = 0;
  for (unsigned i = 0; i < n; ++i) {
    real v[4] = {};
    for (std::size_t k = 0; k < f.count; ++k) v[k] = f.near.operands[k](in[k * n + i]).value;
    const real d = distance(f.near, f.near.exact(v[0], v[1], v[2], v[3]), f.near.most(v[0], v[1]),
                            f.near.value(out[i]));
    if (d > worst) worst = d, at = i;
  }
  std::printf("%s,%u,%.2Lf", f.name.c_str(), n, worst);
  for (std::size_t k = 0; worst > 1 && k < f.count; ++k) std::printf(" %llx", in[k * n + at]);
  std::puts("");
}

void write_line(const function& f) {
  unsigned n = 0;
  const auto in = operands_of(f, n), out = results_of(f, in, n);
  if (f.near.exact != nullptr) return write_nearness(f, in, out);
  word hash = 0;
  for (unsigned i = 0; i < n; ++i) hash += hashed(out[i], i);
  std::printf("%s,%u,%016llx\n", f.name.c_str(), n, hash);
}

void write_sweep(const function& f) {
  word *sum = nullptr, hash = 0;
  check(cudaMalloc(&sum, sizeof(word)), f.name);
  check(cudaMemset(sum, 0, sizeof(word)), f.name);
  f.run_all(sum);
  check(cudaMemcpy(&hash, sum, sizeof(word), cudaMemcpyDefault), f.name);
  check(cudaFree(sum), f.name);
  std::printf("%s,%llu,%016llx\n", f.name.c_str(), 1ULL << 32, hash);
}

}  // namespace probe

int main(int argc, char** argv) {
  using namespace probe;
  const bool sweeps = argc == 2 && std::strcmp(argv[1], "--sweep") == 0;
  if (argc != 1 && !sweeps && (argc != 3 || std::strcmp(argv[1], "--values") != 0)) {
    std::fprintf(stderr, "functions_probe [--sweep | --values NAME]\n");
    return 2;
  }
  std::puts("function,operands,results");
  for (const function& f : table()) {
    if (argc == 3 && f.name == argv[2]) return write_values(f), 0;
    if (argc == 1) write_line(f);
    if (sweeps && f.run_all != nullptr) write_sweep(f);
  }
  if (argc == 3) std::fprintf(stderr, "functions_probe: no function %s\n", argv[2]);
  return argc == 3 ? 2 : 0;
}
