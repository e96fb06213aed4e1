// What MPI's launcher, mpirun or srun, says of the processes that it has started; without MPI.
#pragma once

#include <string>

namespace warpfold::cli {

/// Whether it has started more processes than this one.
bool are_ranks();

/// "rank 1 of 3", as far as it is known.
std::string rank_in_words();

/// Whether another process, which was given the same words, says what all of them would say.
bool another_rank_speaks();

}  // namespace warpfold::cli
