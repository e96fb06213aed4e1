// The processes that run one command together, each on its part of the files. This room knows what
// it needs of them; MPI comes with the program (cli/files/mpi_team.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace warpfold::files {

/// All call the same functions in the same order. Each begins by finding out whether one has failed
/// meanwhile, and then throws on all: so no rank waits for one that is not coming.
class team {
 public:
  virtual ~team() = default;
  /// This process, from 0.
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Returns when all have come.
  virtual void meet() = 0;
  /// Whether all have the same value.
  [[nodiscard]] virtual bool agrees(std::uint64_t value) = 0;
  /// The first rank's bytes, to all.
  virtual void from_first(std::span<std::byte> bytes) = 0;
  /// f() on one rank after the other: in `bytes` it finds what the rank before has left there. At
  /// the end all have what the last one has left.
  virtual void in_turn(std::span<std::byte> bytes, const std::function<void()>& f) = 0;
};

/// The first rank's name of a file, on all.
inline std::string name_from_first(team& ranks, std::string name) {
  name.resize(256);  // NAME_MAX, and a zero
  ranks.from_first(std::as_writable_bytes(std::span(name)));
  return name.c_str();
}

}  // namespace warpfold::files
