// The library across the GPUs of an NCCL communicator: `across` makes the place of a device's call.
//
//   const auto gpus = warpfold::across(comm, warpfold::device.on(stream));     // one rank a device
//   double sum = warpfold::exact_sum(gpus, my_part);                          // the same on each
//   warpfold::exclusive_scan(gpus, my_part, my_part, 0).throw_if_failed("a scan");
//
// All ranks make the same calls in the same order, each with its part of the values; parts may
// differ in length and may be empty. Results are those of all parts on one GPU, one after the other
// in the order of the ranks; at determinism::gpu_to_gpu they have the same bits for any number of
// GPUs and any split. NCCL moves all data. Calls that return a status are stream-ordered; sorts
// and group_by wait for the numbers of the rows to send. `all_devices` makes the communicator of a
// process with several devices. Needs a device compiler; link warpfold::nccl.
#pragma once

#include "warpfold/environment.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/nccl/devices.cuh"
#include "warpfold/nccl/exact.cuh"
#include "warpfold/nccl/group.cuh"
#include "warpfold/nccl/keys.cuh"
#include "warpfold/nccl/reduce.cuh"
#include "warpfold/nccl/scan.cuh"
#include "warpfold/nccl/sort.cuh"
#endif
