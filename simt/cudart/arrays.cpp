#include "simt/cudart/arrays.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

namespace {

using simt::detail::guarded;
using simt::detail::remember;

constexpr std::size_t array_alignment = 512;  // as cudaDeviceProp::textureAlignment says

std::mutex arrays_mutex;
std::set<const void*> alive;  // arrays of both kinds, and the levels of mipmaps

bool is_alive(const void* array) {
  const std::scoped_lock lock(arrays_mutex);
  return alive.contains(array);
}
cudaError_t no_array(const char* call) {
  return remember(cudaErrorInvalidResourceHandle, call, "not an array, or a freed one");
}

/// "" or what is wrong with it.
std::string objection(const cudaChannelFormatDesc& f, const cudaExtent& e, unsigned flags) {
  const auto is_width = [](int bits) { return bits == 0 || bits == 8 || bits == 16 || bits == 32; };
  if (f.x == 0 || !is_width(f.x) || !is_width(f.y) || !is_width(f.z) || !is_width(f.w)) {
    return "channels have 8, 16 or 32 bits";
  }
  if (e.width == 0) return "an array without elements";
  if ((flags & cudaArrayCubemap) != 0 && (e.width != e.height || e.depth % 6 != 0)) {
    return "a cubemap has square faces and a multiple of six layers";
  }
  return "";
}

cudaError_t make(const char* call, cudaArray& a, const cudaChannelFormatDesc& format,
                 const cudaExtent& extent, unsigned flags) {
  if (const auto why = objection(format, extent, flags); !why.empty()) {
    return remember(cudaErrorInvalidValue, call, why);
  }
  a = {.format = format, .extent = extent, .flags = flags, .data = nullptr};
  void* memory = nullptr;
  const cudaError_t status =
      simt::detail::allocate_for(call, &memory, a.pitch() * a.height() * a.depth());
  a.data = static_cast<std::byte*>(memory);
  return status;
}

/// One side of a copy: where its first byte is, and how far rows and layers lie apart.
struct side {
  std::byte* begin = nullptr;
  std::size_t row = 0, layer = 0;
  std::string wrong;
};

side side_of(const char* name, cudaArray_const_t array, const cudaPos& at,
             const cudaPitchedPtr& pointer, std::size_t width, const cudaExtent& extent) {
  side s;
  if (array != nullptr) {
    if (!is_alive(array)) return {.wrong = std::string(name) + " is not an array"};
    const std::size_t last = at.x * array->element() + width;
    if (last > array->pitch() || at.y + extent.height > array->height() ||
        at.z + extent.depth > array->depth()) {
      return {.wrong = std::string(name) + ": the copy leaves the array of " +
                       std::to_string(array->width()) + " x " + std::to_string(array->height()) +
                       " x " + std::to_string(array->depth()) + " elements"};
    }
    s.row = array->pitch();
    s.layer = s.row * array->height();
    s.begin = array->data + at.z * s.layer + at.y * s.row + at.x * array->element();
    return s;
  }
  if (pointer.ptr == nullptr) return {.wrong = std::string(name) + " is a null pointer"};
  s.row = pointer.pitch;
  s.layer = s.row * (pointer.ysize != 0 ? pointer.ysize : extent.height);
  s.begin = static_cast<std::byte*>(pointer.ptr) + at.z * s.layer + at.y * s.row + at.x;
  return s;
}

/// Of arrays the extent counts elements, and bytes where both sides are memory.
cudaError_t copy_box(const char* call, const cudaMemcpy3DParms& p) {
  const cudaArray_const_t array = p.srcArray != nullptr ? p.srcArray : p.dstArray;
  if (array != nullptr && !is_alive(array)) return no_array(call);
  const std::size_t width = p.extent.width * (array != nullptr ? array->element() : 1);
  const side to = side_of("the destination", p.dstArray, p.dstPos, p.dstPtr, width, p.extent);
  const side from = side_of("the source", p.srcArray, p.srcPos, p.srcPtr, width, p.extent);
  const std::string why =
      to.wrong + (to.wrong.empty() || from.wrong.empty() ? "" : ", and ") + from.wrong;
  if (!why.empty()) return remember(cudaErrorInvalidValue, call, why);
  for (std::size_t z = 0; z < p.extent.depth; ++z) {
    const cudaError_t status =
        simt::detail::copy_rows(call, to.begin + z * to.layer, to.row, from.begin + z * from.layer,
                                from.row, width, p.extent.height, p.kind);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

/// Bytes in rows, between an array and memory or another array; `x` in bytes.
cudaError_t copy_rectangle(const char* call, cudaArray_const_t array, std::size_t x, std::size_t y,
                           void* memory, std::size_t pitch, std::size_t width, std::size_t height,
                           cudaMemcpyKind kind, bool into) {
  if (!is_alive(array)) return no_array(call);
  if (x + width > array->pitch() || y + height > array->height()) {
    return remember(cudaErrorInvalidValue, call, "the copy leaves the array");
  }
  std::byte* const there = array->data + y * array->pitch() + x;
  return into ? simt::detail::copy_rows(call, there, array->pitch(), memory, pitch, width, height,
                                        kind)
              : simt::detail::copy_rows(call, memory, pitch, there, array->pitch(), width, height,
                                        kind);
}

/// Bytes one after the other, from (x, y) on and over the ends of rows.
cudaError_t copy_run(const char* call, cudaArray_const_t array, std::size_t x, std::size_t y,
                     void* memory, std::size_t bytes, cudaMemcpyKind kind, bool into) {
  if (!is_alive(array)) return no_array(call);
  const std::size_t begin = y * array->pitch() + x;
  if (begin + bytes > array->pitch() * array->height()) {
    return remember(cudaErrorInvalidValue, call, "the copy leaves the array");
  }
  std::byte* const there = array->data + begin;
  return into ? simt::detail::copy_rows(call, there, bytes, memory, bytes, bytes, 1, kind)
              : simt::detail::copy_rows(call, memory, bytes, there, bytes, bytes, 1, kind);
}

template <class F>
cudaError_t in_stream(const char* call, cudaStream_t stream, std::size_t bytes, F work) {
  return simt::detail::enqueue(call, stream, {.bytes = bytes}, work);
}

}  // namespace

std::size_t simt::detail::element_bytes(const cudaChannelFormatDesc& f) {
  return static_cast<std::size_t>(f.x + f.y + f.z + f.w) / 8;
}
std::size_t cudaArray::element() const { return simt::detail::element_bytes(format); }
bool simt::detail::is_array(cudaArray_const_t array) { return is_alive(array); }
bool simt::detail::is_mipmapped(cudaMipmappedArray_const_t array) { return is_alive(array); }

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return guarded([&] {
    auto made = std::make_unique<cudaArray>();
    const cudaError_t status = make("cudaMalloc3DArray", *made, *format, extent, flags);
    if (status != cudaSuccess) return status;
    const std::scoped_lock lock(arrays_mutex);
    alive.insert(made.get());
    *array = made.release();
    return cudaSuccess;
  });
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                     const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
  return guarded([&] {
    constexpr const char* call = "cudaMallocMipmappedArray";
    if (levels == 0) return remember(cudaErrorInvalidValue, call, "a mipmap without levels");
    auto made = std::make_unique<cudaMipmappedArray>();
    made->levels.resize(levels);
    const bool layers = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    for (cudaArray& level : made->levels) {
      const cudaError_t status = make(call, level, *format, extent, flags);
      if (status != cudaSuccess) return status;
      level.of_mipmap = true;
      extent.width = std::max<std::size_t>(extent.width / 2, 1);
      if (extent.height != 0) extent.height = std::max<std::size_t>(extent.height / 2, 1);
      if (extent.depth != 0 && !layers) extent.depth = std::max<std::size_t>(extent.depth / 2, 1);
    }
    const std::scoped_lock lock(arrays_mutex);
    for (const cudaArray& level : made->levels) alive.insert(&level);
    alive.insert(made.get());
    *array = made.release();
    return cudaSuccess;
  });
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t from,
                                       unsigned level) {
  if (!is_alive(from)) return no_array("cudaGetMipmappedArrayLevel");
  if (level >= from->levels.size()) {
    return remember(
        cudaErrorInvalidValue, "cudaGetMipmappedArrayLevel",
        "level " + std::to_string(level) + " of " + std::to_string(from->levels.size()));
  }
  *array = const_cast<cudaArray_t>(&from->levels[level]);
  return cudaSuccess;
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  {
    const std::scoped_lock lock(arrays_mutex);
    if (!alive.contains(array) || array->of_mipmap) return no_array("cudaFreeArray");
    alive.erase(array);
  }
  const std::unique_ptr<cudaArray> gone(array);
  return cudaFree(gone->data);
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  if (array == nullptr) return cudaSuccess;
  {
    const std::scoped_lock lock(arrays_mutex);
    if (alive.erase(array) == 0) return no_array("cudaFreeMipmappedArray");
    for (const cudaArray& level : array->levels) alive.erase(&level);
  }
  const std::unique_ptr<cudaMipmappedArray> gone(array);
  for (const cudaArray& level : gone->levels) {
    if (const cudaError_t status = cudaFree(level.data); status != cudaSuccess) return status;
  }
  return cudaSuccess;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (!is_alive(array)) return no_array("cudaArrayGetInfo");
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  if (!is_alive(array)) return no_array("cudaGetChannelDesc");
  *format = array->format;
  return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return in_stream("cudaMemcpy3D", stream, p->extent.width * p->extent.height * p->extent.depth,
                   [c = *p] { return copy_box("cudaMemcpy3D", c); });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return cudaMemcpy3DAsync(p, nullptr); }
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return cudaMemcpy3DPeerAsync(p, nullptr);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  const cudaMemcpy3DParms c{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                            p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return cudaMemcpy3DAsync(&c, stream);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream("cudaMemcpyToArray", stream, bytes, [=] {
    return copy_run("cudaMemcpyToArray", to, x, y, const_cast<void*>(from), bytes, kind, true);
  });
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream("cudaMemcpyFromArray", stream, bytes, [=] {
    return copy_run("cudaMemcpyFromArray", from, x, y, to, bytes, kind, false);
  });
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream("cudaMemcpy2DToArray", stream, width * height, [=] {
    return copy_rectangle("cudaMemcpy2DToArray", to, x, y, const_cast<void*>(from), pitch, width,
                          height, kind, true);
  });
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_const_t from,
                                       std::size_t x, std::size_t y, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return in_stream("cudaMemcpy2DFromArray", stream, width * height, [=] {
    return copy_rectangle("cudaMemcpy2DFromArray", from, x, y, to, pitch, width, height, kind,
                          false);
  });
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                     cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                     std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  constexpr const char* call = "cudaMemcpy2DArrayToArray";
  if (!is_alive(from)) return no_array(call);
  if (from_x + width > from->pitch() || from_y + height > from->height()) {
    return remember(cudaErrorInvalidValue, call, "the copy leaves the array it reads");
  }
  return copy_rectangle(call, to, to_x, to_y, from->data + from_y * from->pitch() + from_x,
                        from->pitch(), width, height, kind, true);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                   cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                   std::size_t bytes, cudaMemcpyKind kind) {
  constexpr const char* call = "cudaMemcpyArrayToArray";
  if (!is_alive(from)) return no_array(call);
  const std::size_t begin = from_y * from->pitch() + from_x;
  if (begin + bytes > from->pitch() * from->height()) {
    return remember(cudaErrorInvalidValue, call, "the copy leaves the array it reads");
  }
  return copy_run(call, to, to_x, to_y, from->data + begin, bytes, kind, true);
}

cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements* what, cudaArray_t array,
                                           int) {
  if (!is_alive(array)) return no_array("cudaArrayGetMemoryRequirements");
  *what = {.size = array->pitch() * array->height() * array->depth(),
           .alignment = array_alignment,
           .reserved = {}};
  return cudaSuccess;
}
cudaError_t cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements* what,
                                                    cudaMipmappedArray_t array, int device) {
  if (!is_alive(array)) return no_array("cudaMipmappedArrayGetMemoryRequirements");
  *what = {.size = 0, .alignment = array_alignment, .reserved = {}};
  for (cudaArray& level : array->levels) {
    cudaArrayMemoryRequirements of_level{};
    const auto status = cudaArrayGetMemoryRequirements(&of_level, &level, device);
    if (status != cudaSuccess) return status;
    what->size += of_level.size;
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* elements,
                                                 const cudaChannelFormatDesc* format, int device) {
  cudaDeviceProp p{};
  if (const auto e = cudaGetDeviceProperties(&p, device); e != cudaSuccess) return e;
  if (const auto why = objection(*format, {1, 0, 0}, 0); !why.empty()) {
    return remember(cudaErrorInvalidValue, "cudaDeviceGetTexture1DLinearMaxWidth", why);
  }
  *elements = static_cast<std::size_t>(p.maxTexture1DLinear);
  return cudaSuccess;
}
