// Calls across two ranks of one thread beside those of one process with two, in turns; an exact sum
// beside MPI's rounded one; and with --sorts=N sorts of N rows in seven orders, on as many of the
// ranks as 1, 2, 3, 4, 7 and 8, each against std::stable_sort. Run by mpirun with --bind-to none.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"
#include "warpfold/mpi.hpp"

namespace warpfold::bench {
namespace {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// All wait for all. MPI's barrier turns in a loop, and would take the core of those who work.
void wait_quietly(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  for (int done = 0; done == 0; usleep(200)) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

double processor_us() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(used.ru_utime) + us(used.ru_stime);
}

struct way {
  const char* name;
  std::function<void()> call;   // on every rank
  std::function<bool()> right;  // of this rank's results
};

/// The ways in turns. The time is that of the rank which takes longest, the processor's that of
/// all.
void time_ways(session& s, const measure::measurement& like, const std::function<void()>& renew,
               const std::vector<way>& ways, unsigned samples, double calls = 1) {
  measurements rows;
  for (const way& w : ways) {
    rows.push_back(like);
    rows.back().form = w.name, rows.back().timing.emplace(), rows.back().call = "single";
    rows.back().verdict = {true, "right on all ranks", "right on all ranks", 0, 0};
  }
  std::vector<std::vector<double>> processor(ways.size());
  for (unsigned k = 0; k <= samples; ++k) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      renew();
      wait_quietly(MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      const double before = processor_us();
      double took = time_us(ways[w].call), longest = 0, used = processor_us() - before, all = 0;
      wait_quietly(MPI_COMM_WORLD);
      int right = ways[w].right() ? 1 : 0, all_right = 0;
      MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      MPI_Allreduce(&used, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      if (all_right == 0) rows[w].verdict = {false, "wrong", "right on all ranks", 1, 0};
      if (k == 0) continue;  // threads begin, pages are mapped
      rows[w].timing->samples_us.push_back(longest / calls);
      processor[w].push_back(all / calls);
    }
  }
  for (std::size_t w = 0; w < ways.size(); ++w) {
    std::nth_element(processor[w].begin(), processor[w].begin() + samples / 2, processor[w].end());
    rows[w].counters.push_back({"processor_us", processor[w][samples / 2]});
  }
  if (rank_of(MPI_COMM_WORLD) == 0) s.add(std::move(rows));
}

measure::measurement record(const char* what, const char* type, std::size_t n, std::size_t bytes) {
  return {.ladder = what, .name = "warpfold", .n = n, .type = type, .useful_bytes = n * bytes};
}

constexpr char one_process[] = "1 process, 2 threads", two_ranks[] = "2 ranks, 1 thread each";

/// Values below 8, so that their sums are exact in any order.
template <class T>
std::vector<T> small_values(std::size_t n, unsigned seed) {
  std::vector<T> values(n);
  std::minstd_rand random(seed);
  for (T& v : values) v = static_cast<T>(random() % 8);
  return values;
}

void speed(session& s) {
  if (size_of(MPI_COMM_WORLD) != 2)
    throw usage_error("start two ranks: mpirun -n 2 --bind-to none");
  const auto ranks = across(MPI_COMM_WORLD, host.threads(1));
  const auto threads = host.threads(2);
  const bool first = ranks.rank() == 0;
  const std::size_t n = std::size_t{1} << s.args.number("log-n", 25);
  const auto mine = [&](const auto& all) {
    return std::span(all).subspan(first ? 0 : n / 2, n / 2);
  };
  const auto nothing = [] {};
  const unsigned samples = s.samples(21);
  {
    const auto all = small_values<double>(n, 1);
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    double result = 0;
    const auto right = [&] { return result == sum; };
    const std::vector<double> part(mine(all).begin(), mine(all).end());
    time_ways(
        s, record("reduce", "f64", n, 8), [&] { result = first ? 0 : sum; },
        {{one_process,
          [&] {
            if (first) result = reduce(threads, all, 0.0);
          },
          right},
         {two_ranks, [&] { result = reduce(ranks, part, 0.0); }, right}},
        samples);
  }
  {
    const auto all = small_values<std::int32_t>(n, 2);
    std::vector<std::int32_t> expected(n), out(n), part(mine(all).begin(), mine(all).end());
    std::inclusive_scan(all.begin(), all.end(), expected.begin());
    std::vector<std::int32_t> out_part(part.size());
    time_ways(s, record("scan", "i32", n, 8), nothing,
              {{one_process,
                [&] {
                  if (first) inclusive_scan(threads, all, out);
                },
                [&] { return !first || out == expected; }},
               {two_ranks, [&] { inclusive_scan(ranks, part, out_part); },
                [&] { return std::ranges::equal(out_part, mine(expected)); }}},
              samples);
  }
  {
    std::vector<std::uint32_t> all(n);
    std::mt19937 random(3);
    for (auto& v : all) v = static_cast<std::uint32_t>(random());
    auto expected = all, keys = all;
    std::sort(expected.begin(), expected.end());
    std::vector<std::uint32_t> part;
    time_ways(
        s, record("sort", "u32", n, 8),
        [&] {
          keys = all;
          part.assign(mine(all).begin(), mine(all).end());
        },
        {{one_process,
          [&] {
            if (first) sort(threads, keys);
          },
          [&] { return !first || keys == expected; }},
         {two_ranks, [&] { sort(ranks, part); },
          [&] { return std::ranges::equal(part, mine(expected)); }}},
        std::max(3U, samples / 3));
  }
  constexpr int calls =
      20;  // short, so that both ranks can keep their cores even where others work
  const std::vector<double> one{first ? 0.5 : 0.25};
  double result = 0;
  const auto right = [&] { return result == 0.75; };
  time_ways(
      s, record("exact_sum", "f64", 2, 8), [&] { result = 0; },
      {{"MPI_Allreduce",
        [&] {
          for (int k = 0; k < calls; ++k) {
            MPI_Allreduce(one.data(), &result, 1, MPI_DOUBLE, MPI_SUM, ranks.comm());
          }
        },
        right},
       {two_ranks,
        [&] {
          for (int k = 0; k < calls; ++k) result = exact_sum(ranks, one);
        },
        right}},
      samples, calls);
}

const char* const orders[] = {"random",     "equal", "three keys", "ascending",
                              "descending", "Zipf",  "interleaved"};

std::uint32_t key_of(int order, std::size_t i, std::size_t n, std::mt19937& random) {
  switch (order) {
    case 0: return static_cast<std::uint32_t>(random());
    case 1: return 7;
    case 2: return random() % 3;
    case 3: return static_cast<std::uint32_t>(i);
    case 4: return static_cast<std::uint32_t>(n - i);
    case 5: return static_cast<std::uint32_t>(1e6 / (1.0 + random() % 1'000'000));
    default: return static_cast<std::uint32_t>(i % 2 == 0 ? i : n - i);
  }
}

/// What rank 0 has, to all ranks of `comm`, each its part of equal parts but for one.
std::vector<std::uint32_t> scatter(MPI_Comm comm, const std::vector<std::uint32_t>& all,
                                   std::size_t n) {
  const auto begins = ranks_detail::even_begins(n, static_cast<std::uint64_t>(size_of(comm)));
  std::vector<int> from, counts;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    from.push_back(static_cast<int>(begins[r]));
    counts.push_back(static_cast<int>(begins[r + 1] - begins[r]));
  }
  std::vector<std::uint32_t> part(
      static_cast<std::size_t>(counts[static_cast<std::size_t>(rank_of(comm))]));
  MPI_Scatterv(all.data(), counts.data(), from.data(), MPI_UINT32_T, part.data(),
               static_cast<int>(part.size()), MPI_UINT32_T, 0, comm);
  return part;
}

/// Every rank has its equal part of what std::stable_sort makes of all rows, or the rows differ.
void sorts(session& s) {
  const std::size_t n = s.args.number("sorts", 0);
  for (int order = 0; order < 7; ++order) {
    std::vector<std::uint32_t> keys, sorted, expected;
    if (rank_of(MPI_COMM_WORLD) == 0) {
      std::mt19937 random(4);
      for (std::size_t i = 0; i < n; ++i) keys.push_back(key_of(order, i, n, random));
      expected.resize(n);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    }
    std::vector<std::uint32_t> rows(expected.size());
    std::iota(rows.begin(), rows.end(), 0);
    for (const int count : {1, 2, 3, 4, 7, 8}) {
      if (count > size_of(MPI_COMM_WORLD)) break;
      wait_quietly(MPI_COMM_WORLD);
      MPI_Comm some = MPI_COMM_NULL;
      const int rank = rank_of(MPI_COMM_WORLD);
      MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &some);
      if (some == MPI_COMM_NULL) continue;
      auto part = scatter(some, keys, n), items = scatter(some, rows, n);
      const auto should = scatter(some, expected, n);
      const auto place = across(some, host.threads(1));
      const double took = time_us([&] { balanced_sort_by_key(place, part, items); });
      int right = items == should ? 1 : 0, all_right = 0;  // as many, too: balanced to one row
      MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, some);
      if (rank == 0) {
        auto row = record("sort", "u32", n, 16);
        row.form = std::string(orders[order]) + ", " + std::to_string(count) + " ranks";
        row.timing = measure::timing{{took}};
        row.verdict = {all_right == 1, all_right == 1 ? "stable" : "wrong", "stable", 0, 0};
        s.add({row});
      }
      MPI_Comm_free(&some);
    }
    wait_quietly(MPI_COMM_WORLD);
  }
}

void run_all(session& s) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  s.args.has("sorts") ? sorts(s) : speed(s);
  const bool reports = rank_of(MPI_COMM_WORLD) == 0;
  MPI_Finalize();
  if (!reports) std::exit(0);
}

}  // namespace

const bench_program program{"ranks", " log-n= sorts=", "[--log-n=N] [--sorts=N]",
                            run_all, nullptr,          host_run_info};

}  // namespace warpfold::bench
