// Textures and surfaces: what a kernel reads and writes through CUDA's objects and references. One
// fetch is one call of the machine: it appears in no counter and no finding but those about itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/runtime/calls.h"
#include "simt/runtime_kernels.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's
namespace simt::detail {

/// Where to look, and at what: the layer counts from 0, `level` is of a mipmap.
struct texture_place {
  float x = 0, y = 0, z = 0;
  int layer = 0;
  float level = 0;
};
enum class texture_shape : std::uint8_t { line, plane, volume, cube };

/// The four channels, as bits: of a float, or of an integer of 32 bits.
struct texel {
  std::uint32_t channel[4];
};
texel fetch(cudaTextureObject_t texture, texture_shape shape, const texture_place& at);
/// The level of a mipmap that fits such steps from one place to the next, along two axes.
float level_for(cudaTextureObject_t texture, float4 along_x, float4 along_y);
inline float4 step_of(float x) { return {x, 0, 0, 0}; }
inline float4 step_of(float2 v) { return {v.x, v.y, 0, 0}; }
inline float4 step_of(float4 v) { return {v.x, v.y, v.z, 0}; }
texel fetch_element(cudaTextureObject_t texture, long long index);
texel gather(cudaTextureObject_t texture, float x, float y, int component);
/// `x` in bytes. False: outside, and there is nothing to do.
void* surface_element(cudaSurfaceObject_t surface, int x, int y, int z, std::size_t bytes,
                      cudaSurfaceBoundaryMode mode);

template <class T, class = void>
struct channels {
  using type = T;
  static constexpr int count = 1;
};
template <class T>
struct channels<T, std::void_t<decltype(T::x)>> {
  using type = decltype(T::x);
  template <class U, class = decltype(U::w)>
  static constexpr int of(int) {
    return 4;
  }
  template <class U, class = decltype(U::z)>
  static constexpr int of(long) {
    return 3;
  }
  template <class U, class = decltype(U::y)>
  static constexpr int of(char*) {
    return 2;
  }
  template <class U>
  static constexpr int of(...) {
    return 1;
  }
  static constexpr int count = of<T>(0);
};

template <class C>
[[gnu::always_inline]] inline C to_channel(std::uint32_t bits) {
  if constexpr (std::is_floating_point_v<C>) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<C>(value);
  } else {
    return static_cast<C>(bits);
  }
}
template <class T>
[[gnu::always_inline]] inline T to_value(const texel& t) {
  using c = typename channels<T>::type;
  if constexpr (!std::is_class_v<T>) {
    return to_channel<c>(t.channel[0]);
  } else {
    T value;
    value.x = to_channel<c>(t.channel[0]);
    if constexpr (channels<T>::count > 1) value.y = to_channel<c>(t.channel[1]);
    if constexpr (channels<T>::count > 2) value.z = to_channel<c>(t.channel[2]);
    if constexpr (channels<T>::count > 3) value.w = to_channel<c>(t.channel[3]);
    return value;
  }
}

/// What a fetch of such a texture gives: floats, if it normalizes.
template <class T, cudaTextureReadMode Mode>
struct fetched {
  using type = T;
};
template <int Count>
struct floats;
template <>
struct floats<1> {
  using type = float;
};
template <>
struct floats<2> {
  using type = float2;
};
template <>
struct floats<4> {
  using type = float4;
};
template <class T>
struct fetched<T, cudaReadModeNormalizedFloat> {
  using type = typename floats<channels<T>::count>::type;
};

}  // namespace simt::detail

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using c = typename simt::detail::channels<T>::type;
  constexpr int bits = 8 * static_cast<int>(sizeof(c)), n = simt::detail::channels<T>::count;
  constexpr auto kind = std::is_integral_v<c> ? std::is_signed_v<c> ? cudaChannelFormatKindSigned
                                                                    : cudaChannelFormatKindUnsigned
                                              : cudaChannelFormatKindFloat;
  return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind};
}
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC

