// refused: cuda_fp16.h is not there on the CPU machine
#include <cuda_fp16.h>
