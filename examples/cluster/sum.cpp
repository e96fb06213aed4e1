// An exact sum, a scan and a sort across the ranks of MPI: each rank has a part of the numbers.
#include <cstdio>
#include <vector>

#include "warpfold/mpi.hpp"

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const auto ranks = warpfold::across(MPI_COMM_WORLD, warpfold::host);

  std::vector<double> part;  // rank 0 has 1000 values, rank 1 has 2000, …
  for (int i = 0; i < 1000 * (ranks.rank() + 1); ++i) part.push_back(0.1 * (i % 77));

  const double sum = warpfold::exact_sum(ranks, part);  // the same bits on every rank
  std::vector<double> before(part.size());
  warpfold::exclusive_scan(ranks, part, before, 0.0);
  warpfold::sort(ranks, part);  // the smallest values are on rank 0 now
  std::printf("rank %d of %d: sum %.17g, before mine %.1f, smallest here %.1f\n", ranks.rank(),
              ranks.size(), sum, before.front(), part.front());
  MPI_Finalize();
}