// Variables of these types are of both sides, as clang knows in the pass that checks the sides.
#if defined(__SIMT__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-attributes"
#define SIMT_REFERENCE(kind) __attribute__((device_builtin_##kind##_type))
#else
#define SIMT_REFERENCE(kind)
#endif

/// The same of surfaces: `surface<void, cudaSurfaceType2D> s;`.
struct surfaceReference {
  cudaChannelFormatDesc channelDesc{};
  mutable cudaSurfaceObject_t object = 0;
  // NOLINTNEXTLINE(google-explicit-constructor): it stands where an object could
  operator cudaSurfaceObject_t() const { return object; }
};
template <class T, int Dim = cudaSurfaceType1D>
struct SIMT_REFERENCE(surface) surface : surfaceReference {};

/// As old programs have it: `texture<float, 2> t;`, bound to memory, read with tex2D(t, x, y). What
/// its members say when it is bound holds.
struct textureReference {
  int normalized = 0;
  cudaTextureFilterMode filterMode = cudaFilterModePoint;
  cudaTextureAddressMode addressMode[3] = {cudaAddressModeClamp, cudaAddressModeClamp,
                                           cudaAddressModeClamp};
  cudaChannelFormatDesc channelDesc{};
  mutable cudaTextureObject_t object = 0;
  cudaTextureReadMode mode = cudaReadModeElementType;
};
template <class T, int Dim = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct SIMT_REFERENCE(texture) texture : textureReference {
  texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
          cudaTextureAddressMode address = cudaAddressModeClamp) {
    normalized = norm;
    filterMode = filter;
    for (auto& a : addressMode) a = address;
    channelDesc = cudaCreateChannelDesc<T>();
    mode = Mode;
  }
};
#undef SIMT_REFERENCE
#if defined(__SIMT__)
#pragma clang diagnostic pop
#endif

namespace simt::detail {
cudaError_t bind(const textureReference& texture, const cudaResourceDesc& resource);
cudaError_t bind_linear(std::size_t* offset, const textureReference& texture, const void* pointer,
                        const cudaChannelFormatDesc& format, std::size_t bytes);
cudaError_t unbind(const textureReference& texture);
}  // namespace simt::detail

inline cudaError_t cudaBindTextureToArray(const textureReference& t, cudaArray_const_t array) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = const_cast<cudaArray_t>(array);
  return simt::detail::bind(t, r);
}
inline cudaError_t cudaBindTextureToArray(const textureReference& t, cudaArray_const_t array,
                                          const cudaChannelFormatDesc&) {
  return cudaBindTextureToArray(t, array);
}
inline cudaError_t cudaBindTextureToArray(const textureReference* t, cudaArray_const_t array,
                                          const cudaChannelFormatDesc*) {
  return cudaBindTextureToArray(*t, array);
}
inline cudaError_t cudaBindTexture(std::size_t* offset, const textureReference& t,
                                   const void* pointer, const cudaChannelFormatDesc& format,
                                   std::size_t bytes = 0xffffffffU) {
  return simt::detail::bind_linear(offset, t, pointer, format, bytes);
}
inline cudaError_t cudaBindTexture(std::size_t* offset, const textureReference& t,
                                   const void* pointer, std::size_t bytes = 0xffffffffU) {
  return simt::detail::bind_linear(offset, t, pointer, t.channelDesc, bytes);
}
inline cudaError_t cudaBindTexture(std::size_t* offset, const textureReference* t,
                                   const void* pointer, const cudaChannelFormatDesc* format,
                                   std::size_t bytes = 0xffffffffU) {
  return simt::detail::bind_linear(offset, *t, pointer, *format, bytes);
}
inline cudaError_t cudaBindTexture2D(std::size_t* offset, const textureReference& t,
                                     const void* pointer, const cudaChannelFormatDesc& format,
                                     std::size_t width, std::size_t height, std::size_t pitch) {
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc r{};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = const_cast<void*>(pointer);
  r.res.pitch2D.desc = format;
  r.res.pitch2D.width = width;
  r.res.pitch2D.height = height;
  r.res.pitch2D.pitchInBytes = pitch;
  return simt::detail::bind(t, r);
}
inline cudaError_t cudaBindTexture2D(std::size_t* offset, const textureReference& t,
                                     const void* pointer, std::size_t width, std::size_t height,
                                     std::size_t pitch) {
  return cudaBindTexture2D(offset, t, pointer, t.channelDesc, width, height, pitch);
}
inline cudaError_t cudaUnbindTexture(const textureReference& t) { return simt::detail::unbind(t); }
inline cudaError_t cudaUnbindTexture(const textureReference* t) { return simt::detail::unbind(*t); }

