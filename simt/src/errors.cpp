#include "simt/src/errors.hpp"

#include <atomic>

namespace simt::detail {

namespace {

std::atomic<cudaError_t> sticky{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t sticky_error() { return sticky; }
void stick(cudaError_t error) { sticky = error; }
void forget_errors() { sticky = last_error = cudaSuccess; }
runtime_errors errors_now() { return {sticky, last_error}; }
void set_errors(runtime_errors to) {
  sticky = to.sticky;
  last_error = to.last;
}
void set_last_error(cudaError_t error) { last_error = error; }

}  // namespace simt::detail
