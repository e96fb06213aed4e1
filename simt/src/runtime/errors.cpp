// CUDA's errors: what they are called, which one was last, and the one that sticks.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

#include "simt/src/launch.hpp"
#include "simt/src/program.hpp"
#include "simt/src/runtime/state.hpp"

namespace {

struct error_text {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr std::array<error_text, 31> texts{{
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed now"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "the capture was not begun in this stream"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
}};

const error_text& text_of(cudaError_t error) {
  static constexpr error_text strange{cudaErrorUnknown, "unrecognized error code",
                                      "unrecognized error code"};
  const auto* const found = std::find_if(texts.begin(), texts.end(),
                                         [=](const error_text& t) { return t.error == error; });
  return found != texts.end() ? *found : strange;
}

std::atomic<cudaError_t> stuck{cudaSuccess};
thread_local cudaError_t last = cudaSuccess;

}  // namespace

namespace simt::detail {

cudaError_t sticky_error() { return stuck; }
void stick(cudaError_t error) { stuck = error; }
void forget_errors() { stuck = last = cudaSuccess; }
runtime_errors errors_now() { return {stuck, last}; }
void set_errors(runtime_errors to) {
  stuck = to.sticky;
  last = to.last;
}

void explain(const std::string& what) {
  static std::mutex mutex;  // host threads may share a scope
  const std::scoped_lock lock(mutex);
  if (observe* const watching = current_scope(); watching != nullptr) {
    watching->errors.push_back(what);
    if (is_of_program(watching)) std::fprintf(stderr, "simt: %s\n", what.c_str());
  } else {
    std::fprintf(stderr, "simt: %s\n", what.c_str());
  }
}

cudaError_t remember(cudaError_t error, const char* call, const std::string& why) {
  if (error == cudaSuccess) return error;
  last = error;
  explain(std::string(call) + ": " + cudaGetErrorName(error) + ": " + why);
  return error;
}

cudaError_t remember(cudaError_t error, const char* call, const char* why) {
  return remember(error, call, std::string(why));
}

}  // namespace simt::detail

cudaError_t cudaGetLastError() {
  if (stuck != cudaSuccess) return stuck;
  return std::exchange(last, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  const cudaError_t sticking = stuck;
  return sticking != cudaSuccess ? sticking : last;
}
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
