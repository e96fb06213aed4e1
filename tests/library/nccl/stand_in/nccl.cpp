#include "nccl.h"

#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace {

/// What all ranks of a communicator share.
struct clique {
  explicit clique(int count) : all_here(count), from(static_cast<std::size_t>(count)) {}
  std::barrier<> all_here;
  std::vector<const void*> from;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int, int>, std::deque<const void*>> sent;  // by sender and receiver
};

struct transfer {
  ncclComm_t comm;
  int other;
  const void* from;  // of a send
  void* to;          // of a receive
  std::size_t bytes;
  cudaStream_t stream;
};
thread_local std::vector<transfer> group;
thread_local int depth = 0;

}  // namespace

struct ncclComm {
  std::shared_ptr<clique> ranks;
  int rank;
  bool blocks = true;
  int asked = 0;  // since the last call, where it does not block
};

namespace {

/// What a call answers that has ended.
ncclResult_t ended(ncclComm_t comm) {
  comm->asked = 0;
  return comm->blocks ? ncclSuccess : ncclInProgress;
}

void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (to != from) cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

/// Sends are offered, receives taken, and then waited for until the others have taken ours.
void run_group() {
  for (const transfer& t : group) {
    if (t.from == nullptr) continue;
    const std::scoped_lock lock(t.comm->ranks->mutex);
    t.comm->ranks->sent[{t.comm->rank, t.other}].push_back(t.from);
    t.comm->ranks->changed.notify_all();
  }
  for (const transfer& t : group) {
    if (t.to == nullptr) continue;
    std::unique_lock lock(t.comm->ranks->mutex);
    auto& queue = t.comm->ranks->sent[{t.other, t.comm->rank}];
    t.comm->ranks->changed.wait(lock, [&] { return !queue.empty(); });
    copy(t.to, queue.front(), t.bytes, t.stream);
    queue.pop_front();
    t.comm->ranks->changed.notify_all();
  }
  for (const transfer& t : group) {
    std::unique_lock lock(t.comm->ranks->mutex);
    t.comm->ranks->changed.wait(lock, [&] {
      return t.comm->ranks->sent[{t.comm->rank, t.other}].empty();
    });
  }
  group.clear();
}

ncclResult_t add(const transfer& t) {
  group.push_back(t);
  if (depth == 0) run_group();
  return ncclSuccess;
}

}  // namespace

const char* ncclGetErrorString(ncclResult_t) { return "an error of the stand-in"; }

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int*) {
  const auto ranks = std::make_shared<clique>(count);
  for (int r = 0; r < count; ++r) comms[r] = new ncclComm{ranks, r};
  return ncclSuccess;
}
void ncclStandInDoesNotBlock(ncclComm_t comm) { comm->blocks = false; }
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  *error = comm->blocks || ++comm->asked > 3 ? ncclSuccess : ncclInProgress;
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  *count = static_cast<int>(comm->ranks->from.size());
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}

ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  if (type != ncclUint8) return ncclInvalidArgument;
  clique& all = *comm->ranks;
  all.from[static_cast<std::size_t>(comm->rank)] = from;
  all.all_here.arrive_and_wait();
  for (std::size_t r = 0; r < all.from.size(); ++r) {
    copy(static_cast<char*>(to) + r * count, all.from[r], count, stream);
  }
  all.all_here.arrive_and_wait();
  return ended(comm);
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t, ncclComm_t comm, cudaStream_t stream) {
  if (type != ncclUint64) return ncclInvalidArgument;
  clique& all = *comm->ranks;
  all.from[static_cast<std::size_t>(comm->rank)] = from;
  all.all_here.arrive_and_wait();
  std::vector<std::uint64_t> sum(count), next(count);
  for (const void* const part : all.from) {
    cudaMemcpy(next.data(), part, count * sizeof next[0], cudaMemcpyDefault);
    for (std::size_t i = 0; i < count; ++i) sum[i] += next[i];
  }
  all.all_here.arrive_and_wait();
  copy(to, sum.data(), count * sizeof sum[0], stream);
  all.all_here.arrive_and_wait();
  return ended(comm);
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t, int to, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({comm, to, from, nullptr, count, stream});
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t, int from, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({comm, from, nullptr, to, count, stream});
}
ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--depth == 0) run_group();
  return ncclSuccess;
}
