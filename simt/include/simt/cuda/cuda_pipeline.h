#error "cuda_pipeline.h is not there on the CPU machine: copy with plain loads and stores, then __syncthreads"
