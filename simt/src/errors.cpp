#include "simt/src/errors.hpp"

#include <atomic>

namespace simt::detail {

namespace {

std::atomic<cudaError_t> stuck{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t sticky_error() { return stuck; }
void stick(cudaError_t error) { stuck = error; }
void forget_errors() { stuck = last_error = cudaSuccess; }
runtime_errors errors_now() { return {stuck, last_error}; }
void set_errors(runtime_errors to) {
  stuck = to.sticky;
  last_error = to.last;
}
void set_last_error(cudaError_t error) { last_error = error; }

}  // namespace simt::detail
