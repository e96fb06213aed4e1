// refused: cuda/barrier is not there on the CPU machine
#include <cuda/barrier>
