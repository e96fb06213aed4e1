// What CUDA and OpenGL share: declared, so that programs that draw only if asked compile.
#pragma once

#if __has_include(<GL/gl.h>)  // as CUDA's own header does
#include <GL/gl.h>
#endif

#include "simt/runtime/graphics_calls.h"
