// An untrusted program, run with limits. Where there is bubblewrap it has no network, no
// files but its folder's and the system's programs, and no processes but its own; without it there
// are the limits alone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace warpfold::cli::judge {

struct limits {
  double seconds = 60;
  std::size_t memory_bytes = std::size_t{2} << 30;
  std::size_t processes = 32;
};

struct ending {
  int code = 0, signal = 0;
  bool timed_out = false, out_of_memory = false, too_many = false;
  double seconds = 0;
};

/// How hand-ins are confined here: "bubblewrap" or "limits only".
enum class confinement { bubblewrap, limits_only };
confinement confinement_here();
std::string name_of(confinement c);

/// A program that is trusted with the user's files, as a compiler: only its processors' time, which
/// other programs don't lengthen, and its memory are limited. What it says goes into the file
/// `said` of the folder.
ending run_limited(const std::vector<std::string>& words, const std::filesystem::path& folder,
                   const limits& most);
/// A program that is trusted with nothing, in this folder, which it may read and write.
ending run_confined(const std::vector<std::string>& words, const std::filesystem::path& folder,
                    const limits& most);

}  // namespace warpfold::cli::judge
