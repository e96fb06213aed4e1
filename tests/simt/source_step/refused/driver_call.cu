// refused: 'cuMemCreate' is unavailable: not on the CPU machine
#include <cuda.h>
CUresult run(CUmemGenericAllocationHandle* memory) {
  return cuMemCreate(memory, 65536, nullptr, 0);
}
