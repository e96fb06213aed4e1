// The library across the ranks of an MPI communicator: `across` makes the place of a call.
//
//   MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
//   const auto ranks = warpfold::across(MPI_COMM_WORLD, warpfold::host);
//   double sum = warpfold::exact_sum(ranks, my_part);       // the same on every rank
//   warpfold::exclusive_scan(ranks, my_part, my_part, 0);
//   warpfold::sort(ranks, my_part);
//
// All ranks make the same calls in the same order, each with its part of the values; parts may
// differ in length and may be empty. Results are those of all parts on one machine, one after the
// other in the order of the ranks; at determinism::gpu_to_gpu they have the same bits for any
// number of ranks and any split. docs/cluster.md lists the messages of each call. Link
// warpfold::mpi.
#pragma once

#include "warpfold/mpi/communicator.hpp"
#include "warpfold/mpi/exact.hpp"
#include "warpfold/mpi/group.hpp"
#include "warpfold/mpi/histogram.hpp"
#include "warpfold/mpi/keys.hpp"
#include "warpfold/mpi/quantiles.hpp"
#include "warpfold/mpi/reduce.hpp"
#include "warpfold/mpi/scan.hpp"
#include "warpfold/mpi/sort.hpp"
#include "warpfold/mpi/top_k.hpp"
