// Kernels of one form, each launched once with fixed input: run on a card under ncu by
// golden_probe.cpp, and on the CPU machine by the tests that compare the two.
#pragma once

#include <functional>
#include <vector>

#include <cuda_runtime.h>

/// How many values a run has: `n`, three times in the input and the output.
inline constexpr int golden_n = 2048;

struct golden_run {
  const char* name;
  std::function<void(const int* in, int* out)> launch;
};

#define GOLDEN_RUN(kernel, grid, block)                                                   \
  {                                                                                       \
    #kernel, [=](const int* in, int* out) { kernel<<<grid, block>>>(in, out, golden_n); } \
  }

/// Launches the run with its input on the device, and waits; throws what went wrong.
void launch(const golden_run& r);

std::vector<golden_run> statement_runs();
/// The same, not optimised; on the CPU machine only.
std::vector<golden_run> statement_runs_as_written();
std::vector<golden_run> optimised_runs();
