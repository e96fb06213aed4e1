// A user-defined type and operator. Composing x -> a x + b is associative but not commutative: the
// operator is not declared commutative, so the library keeps the order of the values.
#include <cstdio>
#include <span>
#include <vector>

#include <cuda_runtime.h>
#include <warpfold/reduce.hpp>

struct line {
  unsigned a, b;
};
struct then {  // first f, then g
  __host__ __device__ line operator()(const line& f, const line& g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
};

int main() {
  std::vector<line> lines;
  for (unsigned i = 0; i < 100'000; ++i) lines.push_back({2 * i + 1, i});
  line* there = nullptr;
  if (cudaMalloc(&there, lines.size() * sizeof(line)) != cudaSuccess) return 1;
  cudaMemcpy(there, lines.data(), lines.size() * sizeof(line), cudaMemcpyHostToDevice);

  const line nothing{1, 0};
  const line all = warpfold::reduce(warpfold::device, std::span<const line>(there, lines.size()),
                                    nothing, warpfold::with_identity(then{}, nothing));

  line expected = nothing;
  for (const line& l : lines) expected = then{}(expected, l);
  std::printf("x -> %u x + %u\n", all.a, all.b);
  cudaFree(there);
  return all.a == expected.a && all.b == expected.b ? 0 : 1;
}
