// Textures and surfaces, by object and by reference.
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

texture<float, 1> line_of_old;
texture<uchar4, 2, cudaReadModeNormalizedFloat> plane_of_old;

__global__ void at_points(cudaTextureObject_t t, const float* x, float* out) {
  out[threadIdx.x] = tex2D<float>(t, x[threadIdx.x], 0.5F);
}
__global__ void at_points_and_levels(cudaTextureObject_t t, const float* level, float* out) {
  out[threadIdx.x] = tex2DLod<float>(t, 0.5F, 0.5F, level[threadIdx.x]);
}
__global__ void at_gradients(cudaTextureObject_t t, const float* step, float* out) {
  out[threadIdx.x] = tex2DGrad<float>(t, 0.5F, 0.5F, make_float2(step[threadIdx.x], 0),
                                      make_float2(0, step[threadIdx.x] / 2));
}
__global__ void faces_of_a_surface(cudaSurfaceObject_t s, float* out) {
  surfCubemapwrite(1.F + static_cast<float>(threadIdx.x), s, 4, 1, static_cast<int>(threadIdx.x));
  out[threadIdx.x] = surfCubemapread<float>(s, 4, 1, static_cast<int>(threadIdx.x));
}
__global__ void in_layers(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(t, 1.5F, 0.5F, static_cast<int>(threadIdx.x));
}
__global__ void on_faces(cudaTextureObject_t t, float* out) {
  out[0] = texCubemap<float>(t, 1, 0, 0);
  out[1] = texCubemap<float>(t, -1, 0, 0);
  out[2] = texCubemap<float>(t, 0, 1, 0);
  out[3] = texCubemap<float>(t, 0, -1, 0);
  out[4] = texCubemap<float>(t, 0, 0, 1);
  out[5] = texCubemap<float>(t, 0, 0, -1);
}
__global__ void elements_of_old(float* out) {
  out[threadIdx.x] = tex1Dfetch(line_of_old, static_cast<int>(threadIdx.x) - 1);
}
__global__ void colours_of_old(float4* out) { *out = tex2D(plane_of_old, 0, 0); }
__global__ void gathers(cudaTextureObject_t t, float4* out) {
  *out = tex2Dgather<float4>(t, 1, 1, 0);
}
__global__ void writes_surface(cudaSurfaceObject_t s, int shift, cudaSurfaceBoundaryMode mode) {
  const int x = static_cast<int>(threadIdx.x) + shift;
  surf2Dwrite(static_cast<float>(threadIdx.x), s, x * 4, 1, mode);
}

struct textures : testing::Test {
  void TearDown() override { cudaDeviceReset(); }

  template <class T>
  static T* device(std::size_t n) {
    T* p = nullptr;
    EXPECT_EQ(cudaMallocManaged(&p, n * sizeof(T)), cudaSuccess);
    return p;
  }
  static cudaArray_t array(std::size_t width, std::size_t height,
                           const std::vector<float>& values) {
    const auto format = cudaCreateChannelDesc<float>();
    cudaArray_t a = nullptr;
    EXPECT_EQ(cudaMallocArray(&a, &format, width, height), cudaSuccess);
    EXPECT_EQ(cudaMemcpy2DToArray(a, 0, 0, values.data(), width * 4, width * 4, height,
                                  cudaMemcpyHostToDevice),
              cudaSuccess);
    return a;
  }
  static cudaTextureObject_t of(cudaArray_t a, const cudaTextureDesc& how) {
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureObject_t t = 0;
    EXPECT_EQ(cudaCreateTextureObject(&t, &r, &how, nullptr), cudaSuccess);
    return t;
  }
  static cudaTextureDesc described(cudaTextureAddressMode address, bool linear, bool normalized) {
    cudaTextureDesc how{};
    for (auto& a : how.addressMode) a = address;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.normalizedCoords = normalized ? 1 : 0;
    return how;
  }
  static std::vector<float> read(cudaTextureObject_t t, const std::vector<float>& x) {
    auto *const in = device<float>(x.size()), *const out = device<float>(x.size());
    std::copy(x.begin(), x.end(), in);
    at_points<<<1, static_cast<unsigned>(x.size())>>>(t, in, out);
    cudaDeviceSynchronize();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return {out, out + x.size()};
  }
};

TEST_F(textures, address_modes_say_what_is_outside) {
  cudaArray_t const a = array(4, 1, {10, 11, 12, 13});
  EXPECT_THAT(read(of(a, described(cudaAddressModeClamp, false, false)), {-1, 0.9F, 3, 7}),
              ElementsAre(10, 10, 13, 13));
  auto border = described(cudaAddressModeBorder, false, false);
  border.borderColor[0] = 5;
  EXPECT_THAT(read(of(a, border), {-0.1F, 0, 3.9F, 4}), ElementsAre(5, 10, 13, 5));
  EXPECT_THAT(read(of(a, described(cudaAddressModeWrap, false, true)), {-0.125F, 0.125F, 1.125F}),
              ElementsAre(13, 10, 10));
  EXPECT_THAT(read(of(a, described(cudaAddressModeMirror, false, true)), {-0.125F, 1.125F, 1.375F}),
              ElementsAre(10, 13, 12));
  // Without normalized coordinates there is no wrapping.
  EXPECT_THAT(read(of(a, described(cudaAddressModeWrap, false, false)), {5}), ElementsAre(13));
}

