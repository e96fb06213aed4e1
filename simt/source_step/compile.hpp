// The compiler with the source step in between.
#pragma once

#include <string>
#include <vector>

namespace simt::source_step {

using words = std::vector<std::string>;

/// Runs a command and returns its exit code; 127 and a line on stderr if it can't be started. What
/// it writes to stderr goes to the file `messages`, if there is one.
int run(words command, const std::string& messages = {});

/// What any file finds defined that nvcc compiles, as options: the version is CUDA 13.0's.
const words& macros_of_nvcc();

/// What a .cu file finds defined when this command preprocesses it, as options: `__CUDA_ARCH__` is
/// what SIMT_CUDA_ARCH is there, or 900.
words macros_of_cuda(const words& command);

/// A compiler's command with `-c FILE` and `-o FILE`, for a file with kernels: translates it to
/// LLVM assembly, instruments that and makes the object of it. With `-DSIMT_CUDA_SOURCE` the file
/// is preprocessed, checked and rewritten before. Returns the exit code.
int compile(const words& command);

}  // namespace simt::source_step
