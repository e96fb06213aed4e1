#error "cuda.h is not there on the CPU machine: take the runtime's functions, of cuda_runtime.h"
