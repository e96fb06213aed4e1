// One call, as a user writes it: what it costs to compile (bench/building/measure.py).
#include <cub/device/device_radix_sort.cuh>

cudaError_t in_order(const unsigned* keys, std::size_t n, unsigned* out, cudaStream_t stream,
                     void* memory, std::size_t bytes) {
  return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, out, n, 0, 32, stream);
}
