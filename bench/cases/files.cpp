// The commands on files beside what one would do without them, with the files in the page cache:
// NumPy's sum of a mapped file (where Python has NumPy), and std::sort of what is in memory.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "bench/cases/output_of.hpp"
#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"
#include "data/array.hpp"
#include "data/file.hpp"
#include "data/npy_header.hpp"
#include "data/output_file.hpp"
#include "data/read.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {
namespace {

measure::measurement record(const char* what, const char* name, value_type type, std::size_t n) {
  measure::measurement m{.ladder = what, .name = name};
  m.reference = !m.name.starts_with("warpfold");
  m.type = name_of(type), m.n = n, m.useful_bytes = n * size_of(type);
  return m;
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

void reductions(session& s, const std::filesystem::path& folder, std::size_t n) {
  const std::string file = folder / "values.npy";
  double sum = 0;
  for (const float v : fill<float>(file, n)) sum += v;
  std::string out;
  const auto by = [&](const char* name, const std::string& command, double bound) {
    return candidate{record("reduce file", name, value_type::f32, n),
                     [&out, command](std::size_t) { out = output_of(command); }, true,
                     [&, bound](std::size_t, std::size_t) {
                       const bool right =
                           std::fabs(std::strtod(out.c_str(), nullptr) - sum) <= bound;
                       return one_result(right, out);
                     }};
  };
  // The values are not negative, so that their sum is also that of their magnitudes.
  std::vector<candidate> all{by("warpfold reduce", WARPFOLD_PROGRAM " reduce " + file, 1e-9 * sum),
                             by("warpfold reduce --op exact-sum",
                                WARPFOLD_PROGRAM " reduce --op exact-sum " + file, 1e-7 * sum)};
  const std::string numpy =
      "python3 -c \"import numpy; print(numpy.sum(numpy.load('" + file + "', mmap_mode='r')))\"";
  if (std::system("python3 -c 'import numpy' 2>/dev/null") == 0) {
    all.push_back(by("numpy.sum of a mapped file", numpy, 1e-4 * sum));
  } else {
    std::fprintf(stderr, "no NumPy here to compare with (Debian: python3-numpy)\n");
  }
  s.add(time_on_host(s.samples(5), {.renew = [&] { out.clear(); }}, all));
  std::filesystem::remove(file);
}

void sorts(session& s, const std::filesystem::path& folder, std::size_t n) {
  const std::filesystem::path file = folder / "keys.npy", out = folder / "sorted.npy";
  const auto keys = fill<std::uint32_t>(file, n);
  auto sorted = keys, copy = keys;
  std::sort(sorted.begin(), sorted.end());
  const std::string command = WARPFOLD_PROGRAM " sort " + file.string() + " -o " + out.string() +
                              " --force --memory 512MiB";
  const auto file_is_right = [&](std::size_t, std::size_t) {
    const data::input_file result(out);
    const std::size_t header = result.size() - n * 4;
    std::vector<std::uint32_t> part(std::size_t{1} << 20);
    for (std::size_t at = 0; at < n; at += part.size()) {
      const auto now = std::span(part).first(std::min(part.size(), n - at));
      result.read(header + at * 4, std::as_writable_bytes(now));
      if (std::memcmp(now.data(), sorted.data() + at, now.size_bytes()) != 0) {
        return one_result(false, "the file is not sorted");
      }
    }
    return mistakes{};
  };
  const std::vector<candidate> all{
      {record("sort file", "warpfold sort --memory 512MiB", value_type::u32, n),
       [&](std::size_t) { output_of(command); }, true, file_is_right},
      {record("sort file", "std::sort in memory", value_type::u32, n),
       [&](std::size_t) { std::sort(copy.begin(), copy.end()); }, true,
       [&](std::size_t, std::size_t) { return one_result(copy == sorted); }}};
  const auto renew = [&] {
    copy = keys;
    std::filesystem::remove(out);
  };
  s.add(time_on_host(s.samples(5), {.renew = renew}, all));
  std::filesystem::remove(file);
  std::filesystem::remove(out);
}

void run_all(session& s) {
  const auto& words = s.args.words();
  const std::filesystem::path folder =
      words.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(words[0]);
  const std::size_t log_keys = s.args.word(2, 28);
  if (log_keys > 40) throw usage_error("2^40 keys at most");
  reductions(s, folder, (s.args.word(1, 4) << 30) / sizeof(float));
  sorts(s, folder, std::size_t{1} << log_keys);
}

}  // namespace

const bench_program program{
    "files", "",      "[FOLDER [GiB of f32 to reduce [log2 of the keys to sort]]]",
    run_all, nullptr, host_run_info};

}  // namespace warpfold::bench
