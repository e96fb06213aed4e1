// usage: warpfold_bench_files FOLDER [GiB of f32 to reduce] [log2 of the u32 keys to sort]
// The commands on files beside what one would do without them, in turns, with the files in the page
// cache: NumPy's sum of a mapped file (where Python has NumPy), and std::sort of what is in memory.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/host/processor.hpp"
#include "commit.hpp"  // generated at each build
#include "data/array.hpp"
#include "data/file.hpp"
#include "data/npy_header.hpp"
#include "data/output_file.hpp"
#include "data/read.hpp"
#include "measure/json.hpp"

namespace warpfold::bench {
namespace {

constexpr int repetitions = 5;

std::string output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = pipe == nullptr ? EOF : std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    out += static_cast<char>(c);
  }
  if (pipe == nullptr || pclose(pipe) != 0) throw error("failed: " + command);
  return out;
}

struct contestant {
  measure::measurement record;
  std::function<double()> seconds;  // of one run, checked; negative if it was wrong
};

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

measure::measurement record(const char* what, const char* name, value_type type, std::size_t n) {
  measure::measurement m{.ladder = what, .name = name, .backend = "host"};
  m.type = name_of(type);
  m.n = n;
  m.useful_bytes = n * size_of(type);
  m.verdict.right = true;
  m.timing.emplace();
  return m;
}

/// By turns, so that a busy spell of the machine hits all alike.
void compete(std::vector<contestant> all, std::vector<measure::measurement>& rows) {
  for (int i = 0; i < repetitions; ++i) {
    for (auto& c : all) {
      const double time = c.seconds();
      c.record.verdict.right = c.record.verdict.right && time > 0;
      c.record.timing->samples_us.push_back(std::fabs(time) * 1e6);
    }
  }
  for (auto& c : all) {
    std::fprintf(stderr, "%s %-34s %8.3f s  %s\n", c.record.ladder.c_str(), c.record.name.c_str(),
                 c.record.timing->median() / 1e6, c.record.verdict.right ? "right" : "WRONG");
    rows.push_back(std::move(c.record));
  }
}

template <class T>
std::vector<T> fill(const std::filesystem::path& path, std::size_t n) {
  std::mt19937_64 random(std::random_device{}());
  std::vector<T> values(n);
  for (T& v : values) {
    const std::uint64_t bits = random();
    if constexpr (std::is_floating_point_v<T>)
      v = static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);
    else
      v = static_cast<T>(bits);
  }
  const auto header = data::make_npy_header(data::type_of<T>(), std::span(&n, 1));
  data::replace_file(path, {std::as_bytes(std::span(header)), std::as_bytes(std::span(values))});
  return values;
}

void reductions(const std::filesystem::path& folder, std::size_t n,
                std::vector<measure::measurement>& rows) {
  const std::string file = folder / "values.npy";
  double sum = 0, magnitude = 0;
  {
    const auto values = fill<float>(file, n);
    for (const float v : values) sum += v, magnitude += v;
  }
  const auto timed = [&](const std::string& command, double bound) {
    return [=] {
      std::string out;
      const double time = seconds_of([&] { out = output_of(command); });
      return std::fabs(std::stod(out) - sum) <= bound ? time : -time;
    };
  };
  std::vector<contestant> all{
      {record("reduce file", "warpfold reduce", value_type::f32, n),
       timed(WARPFOLD_PROGRAM " reduce " + file, 1e-9 * magnitude)},
      {record("reduce file", "warpfold reduce --op exact-sum", value_type::f32, n),
       timed(WARPFOLD_PROGRAM " reduce --op exact-sum " + file, 1e-7 * magnitude)}};
  const std::string numpy =
      "python3 -c \"import numpy; print(numpy.sum(numpy.load('" + file + "', mmap_mode='r')))\"";
  if (std::system("python3 -c 'import numpy' 2>/dev/null") == 0) {
    all.push_back({record("reduce file", "numpy.sum of a mapped file", value_type::f32, n),
                   timed(numpy, 1e-4 * magnitude)});
  } else {
    std::fprintf(stderr, "no NumPy here to compare with (Debian: python3-numpy)\n");
  }
  compete(std::move(all), rows);
  std::filesystem::remove(file);
}

void sorts(const std::filesystem::path& folder, std::size_t n,
           std::vector<measure::measurement>& rows) {
  const std::filesystem::path file = folder / "keys.npy", out = folder / "sorted.npy";
  const auto keys = fill<std::uint32_t>(file, n);
  auto sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  const std::string command = WARPFOLD_PROGRAM " sort " + file.string() + " -o " + out.string() +
                              " --force --memory 512MiB";
  const auto is_right = [&] {
    const data::input_file result(out);
    const std::size_t header = result.size() - n * 4;
    std::vector<std::uint32_t> part(std::size_t{1} << 20);
    for (std::size_t at = 0; at < n; at += part.size()) {
      const auto now = std::span(part).first(std::min(part.size(), n - at));
      result.read(header + at * 4, std::as_writable_bytes(now));
      if (std::memcmp(now.data(), sorted.data() + at, now.size_bytes()) != 0) return false;
    }
    return true;
  };
  compete({{record("sort file", "warpfold sort --memory 512MiB", value_type::u32, n),
            [&] {
              const double time = seconds_of([&] { output_of(command); });
              return is_right() ? time : -time;
            }},
           {record("sort file", "std::sort in memory", value_type::u32, n),
            [&] {
              auto copy = keys;
              const double time = seconds_of([&] { std::sort(copy.begin(), copy.end()); });
              return copy == sorted ? time : -time;
            }}},
          rows);
  std::filesystem::remove(file);
  std::filesystem::remove(out);
}

int run(const std::filesystem::path& folder, std::size_t gibibytes, unsigned log_keys) {
  std::vector<measure::measurement> rows;
  reductions(folder, (gibibytes << 30) / sizeof(float), rows);
  sorts(folder, std::size_t{1} << log_keys, rows);
  const auto command =
      "warpfold_bench_files FOLDER " + std::to_string(gibibytes) + " " + std::to_string(log_keys);
  std::puts(measure::json_document(
                rows, {.device = processor() + ", " +
                                 std::to_string(std::thread::hardware_concurrency()) + " cores",
                       .commit = commit,
                       .command = command})
                .c_str());
  return std::all_of(rows.begin(), rows.end(), [](const auto& m) { return m.verdict.right; }) ? 0
                                                                                              : 1;
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    const int gibibytes = argc > 2 ? std::atoi(argv[2]) : 4,
              log_keys = argc > 3 ? std::atoi(argv[3]) : 28;
    if (argc < 2 || gibibytes < 1 || log_keys < 1 || log_keys > 40) {
      std::fprintf(stderr,
                   "usage: warpfold_bench_files FOLDER [GiB of f32 to reduce] "
                   "[log2 of the u32 keys to sort]\n");
      return 2;
    }
    return warpfold::bench::run(argv[1], static_cast<std::size_t>(gibibytes),
                                static_cast<unsigned>(log_keys));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_bench_files: %s\n", e.what());
    return 5;
  }
}
