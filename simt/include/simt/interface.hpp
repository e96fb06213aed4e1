// Keeps apart what was not made for each other: objects of kernels and the machine's archive. What
// a kernel's object and the machine pass to each other has a number; an object that was compiled
// for another one does not link, and the linker names this symbol.
#pragma once

/// Whoever changes a type or a function that objects and the archive share raises the number.
#define SIMT_INTERFACE simt_objects_of_another_version_are_to_be_compiled_anew_5

extern "C" const char SIMT_INTERFACE;

namespace simt::detail {
[[gnu::used]] static const char* const needed_interface = &SIMT_INTERFACE;
}  // namespace simt::detail
