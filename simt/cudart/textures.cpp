// Textures and surfaces: objects, and references bound to them. fetches.cpp reads them.
#include "simt/textures.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "simt/cudart/arrays.hpp"
#include "simt/cudart/texture_objects.hpp"

namespace simt::detail {

namespace {

/// They stay where they are, and a number is never given twice.
class objects {
 public:
  unsigned long long add(std::unique_ptr<texture_object> o) {
    const std::scoped_lock lock(mutex_);
    const unsigned long long n = count_;
    if (n == all_.size() * chunk) return 0;
    auto& place = all_[n / chunk];
    if (place == nullptr) {
      place = std::make_unique<std::array<std::unique_ptr<texture_object>, chunk>>();
    }
    (*place)[n % chunk] = std::move(o);
    count_ = n + 1;
    return n + 1;
  }
  texture_object* find(unsigned long long number) {
    if (number == 0 || number > count_) return nullptr;
    texture_object* const o = (*all_[(number - 1) / chunk])[(number - 1) % chunk].get();
    return o->alive ? o : nullptr;
  }

 private:
  static constexpr std::size_t chunk = 1024;
  std::mutex mutex_;
  std::array<std::unique_ptr<std::array<std::unique_ptr<texture_object>, chunk>>, 1024> all_;
  std::atomic<unsigned long long> count_{0};
};
objects the_objects;

texture_image image_of(const cudaArray& a) {
  return {a.data,
          a.format,
          static_cast<long>(a.width()),
          static_cast<long>(a.height()),
          static_cast<long>(a.depth()),
          a.pitch(),
          a.pitch() * a.height()};
}

/// "" or what is wrong.
std::string take_resource(texture_object& o) {
  const cudaResourceDesc& r = o.resource;
  const auto take_array = [&](const cudaArray& a) {
    o.levels.push_back(image_of(a));
    o.layered = a.layered();
    o.cube = a.cube();
  };
  switch (r.resType) {
    case cudaResourceTypeArray:
      if (!is_array(r.res.array.array)) return "not an array, or a freed one";
      take_array(*r.res.array.array);
      return "";
    case cudaResourceTypeMipmappedArray:
      if (!is_mipmapped(r.res.mipmap.mipmap)) return "not an array, or a freed one";
      for (const cudaArray& level : r.res.mipmap.mipmap->levels) take_array(level);
      return "";
    case cudaResourceTypeLinear: {
      const auto& l = r.res.linear;
      const std::size_t element = element_bytes(l.desc);
      if (element == 0) return "a format without channels";
      o.elements = l.sizeInBytes / element;
      o.levels.push_back({static_cast<const std::byte*>(l.devPtr), l.desc,
                          static_cast<long>(o.elements), 1, 1, l.sizeInBytes, l.sizeInBytes});
      return device_bytes_from(l.devPtr) < l.sizeInBytes ? "more bytes than the memory has" : "";
    }
    case cudaResourceTypePitch2D: {
      const auto& p = r.res.pitch2D;
      o.levels.push_back({static_cast<const std::byte*>(p.devPtr), p.desc,
                          static_cast<long>(p.width), static_cast<long>(p.height), 1,
                          p.pitchInBytes, p.pitchInBytes * p.height});
      if (p.width * element_bytes(p.desc) > p.pitchInBytes) return "rows wider than their pitch";
      const std::size_t bytes =
          p.height == 0 ? 0 : (p.height - 1) * p.pitchInBytes + p.width * element_bytes(p.desc);
      return device_bytes_from(p.devPtr) < bytes ? "more bytes than the memory has" : "";
    }
  }
  return "unknown kind of resource";
}

cudaError_t make(const char* call, unsigned long long* number, const cudaResourceDesc& resource,
                 const cudaTextureDesc& how) {
  return guarded([&] {
    auto o = std::make_unique<texture_object>();
    o->resource = resource;
    o->how = how;
    if (const auto why = take_resource(*o); !why.empty()) {
      return remember(cudaErrorInvalidValue, call, why);
    }
    const cudaChannelFormatDesc& f = o->levels.front().format;
    const bool integers = f.f != cudaChannelFormatKindFloat;
    const bool wide = f.x == 32;  // too wide to be normalized
    if (how.filterMode == cudaFilterModeLinear && integers &&
        (wide || how.readMode == cudaReadModeElementType)) {
      return remember(cudaErrorInvalidFilterSetting, call,
                      wide ? "32-bit integers can't be filtered"
                           : "integers can't be filtered; use cudaReadModeNormalizedFloat");
    }
    if (how.readMode == cudaReadModeNormalizedFloat && integers && wide) {
      return remember(cudaErrorInvalidNormSetting, call, "32-bit integers can't be normalized");
    }
    o->alive = true;
    *number = the_objects.add(std::move(o));
    return *number != 0 ? cudaSuccess
                        : remember(cudaErrorMemoryAllocation, call, "too many objects");
  });
}

cudaError_t destroy(const char* call, unsigned long long number) {
  texture_object* const o = find_texture(number);
  if (o == nullptr) return remember(cudaErrorInvalidValue, call, "unknown object");
  o->alive = false;
  return sticky_error();
}

}  // namespace

texture_object* find_texture(unsigned long long number) { return the_objects.find(number); }

cudaError_t bind(const textureReference& texture, const cudaResourceDesc& resource) {
  cudaTextureDesc how{};
  std::copy_n(texture.addressMode, 3, how.addressMode);
  how.filterMode = texture.filterMode;
  how.readMode = texture.mode;
  how.normalizedCoords = texture.normalized;
  static_cast<void>(unbind(texture));
  return make("cudaBindTexture", &texture.object, resource, how);
}
cudaError_t bind_linear(std::size_t* offset, const textureReference& texture, const void* pointer,
                        const cudaChannelFormatDesc& format, std::size_t bytes) {
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = const_cast<void*>(pointer);
  r.res.linear.desc = format;
  r.res.linear.sizeInBytes = std::min(bytes, device_bytes_from(pointer));
  return bind(texture, r);
}
cudaError_t unbind(const textureReference& texture) {
  if (texture_object* const o = find_texture(texture.object); o != nullptr) o->alive = false;
  texture.object = 0;
  return sticky_error();
}

}  // namespace simt::detail

using simt::detail::remember;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc*) {
  return simt::detail::make("cudaCreateTextureObject", texture, *resource, *how);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return simt::detail::destroy("cudaDestroyTextureObject", texture);
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t t) {
  const auto* const o = simt::detail::find_texture(t);
  if (o == nullptr) {
    return remember(cudaErrorInvalidValue, "cudaGetTextureObjectResourceDesc", "unknown object");
  }
  *resource = o->resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                 cudaTextureObject_t t) {
  *view = {};  // none is taken
  return simt::detail::find_texture(t) != nullptr
             ? cudaSuccess
             : remember(cudaErrorInvalidValue, "cudaGetTextureObjectResourceViewDesc",
                        "unknown object");
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t s) {
  return cudaGetTextureObjectResourceDesc(resource, s);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* how, cudaTextureObject_t t) {
  const auto* const o = simt::detail::find_texture(t);
  if (o == nullptr) {
    return remember(cudaErrorInvalidValue, "cudaGetTextureObjectTextureDesc", "unknown object");
  }
  *how = o->how;
  return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  if (resource->resType != cudaResourceTypeArray) {
    return remember(cudaErrorInvalidValue, "cudaCreateSurfaceObject", "a surface needs an array");
  }
  return simt::detail::make("cudaCreateSurfaceObject", surface, *resource, {});
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return simt::detail::destroy("cudaDestroySurfaceObject", surface);
}
