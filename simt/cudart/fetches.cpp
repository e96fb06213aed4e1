// Textures and surfaces: what a fetch gives. Weights of a linear filter have 8 bits of fraction, as
// the device's.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "simt/cudart/arrays.hpp"
#include "simt/cudart/texture_objects.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/tls.hpp"
#include "simt/textures.hpp"

namespace simt::detail {

namespace {

float half_to_float(std::uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const auto fraction = static_cast<float>(h & 1023);
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? INFINITY : NAN;
  } else {
    value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  }
  return (h & 0x8000) != 0 ? -value : value;
}

std::uint32_t bits_of(float f) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float f = 0;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

std::uint32_t channel_at(const std::byte* p, int bits, cudaChannelFormatKind kind,
                         bool normalizes) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, p, static_cast<std::size_t>(bits) / 8);
  if (kind == cudaChannelFormatKindFloat) {
    return bits == 16 ? bits_of(half_to_float(static_cast<std::uint16_t>(raw))) : raw;
  }
  const bool is_signed = kind == cudaChannelFormatKindSigned;
  if (is_signed) {
    const int unused = 32 - bits;
    raw = static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << unused) >> unused);
  }
  if (!normalizes || bits == 32) return raw;
  const float most = static_cast<float>((1U << (is_signed ? bits - 1 : bits)) - 1);
  return bits_of(is_signed
                     ? std::max(static_cast<float>(static_cast<std::int32_t>(raw)) / most, -1.F)
                     : static_cast<float>(raw) / most);
}

texel element_at(const texture_object& o, const texture_image& i, long x, long y, long z) {
  const std::byte* p = i.data + static_cast<std::size_t>(z) * i.layer +
                       static_cast<std::size_t>(y) * i.row +
                       static_cast<std::size_t>(x) * element_bytes(i.format);
  texel t{};
  const std::array<int, 4> bits{i.format.x, i.format.y, i.format.z, i.format.w};
  const bool normalizes = o.how.readMode == cudaReadModeNormalizedFloat;
  for (unsigned c = 0; c < 4 && bits[c] != 0; ++c) {
    t.channel[c] = channel_at(p, bits[c], i.format.f, normalizes);
    p += bits[c] / 8;
  }
  return t;
}

/// The index that stands for `i` of `n`, or -1: the border.
long wrapped(long i, long n, cudaTextureAddressMode mode, bool normalized) {
  if (i >= 0 && i < n) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (!normalized || mode == cudaAddressModeClamp) return std::clamp(i, 0L, n - 1);
  if (mode == cudaAddressModeWrap) return ((i % n) + n) % n;
  const long twice = ((i % (2 * n)) + 2 * n) % (2 * n);
  return twice < n ? twice : 2 * n - 1 - twice;
}

/// Along one axis: two neighbours, and what the second one weighs.
struct axis {
  long first = 0, second = 0;
  float weight = 0;
};

axis along(float coordinate, long n, cudaTextureAddressMode mode, bool normalized, bool linear) {
  float x = normalized ? coordinate * static_cast<float>(n) : coordinate;
  x = std::isnan(x) ? 0 : std::clamp(x, -1e9F, 1e9F);
  if (!linear) {
    const long i = wrapped(static_cast<long>(std::floor(x)), n, mode, normalized);
    return {i, i, 0};
  }
  const float left = x - 0.5F, base = std::floor(left);
  const auto i = static_cast<long>(base);
  return {wrapped(i, n, mode, normalized), wrapped(i + 1, n, mode, normalized),
          std::floor((left - base) * 256 + 0.5F) / 256};
}

