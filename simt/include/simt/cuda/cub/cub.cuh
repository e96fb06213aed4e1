#error \
    "cub/cub.cuh is not there on the CPU machine: kernels of libraries need nvcc; give simt_add_kernels the files with your own kernels"
