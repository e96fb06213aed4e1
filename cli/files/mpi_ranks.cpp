#include <csignal>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <mpi.h>

#include "cli/files/ranks.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

/// Another rank has failed.
class failed_elsewhere : public error {
 public:
  failed_elsewhere() : error("another rank has failed") {}
};

/// MPI's errors end all ranks (MPI_ERRORS_ARE_FATAL), so calls return only where they succeed.
class mpi_ranks final : public ranks {
 public:
  mpi_ranks() {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    has_threads_ = level >= MPI_THREAD_FUNNELED;
  }
  ~mpi_ranks() override { MPI_Finalize(); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void check() override {
    if (!has_threads_) {
      throw data_error(
          "this MPI does not support threads; use one that supports MPI_THREAD_FUNNELED");
    }
    std::ifstream words("/proc/self/cmdline", std::ios::binary);
    std::string call{std::istreambuf_iterator<char>(words), std::istreambuf_iterator<char>()};
    call.erase(0, call.find('\0'));
    if (agrees(std::hash<std::string>{}(call))) return;
    throw usage_error(
        "the ranks have different arguments; start all ranks with the same command line");
  }

  void meet() override {
    teller_ = first_failed(no_rank);
    if (teller_ != no_rank) throw failed_elsewhere();
  }
  bool agrees(std::uint64_t value) override {
    meet();
    const std::uint64_t mine[2] = {value, ~value};
    std::uint64_t most[2];
    MPI_Allreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return most[0] == ~most[1];
  }
  void from_first(std::span<std::byte> bytes) override {
    meet();
    MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  void in_turn(std::span<std::byte> bytes, const std::function<void()>& f) override {
    meet();
    const int count = static_cast<int>(bytes.size());
    if (rank_ > 0) {
      MPI_Recv(bytes.data(), count, MPI_BYTE, rank_ - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    std::exception_ptr failed;  // and the others' turns come nevertheless
    try {
      f();
    } catch (...) {
      failed = std::current_exception();
    }
    if (rank_ + 1 < size_) {
      MPI_Send(bytes.data(), count, MPI_BYTE, rank_ + 1, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(bytes.data(), count, MPI_BYTE, size_ - 1, MPI_COMM_WORLD);
    if (failed) std::rethrow_exception(failed);
  }

  int fail(const failure& f) override {
    // As soon as one process has ended with a code, mpirun ends the others, who do so anyway.
    std::signal(SIGTERM, SIG_IGN);
    if (teller_ == no_rank) teller_ = first_failed(rank_);
    if (rank_ == teller_) say(f.code, fmt::format("rank {} of {}: {}", rank_, size_, f.what));
    int code = f.code;
    MPI_Bcast(&code, 1, MPI_INT, teller_, MPI_COMM_WORLD);
    return code;
  }

 private:
  static constexpr int no_rank = std::numeric_limits<int>::max();

  /// The least of the ranks that have failed, if each gives itself or no_rank.
  static int first_failed(int mine) {
    int first = 0;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
  }
  int rank_ = 0, size_ = 1;
  int teller_ = no_rank;  // the rank that prints the failure
  bool has_threads_ = false;
};

}  // namespace

std::unique_ptr<ranks> join_ranks(const std::vector<std::string>& /*outputs*/) {
  return std::make_unique<mpi_ranks>();
}

}  // namespace warpfold::cli
