#error "cuda_bf16.h is not there on the CPU machine: kernels here work on 4- and 8-byte floating point"
