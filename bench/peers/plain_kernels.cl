// The tiled product and the block sums of bench/cases/plain_kernels.cu in OpenCL.
#define TILE 16
#define BLOCK 256

kernel void product(global const float* a, global const float* b, global float* c, uint side) {
  local float tile_a[TILE][TILE], tile_b[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (uint k = 0; k < side; k += TILE) {
    tile_a[y][x] = a[row * side + k + x];
    tile_b[y][x] = b[(k + y) * side + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * side + column] = sum;
}

kernel void block_sums(global const uint* in, global uint* sums, uint n) {
  local uint partial[BLOCK];
  const uint t = get_local_id(0), i = get_global_id(0);
  partial[t] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = BLOCK / 2; d != 0; d /= 2) {
    if (t < d) partial[t] += partial[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) sums[get_group_id(0)] = partial[0];
}
