// cuda::std: the host's standard library under that name, and CUDA's own atomics and barriers.
#pragma once

#include "simt/atomics.hpp"
#include "simt/barriers.hpp"

namespace cuda::std {

using namespace ::std;
template <class T>
using atomic = cuda::atomic<T>;
template <class T>
using atomic_ref = cuda::atomic_ref<T>;
template <class Completion = cuda::detail::nothing>
using barrier = cuda::barrier<thread_scope_system, Completion>;
using latch = cuda::latch<>;
template <::std::ptrdiff_t Most = 0x7fffffff>
using counting_semaphore = cuda::counting_semaphore<thread_scope_system, Most>;
using binary_semaphore = cuda::binary_semaphore<>;

}  // namespace cuda::std
