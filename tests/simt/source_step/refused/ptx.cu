// refused: inline PTX: "wgmma.fence.sync.aligned" is not supported by the CPU machine
__global__ void k(unsigned* out) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  *out = 1;
}