texel read_level(const texture_object& o, const texture_image& i, texture_shape shape,
                 const texture_place& at, long layer) {
  const bool linear = o.how.filterMode == cudaFilterModeLinear;
  const bool normalized = o.how.normalizedCoords != 0;
  const axis x = along(at.x, i.width, o.how.addressMode[0], normalized, linear);
  axis y{0, 0, 0}, z{layer, layer, 0};
  if (shape != texture_shape::line) {
    y = along(at.y, i.height, o.how.addressMode[1], normalized, linear);
  }
  if (shape == texture_shape::volume) {
    z = along(at.z, i.depth, o.how.addressMode[2], normalized, linear);
  }
  const auto at_corner = [&](long cx, long cy, long cz) {
    if (cx >= 0 && cy >= 0 && cz >= 0) return element_at(o, i, cx, cy, cz);
    texel border{};
    for (unsigned c = 0; c < 4; ++c) {
      const bool floats =
          i.format.f == cudaChannelFormatKindFloat || o.how.readMode == cudaReadModeNormalizedFloat;
      const float value = o.how.borderColor[c];
      border.channel[c] =
          floats ? bits_of(value) : static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    }
    return border;
  };
  if (!linear) return at_corner(x.first, y.first, z.first);
  std::array<float, 4> sum{};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const float weight = ((corner & 1) != 0 ? x.weight : 1 - x.weight) *
                         ((corner & 2) != 0 ? y.weight : 1 - y.weight) *
                         ((corner & 4) != 0 ? z.weight : 1 - z.weight);
    if (weight == 0) continue;
    const texel t =
        at_corner((corner & 1) != 0 ? x.second : x.first, (corner & 2) != 0 ? y.second : y.first,
                  (corner & 4) != 0 ? z.second : z.first);
    for (unsigned c = 0; c < 4; ++c) sum[c] += weight * float_of(t.channel[c]);
  }
  texel result{};
  for (unsigned c = 0; c < 4; ++c) result.channel[c] = bits_of(sum[c]);
  return result;
}

/// A direction becomes a face and a place on it.
texture_place on_face(const texture_place& at, long& face) {
  const float ax = std::fabs(at.x), ay = std::fabs(at.y), az = std::fabs(at.z);
  float s = 0, t = 0, m = 0;
  if (ax >= ay && ax >= az) {
    face = at.x < 0 ? 1 : 0;
    s = at.x < 0 ? at.z : -at.z;
    t = -at.y;
    m = ax;
  } else if (ay >= az) {
    face = at.y < 0 ? 3 : 2;
    s = at.x;
    t = at.y < 0 ? -at.z : at.z;
    m = ay;
  } else {
    face = at.z < 0 ? 5 : 4;
    s = at.z < 0 ? -at.x : at.x;
    t = -at.y;
    m = az;
  }
  return {.x = (s / m + 1) / 2, .y = (t / m + 1) / 2, .level = at.level};
}

texture_object& texture_in_kernel(unsigned long long number, const char* what) {
  texture_object* const o = find_texture(number);
  if (o == nullptr) {
    fail(running(what),
         std::string(what) +
             ": not a texture or surface object, or one that was destroyed or never bound");
  }
  return *o;
}

}  // namespace

texel fetch(cudaTextureObject_t texture, texture_shape shape, const texture_place& place) {
  const texture_object& o = texture_in_kernel(texture, "a texture fetch");
  const hooks_disabled quiet;
  texture_place at = place;
  long face = 0;
  const bool cube = shape == texture_shape::cube;
  if (cube) at = on_face(place, face);
  const auto layer_in = [&](const texture_image& i) {
    if (cube) return std::clamp(place.layer * 6L + face, 0L, i.depth - 1);
    // A line's layers may be counted by the array's height.
    const long layers = std::max(i.depth, shape == texture_shape::line ? i.height : 1);
    return o.layered ? std::clamp<long>(place.layer, 0, layers - 1) : 0;
  };
  if (o.levels.size() == 1) return read_level(o, o.levels[0], shape, at, layer_in(o.levels[0]));
  const auto last = static_cast<float>(o.levels.size() - 1);
  const float level =
      std::clamp(std::clamp(place.level + o.how.mipmapLevelBias, o.how.minMipmapLevelClamp,
                            std::max(o.how.minMipmapLevelClamp, o.how.maxMipmapLevelClamp)),
                 0.F, last);
  if (o.how.mipmapFilterMode == cudaFilterModePoint) {
    const texture_image& i = o.levels[static_cast<std::size_t>(std::floor(level + 0.5F))];
    return read_level(o, i, shape, at, layer_in(i));
  }
  const auto below = static_cast<std::size_t>(level);
  const texture_image &fine = o.levels[below],
                      &coarse = o.levels[std::min(below + 1, o.levels.size() - 1)];
  const float weight = std::floor((level - static_cast<float>(below)) * 256 + 0.5F) / 256;
  texel t = read_level(o, fine, shape, at, layer_in(fine));
  const texel u = read_level(o, coarse, shape, at, layer_in(coarse));
  for (unsigned c = 0; c < 4; ++c) {
    t.channel[c] = bits_of((1 - weight) * float_of(t.channel[c]) + weight * float_of(u.channel[c]));
  }
  return t;
}

