// Across the ranks of MPI, from an installed package.
#include <cstdio>
#include <vector>

#include <warpfold/mpi.hpp>

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  bool is_right = false;
  {
    const auto ranks = warpfold::across(MPI_COMM_WORLD, warpfold::host);
    const std::vector<double> part(3, ranks.rank() == 0 ? 1e300 : -1e300 / (ranks.size() - 1));
    std::vector<int> keys(2, -ranks.rank());
    warpfold::sort(ranks, keys);
    is_right = ranks.size() == 2 && warpfold::exact_sum(ranks, part) == 0 &&
               keys.front() == ranks.rank() - 1;
  }
  MPI_Finalize();
  if (!is_right) std::puts("wrong: two ranks were to sum to 0 and to sort");
  return is_right ? 0 : 1;
}