inline cudaError_t cudaBindSurfaceToArray(const surfaceReference& s, cudaArray_const_t array) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = const_cast<cudaArray_t>(array);
  return cudaCreateSurfaceObject(&s.object, &r);
}
inline cudaError_t cudaBindSurfaceToArray(const surfaceReference& s, cudaArray_const_t array,
                                          const cudaChannelFormatDesc&) {
  return cudaBindSurfaceToArray(s, array);
}

// Each fetch: of an object, with the wanted type as a template argument or a place for the value;
// and of a reference, which knows its type.
#define SIMT_FETCH(name, parameters, fetching)                                               \
  template <class T>                                                                         \
  [[gnu::always_inline]] inline T name(cudaTextureObject_t simt_t, SIMT_UNPACK parameters) { \
    return simt::detail::to_value<T>(fetching);                                              \
  }                                                                                          \
  template <class T>                                                                         \
  [[gnu::always_inline]] inline void name(T* value, cudaTextureObject_t simt_t,              \
                                          SIMT_UNPACK parameters) {                          \
    *value = simt::detail::to_value<T>(fetching);                                            \
  }                                                                                          \
  template <class T, int Dim, cudaTextureReadMode Mode>                                      \
  [[gnu::always_inline]] inline auto name(const texture<T, Dim, Mode>& simt_r,               \
                                          SIMT_UNPACK parameters) {                          \
    const cudaTextureObject_t simt_t = simt_r.object;                                        \
    return simt::detail::to_value<typename simt::detail::fetched<T, Mode>::type>(fetching);  \
  }
#define SIMT_UNPACK(...) __VA_ARGS__
#define SIMT_LOOK(shape, ...) \
  (simt::detail::fetch(simt_t, simt::detail::texture_shape::shape, {__VA_ARGS__}))
SIMT_FETCH(tex1Dfetch, (int i), simt::detail::fetch_element(simt_t, i))
SIMT_FETCH(tex1D, (float x), SIMT_LOOK(line, x))
SIMT_FETCH(tex1DLod, (float x, float level), SIMT_LOOK(line, x, 0, 0, 0, level))
SIMT_FETCH(tex2D, (float x, float y), SIMT_LOOK(plane, x, y))
SIMT_FETCH(tex2DLod, (float x, float y, float level), SIMT_LOOK(plane, x, y, 0, 0, level))
SIMT_FETCH(tex3D, (float x, float y, float z), SIMT_LOOK(volume, x, y, z))
SIMT_FETCH(tex3DLod, (float x, float y, float z, float level), SIMT_LOOK(volume, x, y, z, 0, level))
SIMT_FETCH(tex1DLayered, (float x, int layer), SIMT_LOOK(line, x, 0, 0, layer))
SIMT_FETCH(tex2DLayered, (float x, float y, int layer), SIMT_LOOK(plane, x, y, 0, layer))
SIMT_FETCH(texCubemap, (float x, float y, float z), SIMT_LOOK(cube, x, y, z))
SIMT_FETCH(texCubemapLayered, (float x, float y, float z, int layer),
           SIMT_LOOK(cube, x, y, z, layer))
SIMT_FETCH(tex1DLayeredLod, (float x, int layer, float level),
           SIMT_LOOK(line, x, 0, 0, layer, level))
SIMT_FETCH(tex2DLayeredLod, (float x, float y, int layer, float level),
           SIMT_LOOK(plane, x, y, 0, layer, level))
SIMT_FETCH(texCubemapLod, (float x, float y, float z, float level),
           SIMT_LOOK(cube, x, y, z, 0, level))
