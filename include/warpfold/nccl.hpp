// The library across the GPUs of an NCCL communicator: every call of the device with a place more.
//
//   const auto gpus = warpfold::across(comm, warpfold::device.on(stream));     // one rank a device
//   double sum = warpfold::exact_sum(gpus, my_part);                          // the same on each
//   warpfold::exclusive_scan(gpus, my_part, my_part, 0).throw_if_failed("a scan");
//
// All ranks make the same calls in the same order, each with its part of the values; parts may
// differ in length and may be empty. Results are as if all parts stood one behind the other on one
// GPU; at determinism::gpu_to_gpu they have the same bits for any number of GPUs and any split.
// Data moves by NCCL alone. What returns a status is stream-ordered; sorts wait for the host once
// they know what travels. `all_devices` makes the communicator of a process with several devices.
// A device compiler's: link warpfold::nccl.
#pragma once

#include "warpfold/environment.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/nccl/devices.cuh"
#include "warpfold/nccl/exact.cuh"
#include "warpfold/nccl/reduce.cuh"
#include "warpfold/nccl/scan.cuh"
#include "warpfold/nccl/sort.cuh"
#endif
