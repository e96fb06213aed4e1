// refused: 'cudaLibraryLoadFromFile' is unavailable: not on the CPU machine: there is no code
#include <cuda_runtime.h>
void* of(const char* file) {
  void* library = nullptr;
  cudaLibraryLoadFromFile(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0);
  return library;
}
