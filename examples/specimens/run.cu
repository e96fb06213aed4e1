// specimens NAME broken|mended: runs one specimen on the GPU, under another tool.
// specimens: lists their names.
#include <cstdio>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

#include "examples/specimens/specimens.hpp"

namespace {

using namespace warpfold::specimens;

int fail(const char* what, cudaError_t status) {
  std::fprintf(stderr, "specimens: %s: %s\n", what, cudaGetErrorString(status));
  return 3;
}

int run(const specimen& s, bool mended) {
  buffers b{nullptr, nullptr, nullptr, values};
  const std::vector<int> ones(values, 1);
  const std::size_t bytes = values * sizeof(int);
  cudaError_t status = cudaMalloc(&b.out, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&b.scratch, 1024 * sizeof(unsigned));
  if (status == cudaSuccess) status = cudaMalloc(&b.in, bytes);  // last: nothing lies behind it
  if (status == cudaSuccess) status = cudaMemset(b.scratch, 0, 1024 * sizeof(unsigned));
  if (status == cudaSuccess) status = cudaMemcpy(b.in, ones.data(), bytes, cudaMemcpyHostToDevice);
  if (status != cudaSuccess) return fail("preparing", status);
  s.run(mended, b);
  status = cudaDeviceSynchronize();
  return status == cudaSuccess ? 0 : fail("running", status);
}

}  // namespace

int main(int argc, char** argv) {
  for (const specimen& s : all()) {
    if (argc == 1) std::printf("%.*s\n", static_cast<int>(s.name.size()), s.name.data());
    if (argc != 3 || s.name != argv[1]) continue;
    const std::string_view twin = argv[2];
    if (twin == "broken" || twin == "mended") return run(s, twin == "mended");
  }
  if (argc == 1) return 0;
  std::fprintf(stderr, "usage: specimens [NAME broken|mended]\n");
  return 2;
}
