// The processes that MPI has started to run a command on files together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/failure.hpp"
#include "files/team.hpp"

namespace warpfold::cli {

class ranks : public files::team {
 public:
  /// Throws usage_error where the ranks were given different words, data_error where MPI is one
  /// that takes no threads.
  virtual void check() = 0;
  /// The end of a command that failed here, or that found out that another rank did: one of those
  /// that failed says why, and all get its exit code.
  virtual int fail(const failure& f) = 0;
};

/// All of them. The program that knows MPI (mpi_ranks.cpp) begins it, and ends it with the object.
/// The plain one (no_ranks.cpp), which needs no MPI on the machine, throws other_program, to run
/// that one in its place and to see how it ends: after a kill, it removes what is left in the
/// folders of these files.
std::unique_ptr<ranks> join_ranks(const std::vector<std::string>& outputs);

}  // namespace warpfold::cli
