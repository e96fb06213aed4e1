#error "curand_kernel.h is not there on the CPU machine: draw numbers on the host, or with a generator of your own"