SIMT_FETCH(texCubemapLayeredLod, (float x, float y, float z, int layer, float level),
           SIMT_LOOK(cube, x, y, z, layer, level))
#define SIMT_LEVEL \
  simt::detail::level_for(simt_t, simt::detail::step_of(dx), simt::detail::step_of(dy))
SIMT_FETCH(tex1DGrad, (float x, float dx, float dy), SIMT_LOOK(line, x, 0, 0, 0, SIMT_LEVEL))
SIMT_FETCH(tex2DGrad, (float x, float y, float2 dx, float2 dy),
           SIMT_LOOK(plane, x, y, 0, 0, SIMT_LEVEL))
SIMT_FETCH(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy),
           SIMT_LOOK(volume, x, y, z, 0, SIMT_LEVEL))
SIMT_FETCH(tex1DLayeredGrad, (float x, int layer, float dx, float dy),
           SIMT_LOOK(line, x, 0, 0, layer, SIMT_LEVEL))
SIMT_FETCH(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy),
           SIMT_LOOK(plane, x, y, 0, layer, SIMT_LEVEL))
#undef SIMT_LEVEL
SIMT_FETCH(tex2Dgather, (float x, float y, int component = 0),
           simt::detail::gather(simt_t, x, y, component))
#undef SIMT_LOOK
#undef SIMT_FETCH

#define SIMT_SURFACE(name, parameters, y, z)                                           \
  template <class T>                                                                   \
  inline T name##read(cudaSurfaceObject_t s, SIMT_UNPACK parameters,                   \
                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
    T value{};                                                                         \
    const void* const at = simt::detail::surface_element(s, x, y, z, sizeof(T), mode); \
    if (at != nullptr) std::memcpy(static_cast<void*>(&value), at, sizeof(T));         \
    return value;                                                                      \
  }                                                                                    \
  template <class T>                                                                   \
  inline void name##read(T* value, cudaSurfaceObject_t s, SIMT_UNPACK parameters,      \
                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
    *value = name##read<T>(s, SIMT_UNPACK_NAMES_##name, mode);                         \
  }                                                                                    \
  template <class T>                                                                   \
  inline void name##write(T value, cudaSurfaceObject_t s, SIMT_UNPACK parameters,      \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
    void* const at = simt::detail::surface_element(s, x, y, z, sizeof(T), mode);       \
    if (at != nullptr) std::memcpy(at, static_cast<const void*>(&value), sizeof(T));   \
  }
#define SIMT_UNPACK_NAMES_surf1D x
#define SIMT_UNPACK_NAMES_surf2D x, y
#define SIMT_UNPACK_NAMES_surf3D x, y, z
#define SIMT_UNPACK_NAMES_surf2DLayered x, y, layer
#define SIMT_UNPACK_NAMES_surf1DLayered x, layer
#define SIMT_UNPACK_NAMES_surfCubemap x, y, face
#define SIMT_UNPACK_NAMES_surfCubemapLayered x, y, face
SIMT_SURFACE(surf1DLayered, (int x, int layer), 0, layer)
SIMT_SURFACE(surfCubemap, (int x, int y, int face), y, face)
SIMT_SURFACE(surfCubemapLayered, (int x, int y, int face), y, face)
SIMT_SURFACE(surf1D, (int x), 0, 0)
SIMT_SURFACE(surf2D, (int x, int y), y, 0)
SIMT_SURFACE(surf3D, (int x, int y, int z), y, z)
SIMT_SURFACE(surf2DLayered, (int x, int y, int layer), y, layer)
#undef SIMT_UNPACK_NAMES_surf1D
#undef SIMT_UNPACK_NAMES_surf2D
#undef SIMT_UNPACK_NAMES_surf3D
#undef SIMT_UNPACK_NAMES_surf2DLayered
#undef SIMT_UNPACK_NAMES_surf1DLayered
#undef SIMT_UNPACK_NAMES_surfCubemap
#undef SIMT_UNPACK_NAMES_surfCubemapLayered
#undef SIMT_SURFACE
#undef SIMT_UNPACK
// NOLINTEND(readability-identifier-naming)