TEST_F(textures, weights_of_a_linear_filter_have_eight_bits_of_fraction) {
  const auto t = of(array(2, 1, {0, 256}), described(cudaAddressModeClamp, true, false));
  EXPECT_THAT(read(t, {0.5F, 1, 1.5F, 0.5F + 1 / 256.F, 0.5F + 1.4F / 256, 0.5F + 1.6F / 256}),
              ElementsAre(0, 128, 256, 1, 1, 2));
}

TEST_F(textures, refuse_what_the_device_can_not_filter) {
  const auto format = cudaCreateChannelDesc<int>();
  cudaArray_t a = nullptr;
  ASSERT_EQ(cudaMallocArray(&a, &format, 4, 4), cudaSuccess);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureDesc how = described(cudaAddressModeClamp, true, false);
  cudaTextureObject_t t = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaCreateTextureObject(&t, &r, &how, nullptr), cudaErrorInvalidFilterSetting);
  how.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(cudaCreateTextureObject(&t, &r, &how, nullptr), cudaErrorInvalidFilterSetting);
  how.filterMode = cudaFilterModePoint;
  EXPECT_EQ(cudaCreateTextureObject(&t, &r, &how, nullptr), cudaErrorInvalidNormSetting);
  testing::internal::GetCapturedStderr();
}

TEST_F(textures, layers_and_faces) {
  const auto format = cudaCreateChannelDesc<float>();
  std::vector<float> values(2 * 2 * 6);
  std::iota(values.begin(), values.end(), 0.F);
  const auto filled = [&](unsigned flags) {
    cudaArray_t a = nullptr;
    EXPECT_EQ(cudaMalloc3DArray(&a, &format, make_cudaExtent(2, 2, 6), flags), cudaSuccess);
    cudaMemcpy3DParms p{};
    p.srcPtr = make_cudaPitchedPtr(values.data(), 8, 2, 2);
    p.dstArray = a;
    p.extent = make_cudaExtent(2, 2, 6);
    p.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(cudaMemcpy3D(&p), cudaSuccess);
    return a;
  };
  auto* const out = device<float>(8);
  in_layers<<<1, 8>>>(of(filled(cudaArrayLayered), described(cudaAddressModeClamp, false, false)),
                      out);
  cudaDeviceSynchronize();
  EXPECT_THAT(std::vector<float>(out, out + 8), ElementsAre(1, 5, 9, 13, 17, 21, 21, 21));
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = filled(cudaArrayCubemap);
  cudaSurfaceObject_t surface = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&surface, &r), cudaSuccess);
  faces_of_a_surface<<<1, 6>>>(surface, out);
  cudaDeviceSynchronize();
  EXPECT_THAT(std::vector<float>(out, out + 6), ElementsAre(1, 2, 3, 4, 5, 6));
  on_faces<<<1, 1>>>(of(filled(cudaArrayCubemap), described(cudaAddressModeClamp, false, true)),
                     out);
  cudaDeviceSynchronize();
  EXPECT_THAT(std::vector<float>(out, out + 6), ElementsAre(3, 7, 11, 15, 19, 23));
}

