// Host code of C++ that launches nothing itself.
#include <vector>

#include <cuda.h>

#include "suite.h"

void smooth_all(std::vector<float>& values) {
  std::vector<float> out(values.size());
  smooth(values.data(), out.data(), static_cast<int>(values.size()));
  int version = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDriverGetVersion(&version) != CUDA_SUCCESS) exit(1);
  values = out;
}
