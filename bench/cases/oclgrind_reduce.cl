// Rung 12 in OpenCL: each group adds its values in a tree in local memory.
kernel void reduce(global const int* in, global int* out, local int* sums) {
  const uint tid = get_local_id(0);
  sums[tid] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
    if (tid < stride) sums[tid] += sums[tid + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0) out[get_group_id(0)] = sums[0];
}
