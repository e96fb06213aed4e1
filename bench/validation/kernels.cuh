// Kernels that are nothing like a reduction: what predictions of time are held against beside the
// ladders. Plain CUDA, for a device and for the CPU machine.
#pragma once

#include <cstdint>

namespace warpfold::validation {

__device__ inline unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void saxpy(float a, const float* x, float* y, unsigned n) {
  const unsigned i = thread_number();
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void copy_strided(const float* in, float* out, unsigned n, unsigned stride) {
  const unsigned i = thread_number();
  if (i < n) out[i] = in[static_cast<std::size_t>(i) * stride % n];
}

__global__ void transpose_naive(const float* in, float* out, unsigned width) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                 y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}

__global__ void transpose_tiled(const float* in, float* out, unsigned width) {
  __shared__ float tile[32][33];
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (unsigned k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
  __syncthreads();
  const unsigned u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (unsigned k = 0; k < 32; k += 8)
    out[(v + k) * width + u] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void multiply_naive(const float* a, const float* b, float* c, unsigned n) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                 y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__global__ void multiply_tiled(const float* a, const float* b, float* c, unsigned n) {
  __shared__ float of_a[16][16], of_b[16][16];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (unsigned t = 0; t < n; t += 16) {
    of_a[ty][tx] = a[y * n + t + tx];
    of_b[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) sum += of_a[ty][k] * of_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

__global__ void stencil_5(const float* in, float* out, unsigned width, unsigned height) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x + 1 >= width || y + 1 >= height) return;
  const unsigned i = y * width + x;
  out[i] = 0.2F * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void stencil_shared(const float* in, float* out, unsigned n) {
  __shared__ float s[256 + 16];
  const unsigned i = thread_number(), t = threadIdx.x;
  s[t + 8] = in[i];
  if (t < 8) {
    s[t] = i >= 8 ? in[i - 8] : 0;
    s[t + 264] = i + 256 < n ? in[i + 256] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (unsigned k = 0; k <= 16; ++k) sum += s[t + k];
  out[i] = sum / 17;
}

/// A thread for each row.
__global__ void spmv_rows(const unsigned* begin, const unsigned* column, const float* value,
                          const float* x, float* y, unsigned rows) {
  const unsigned r = thread_number();
  if (r >= rows) return;
  float sum = 0;
  for (unsigned k = begin[r]; k < begin[r + 1]; ++k) sum += value[k] * x[column[k]];
  y[r] = sum;
}

__global__ void gather(const unsigned* index, const float* in, float* out, unsigned n) {
  const unsigned i = thread_number();
  if (i < n) out[i] = in[index[i]];
}

__global__ void scatter(const unsigned* index, const float* in, float* out, unsigned n) {
  const unsigned i = thread_number();
  if (i < n) out[index[i]] = in[i];
}

__global__ void histogram_shared(const unsigned* in, unsigned* bins, unsigned n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = thread_number(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i] % 256], 1U);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void histogram_global(const unsigned* in, unsigned* bins, unsigned n) {
  for (unsigned i = thread_number(); i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] % 4096], 1U);
}

__global__ void attract(const float4* bodies, float4* force, unsigned n) {
  __shared__ float4 tile[256];
  const float4 me = bodies[thread_number()];
  float fx = 0, fy = 0, fz = 0;
  for (unsigned t = 0; t < n; t += 256) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 256; ++k) {
      const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01F);
      const float f = tile[k].w * r * r * r;
      fx += f * dx;
      fy += f * dy;
      fz += f * dz;
    }
    __syncthreads();
  }
  force[thread_number()] = make_float4(fx, fy, fz, 0);
}

__global__ void price_options(const float* price, const float* strike, float* call, unsigned n) {
  const unsigned i = thread_number();
  if (i >= n) return;
  const float s = price[i] + 20, k = strike[i] + 20, t = 0.5F, r = 0.02F, v = 0.3F;
  const float root = sqrtf(t);
  const float d1 = (logf(s / k) + (r + 0.5F * v * v) * t) / (v * root), d2 = d1 - v * root;
  const float n1 = 1 / (1 + expf(-1.702F * d1)), n2 = 1 / (1 + expf(-1.702F * d2));
  call[i] = s * n1 - k * expf(-r * t) * n2;
}

/// Neighbours take different numbers of iterations.
__global__ void mandelbrot(unsigned* out, unsigned width, unsigned most) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                 y = blockIdx.y * blockDim.y + threadIdx.y;
  const float cx = -2 + 3.0F * static_cast<float>(x) / static_cast<float>(width);
  const float cy = -1.5F + 3.0F * static_cast<float>(y) / static_cast<float>(width);
  float zx = 0, zy = 0;
  unsigned k = 0;
  while (k < most && zx * zx + zy * zy < 4) {
    const float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
    ++k;
  }
  out[y * width + x] = k;
}

__global__ void polynomial_f64(const double* x, double* y, unsigned n) {
  const unsigned i = thread_number();
  if (i >= n) return;
  const double v = x[i];
  double sum = 0;
  for (int k = 0; k < 64; ++k) sum = sum * v + 1.0 / 3;
  y[i] = sum;
}

/// Each thread follows a way of its own through memory.
__global__ void chase(const unsigned* next, unsigned* out, unsigned hops) {
  unsigned at = thread_number();
  for (unsigned k = 0; k < hops; ++k) at = next[at];
  out[thread_number()] = at;
}

/// Bank conflicts and integer divisions.
__global__ void shuffle_digits(const unsigned* in, unsigned* out, unsigned divisor) {
  __shared__ unsigned s[1024];
  const unsigned t = threadIdx.x, i = thread_number();
  s[t * 8 % 1024 + t / 128] = in[i];
  __syncthreads();
  unsigned v = s[t];
  for (int k = 0; k < 8; ++k) v = v / divisor + s[(t + v % divisor) % 1024];
  out[i] = v;
}

}  // namespace warpfold::validation
