// Surrounds the code of docs/c.md that calls a device, which a build without CUDA refuses.
#include <vector>

#include <warpfold.h>

int main() {
  void* const stream = nullptr;
  const void* const values_on_device = &stream;
  void* const result_on_device = nullptr;
  const size_t n = wf_has_cuda() != 0 ? 0 : 1;
  // the code of the page
  return 0;
}
