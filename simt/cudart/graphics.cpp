// Memory shared with OpenGL: there is none, and each call says so.
#include "simt/cudart/state.hpp"
#include "simt/runtime/graphics_calls.h"

using namespace simt::detail;

namespace {

cudaError_t no_graphics(const char* call) {
  return remember(cudaErrorNotSupported, call,
                  "OpenGL can't share memory with the CPU machine; run the program in a mode that "
                  "does not draw");
}

}  // namespace

cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return no_graphics("cudaGraphicsMapResources");
}
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t) {
  return no_graphics("cudaGraphicsUnmapResources");
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, size_t*, cudaGraphicsResource_t) {
  return no_graphics("cudaGraphicsResourceGetMappedPointer");
}
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, unsigned) {
  return no_graphics("cudaGraphicsResourceSetMapFlags");
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t*, cudaGraphicsResource_t, unsigned,
                                                  unsigned) {
  return no_graphics("cudaGraphicsSubResourceGetMappedArray");
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) {
  return no_graphics("cudaGraphicsUnregisterResource");
}

cudaError_t cudaGLGetDevices(unsigned*, int*, unsigned, cudaGLDeviceList) {
  return no_graphics("cudaGLGetDevices");
}
cudaError_t cudaGLSetGLDevice(int) { return no_graphics("cudaGLSetGLDevice"); }
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t*, unsigned, unsigned) {
  return no_graphics("cudaGraphicsGLRegisterBuffer");
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t*, unsigned, unsigned, unsigned) {
  return no_graphics("cudaGraphicsGLRegisterImage");
}
cudaError_t cudaGLRegisterBufferObject(unsigned) {
  return no_graphics("cudaGLRegisterBufferObject");
}
cudaError_t cudaGLMapBufferObject(void**, unsigned) { return no_graphics("cudaGLMapBufferObject"); }
cudaError_t cudaGLUnmapBufferObject(unsigned) { return no_graphics("cudaGLUnmapBufferObject"); }
cudaError_t cudaGLUnregisterBufferObject(unsigned) {
  return no_graphics("cudaGLUnregisterBufferObject");
}