TEST_F(textures, arrays_are_copied_to_arrays) {
  const auto format = cudaCreateChannelDesc<float>();
  cudaArray_t from = nullptr, to = nullptr;
  ASSERT_EQ(cudaMallocArray(&from, &format, 4, 3), cudaSuccess);
  ASSERT_EQ(cudaMallocArray(&to, &format, 4, 3), cudaSuccess);
  std::vector<float> there(12), back(12);
  std::iota(there.begin(), there.end(), 1.F);
  ASSERT_EQ(cudaMemcpy2DToArray(from, 0, 0, there.data(), 16, 16, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DToArray(to, 0, 0, back.data(), 16, 16, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyArrayToArray(to, 8, 0, from, 4, 1, 16), cudaSuccess) << "over ends of rows";
  ASSERT_EQ(cudaMemcpy2DArrayToArray(to, 4, 1, from, 0, 0, 8, 2), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DFromArray(back.data(), 16, to, 0, 0, 16, 3, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_THAT(back, ElementsAre(0, 0, 6, 7, 8, 1, 2, 0, 0, 5, 6, 0));
  EXPECT_EQ(cudaMemcpyArrayToArray(to, 0, 2, from, 0, 0, 20), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyArrayToArray(to, 0, 0, from, 0, 2, 20), cudaErrorInvalidValue);
  cudaGetLastError();
  cudaArrayMemoryRequirements what{};
  ASSERT_EQ(cudaArrayGetMemoryRequirements(&what, from, 0), cudaSuccess);
  EXPECT_GE(what.size, 48U);
  std::size_t elements = 0;
  ASSERT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&elements, &format, 0), cudaSuccess);
  EXPECT_GE(elements, std::size_t{1} << 27);
  cudaFreeArray(from);
  cudaFreeArray(to);
}

TEST_F(textures, levels_of_a_mipmap) {
  const auto format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmap = nullptr;
  ASSERT_EQ(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(4, 4, 0), 3), cudaSuccess);
  for (unsigned level = 0; level < 3; ++level) {
    cudaArray_t a = nullptr;
    ASSERT_EQ(cudaGetMipmappedArrayLevel(&a, mipmap, level), cudaSuccess);
    const std::vector<float> all(16, 100.F * static_cast<float>(level));
    const std::size_t n = 4U >> level;
    EXPECT_EQ(cudaMemcpyToArray(a, 0, 0, all.data(), n * n * 4, cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = mipmap;
  auto how = described(cudaAddressModeClamp, true, true);
  how.mipmapFilterMode = cudaFilterModeLinear;
  how.maxMipmapLevelClamp = 2;
  cudaTextureObject_t t = 0;
  ASSERT_EQ(cudaCreateTextureObject(&t, &r, &how, nullptr), cudaSuccess);
  auto *const in = device<float>(4), *const out = device<float>(4);
  std::copy_n(std::begin({0.F, 0.5F, 2.F, 9.F}), 4, in);
  at_points_and_levels<<<1, 4>>>(t, in, out);
  cudaDeviceSynchronize();
  EXPECT_THAT(std::vector<float>(out, out + 4), ElementsAre(0, 50, 200, 200));
  std::copy_n(std::begin({0.F, 0.25F, 0.5F, 1.F}), 4, in);  // of four elements
  at_gradients<<<1, 4>>>(t, in, out);
  cudaDeviceSynchronize();
  EXPECT_THAT(std::vector<float>(out, out + 4), ElementsAre(0, 0, 100, 200));
  EXPECT_EQ(cudaFreeMipmappedArray(mipmap), cudaSuccess);
}

TEST_F(textures, by_reference_as_old_programs_have_it) {
  auto *const in = device<float>(4), *const out = device<float>(6);
  std::iota(in, in + 4, 1.F);
  ASSERT_EQ(cudaBindTexture(nullptr, line_of_old, in, 16), cudaSuccess);
  elements_of_old<<<1, 6>>>(out);  // the first and the last are outside
  cudaDeviceSynchronize();
  EXPECT_THAT(std::vector<float>(out, out + 6), ElementsAre(0, 1, 2, 3, 4, 0));
  EXPECT_EQ(cudaUnbindTexture(line_of_old), cudaSuccess);

  auto* const pixels = device<uchar4>(1);
  *pixels = make_uchar4(255, 0, 51, 102);
  ASSERT_EQ(cudaBindTexture2D(nullptr, plane_of_old, pixels, 1, 1, 4), cudaSuccess);
  auto* const colour = device<float4>(1);
  colours_of_old<<<1, 1>>>(colour);
  cudaDeviceSynchronize();
  EXPECT_FLOAT_EQ(colour->x, 1);
  EXPECT_FLOAT_EQ(colour->y, 0);
  EXPECT_FLOAT_EQ(colour->z, 0.2F);
  EXPECT_FLOAT_EQ(colour->w, 0.4F);
}

TEST_F(textures, gather_goes_round_the_four_neighbours) {
  auto* const out = device<float4>(1);
  gathers<<<1, 1>>>(of(array(2, 2, {0, 1, 2, 3}), described(cudaAddressModeClamp, false, false)),
                    out);
  cudaDeviceSynchronize();
  EXPECT_EQ(out->x, 2);
  EXPECT_EQ(out->y, 3);
  EXPECT_EQ(out->z, 1);
  EXPECT_EQ(out->w, 0);
}

TEST_F(textures, an_unbound_one_ends_the_launch) {
  auto* const out = device<float>(1);
  const auto report = simt::inspect([&] { elements_of_old<<<1, 1>>>(out); });
  ASSERT_FALSE(report.errors().empty());
  EXPECT_THAT(report.errors().front(), HasSubstr("never bound"));
}

TEST_F(textures, surfaces_and_their_bounds) {
  cudaArray_t const a = array(4, 2, std::vector<float>(8, 9));
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaSurfaceObject_t s = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&s, &r), cudaSuccess);
  const auto row = [&] {
    std::vector<float> all(4);
    EXPECT_EQ(cudaMemcpy2DFromArray(all.data(), 16, a, 0, 1, 16, 1, cudaMemcpyDeviceToHost),
              cudaSuccess);
    return all;
  };
  writes_surface<<<1, 4>>>(s, 2, cudaBoundaryModeZero);
  cudaDeviceSynchronize();
  EXPECT_THAT(row(), ElementsAre(9, 9, 0, 1));
  writes_surface<<<1, 1>>>(s, -3, cudaBoundaryModeClamp);
  cudaDeviceSynchronize();
  EXPECT_THAT(row(), ElementsAre(0, 9, 0, 1));
  const auto report = simt::inspect([&] { writes_surface<<<1, 4>>>(s, 1, cudaBoundaryModeTrap); });
  ASSERT_FALSE(report.errors().empty());
  EXPECT_THAT(report.errors().front(), HasSubstr("accesses a surface at byte 16 of row 1"));
}

}  // namespace
