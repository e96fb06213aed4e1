#include "simt/src/run/machine.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "simt/src/run/device.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/schedule.hpp"

namespace simt::detail {

namespace {

/// OS threads that wait for launches; the caller of a launch is a worker too.
class pool {
 public:
  pool() {
    for (unsigned i = 1; i < default_workers(); ++i) {
      threads_.emplace_back([this, i](const std::stop_token& stop) { serve(stop, i); });
    }
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool() {
    {
      // A thread that has just found no reason to wake up must be asleep before it is notified.
      const std::scoped_lock lock(mutex_);
      for (auto& t : threads_) t.request_stop();
    }
    wake_.notify_all();
  }

  /// Runs `job(i)` for i in [0, workers), this thread taking 0; without `all` it leaves out those
  /// that have not begun when its own has ended. One call at a time.
  void run(unsigned workers, bool all, const std::function<void(unsigned)>& job) {
    if (workers == 1) return job(0);
    {
      const std::scoped_lock lock(mutex_);
      job_ = &job;
      wanted_ = workers;
      to_begin_ = workers - 1;
      ++round_;
    }
    wake_.notify_all();
    job(0);
    std::unique_lock lock(mutex_);
    if (!all) wanted_ = to_begin_ = 0;
    done_.wait(lock, [&] { return to_begin_ == 0 && busy_ == 0; });
  }

 private:
  /// A worker's job is always the same thread's: its fibers keep addresses of that one's variables.
  void serve(const std::stop_token& stop, unsigned index) {
    for (std::uint64_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop.stop_requested() || round_ != seen; });
      if (stop.stop_requested()) return;
      seen = round_;
      if (index >= wanted_) continue;
      --to_begin_;
      ++busy_;
      const auto* const job = job_;
      lock.unlock();
      (*job)(index);
      lock.lock();
      if (--busy_ == 0 && to_begin_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(unsigned)>* job_ = nullptr;
  unsigned wanted_ = 0, to_begin_ = 0, busy_ = 0;
  std::uint64_t round_ = 0;
  std::vector<std::jthread> threads_;
};

struct machine {
  std::mutex launching;  // one launch at a time: the workers are shared
  std::vector<std::unique_ptr<worker>> workers;
  pool threads;  // last: its threads use the workers

  machine() {
    for (unsigned i = 0; i < default_workers(); ++i) workers.push_back(std::make_unique<worker>());
  }
};

machine& the_machine() {
  static machine m;
  return m;
}

}  // namespace

std::string wrong_shape(const launch_config& c) {
  const std::uint64_t threads = std::uint64_t{c.block.x} * c.block.y * c.block.z;
  const std::uint64_t blocks = std::uint64_t{c.grid.x} * c.grid.y * c.grid.z;
  if (threads == 0 || blocks == 0) {
    const std::string text = "a grid without threads; skip the launch if n is 0";
    if (threads < 2) return text;
    return text + ", else round the number of blocks up: (n + " + std::to_string(threads - 1) +
           ") / " + std::to_string(threads);
  }
  if (threads > max_threads_per_block) {
    return std::to_string(threads) + " threads in a block; a device takes at most 1024";
  }
  if (c.block.x > max_threads_per_block || c.block.y > max_threads_per_block || c.block.z > 64) {
    return "a block beyond (1024, 1024, 64) threads";
  }
  if (c.grid.y > 65535 || c.grid.z > 65535 || c.grid.x > 2147483647U) {
    return "a grid beyond (2^31-1, 65535, 65535) blocks";
  }
  return {};
}
std::string wrong_clusters(const launch_config& c) {
  const unsigned cluster = blocks_of_cluster(c);
  if (cluster > 1 && !the_device().is_9_0()) {
    return "clusters of " + triple(c.cluster) + " blocks need compute capability 9.0; " +
           says_device();
  }
  if (cluster == 0 || cluster > max_cluster || c.grid.x % c.cluster.x != 0 ||
      c.grid.y % c.cluster.y != 0 || c.grid.z % c.cluster.z != 0) {
    return "clusters of " + triple(c.cluster) + " blocks in a grid of " + triple(c.grid) +
           "; they must divide the grid and have at most 16 each";
  }
  return {};
}
void check_shape(const launch_config& c) {
  for (const std::string& why : {wrong_shape(c), wrong_clusters(c)}) {
    if (!why.empty()) throw launch_error("simt::launch: " + why);
  }
}

std::vector<std::uint32_t> order_of_clusters(std::uint64_t clusters, std::uint64_t seed) {
  if (seed == 0) return {};
  std::vector<std::uint32_t> order(clusters);
  std::iota(order.begin(), order.end(), 0U);
  if (order_of(seed) == run_order::descending) {
    std::reverse(order.begin(), order.end());
  } else {
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  }
  if (order_of(seed) == run_order::starving) {
    std::swap(*std::find(order.begin(), order.end(), seed / 2 % clusters), order.back());
  }
  return order;
}

unsigned most_workers() { return static_cast<unsigned>(the_machine().workers.size()); }

std::unique_lock<std::mutex> occupy_machine() { return std::unique_lock(the_machine().launching); }

counters run_on_machine(grid& g, unsigned workers) {
  machine& m = the_machine();
  for (unsigned i = 0; i < workers; ++i) m.workers[i]->total = {};
  m.threads.run(workers, !g.observers.empty(), [&](unsigned i) {
    try {
      m.workers[i]->run(g, i);
    } catch (...) {
      const std::scoped_lock lock(g.mutex);
      g.thrown = std::current_exception();
      g.stop = true;
      m.workers[i] = std::make_unique<worker>();
    }
  });
  counters total;
  for (unsigned i = 0; i < workers; ++i) total += m.workers[i]->total;
  return total;
}

}  // namespace simt::detail

unsigned simt::default_workers() {
  static const unsigned cores = [] {
    const char* const asked = std::getenv("SIMT_WORKERS");
    const unsigned wanted =
        asked == nullptr ? 0 : static_cast<unsigned>(std::strtoul(asked, nullptr, 10));
    return wanted != 0 ? std::min(wanted, 1024U)
                       : std::max(1U, std::thread::hardware_concurrency());
  }();
  return cores;
}