float level_for(cudaTextureObject_t texture, float4 along_x, float4 along_y) {
  const texture_object& o = texture_in_kernel(texture, "a texture fetch");
  const texture_image& i = o.levels.front();
  const bool normalized = o.how.normalizedCoords != 0;
  const auto elements = [&](float4 step) {
    return normalized ? std::hypot(step.x * static_cast<float>(i.width),
                                   step.y * static_cast<float>(i.height),
                                   step.z * static_cast<float>(i.depth))
                      : std::hypot(step.x, step.y, step.z);
  };
  return std::log2(std::max({elements(along_x), elements(along_y), 1.F}));
}

texel fetch_element(cudaTextureObject_t texture, long long index) {
  const texture_object& o = texture_in_kernel(texture, "a texture fetch");
  const hooks_disabled quiet;
  const texture_image& i = o.levels.front();
  if (index < 0 || index >= i.width) return {};  // as the device's
  return element_at(o, i, static_cast<long>(index), 0, 0);
}

texel gather(cudaTextureObject_t texture, float x, float y, int component) {
  const texture_object& o = texture_in_kernel(texture, "tex2Dgather");
  const hooks_disabled quiet;
  const texture_image& i = o.levels.front();
  const bool normalized = o.how.normalizedCoords != 0;
  const axis h = along(x, i.width, o.how.addressMode[0], normalized, true);
  const axis v = along(y, i.height, o.how.addressMode[1], normalized, true);
  const auto c = static_cast<unsigned>(component) & 3;
  const auto at = [&](long cx, long cy) {
    return cx < 0 || cy < 0 ? bits_of(o.how.borderColor[c])
                            : element_at(o, i, cx, cy, 0).channel[c];
  };
  return {
      {at(h.first, v.second), at(h.second, v.second), at(h.second, v.first), at(h.first, v.first)}};
}

void* surface_element(cudaSurfaceObject_t surface, int x, int y, int z, std::size_t bytes,
                      cudaSurfaceBoundaryMode mode) {
  lane& caller = running("a surface access");
  const texture_object& o = texture_in_kernel(surface, "a surface access");
  const texture_image& i = o.levels.front();
  const auto row = static_cast<long>(i.row), size = static_cast<long>(bytes);
  long cx = x, cy = y, cz = z;
  if (cx < 0 || cx + size > row || cy < 0 || cy >= i.height || cz < 0 || cz >= i.depth) {
    if (mode == cudaBoundaryModeZero) return nullptr;
    if (mode == cudaBoundaryModeTrap) {
      fail(caller, "accesses a surface at byte " + std::to_string(x) + " of row " +
                       std::to_string(y) + " of layer " + std::to_string(z) + ", and it has " +
                       std::to_string(row) + " bytes, " + std::to_string(i.height) + " rows and " +
                       std::to_string(i.depth) + " layers");
    }
    cx = std::clamp(cx, 0L, row - size);
    cy = std::clamp(cy, 0L, i.height - 1);
    cz = std::clamp(cz, 0L, i.depth - 1);
  }
  return const_cast<std::byte*>(i.data) + static_cast<std::size_t>(cz) * i.layer +
         static_cast<std::size_t>(cy) * i.row + static_cast<std::size_t>(cx);
}

}  // namespace simt::detail
