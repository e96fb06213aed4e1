// CUDA's runtime for host code, on the CPU machine: what a CUDA program calls around its kernels.
// Streams run in order, so work is done when a call returns; events hold the time at which they
// were recorded (or the virtual one of a simt::timeline). Statuses are CUDA's, the sticky ones too;
// what is behind one is said on stderr, or to simt::inspect where that watches.
#pragma once

#include "simt/launch.hpp"
#include "simt/runtime_calls.hpp"
#include "simt/runtime_kernels.hpp"
#include "simt/runtime_symbols.hpp"
#include "simt/textures.hpp"
