// Calls across ranks on parts that a file has for each, for oracle.py: rank r reads FOLDER/in.r,
// f64 values, and writes what the calls say to FOLDER/<call>.r.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "warpfold/mpi.hpp"

namespace {

std::vector<double> read(const std::string& path) {
  std::vector<double> values(std::filesystem::file_size(path) / sizeof(double));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}
template <class T>
void write(const std::string& path, const std::vector<T>& values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  {
    const auto ranks = warpfold::across(MPI_COMM_WORLD, warpfold::host.threads(1)).checked();
    const std::string folder = std::string(argv[1]) + "/",
                      mine = "." + std::to_string(ranks.rank());
    const auto part = read(folder + "in" + mine);
    const auto about = warpfold::statistics(ranks, part);
    const auto ends = warpfold::minmax(ranks, part);
    write(
        folder + "numbers" + mine,
        std::vector{warpfold::exact_sum(ranks, part), warpfold::exact_dot(ranks, part, part),
                    warpfold::reduce(ranks, part, 0.0), warpfold::mean(ranks, part), about.variance,
                    ends.min, ends.max, static_cast<double>(warpfold::argmin(ranks, part).index),
                    static_cast<double>(warpfold::argmax(ranks, part).index)});
    std::vector<double> out(part.size());
    warpfold::exclusive_scan(ranks, part, out, 1.0);
    write(folder + "exclusive" + mine, out);
    warpfold::inclusive_scan(ranks, part, out, warpfold::maximum{}, -1e9);
    write(folder + "highest" + mine, out);
    // Rows of which many have one key: the row's number goes along.
    std::vector<std::int64_t> keys, rows(part.size());
    for (const double v : part) keys.push_back(static_cast<std::int64_t>(v) / 10);
    std::uint64_t before = 0, count = part.size();
    MPI_Exscan(&count, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(before));
    warpfold::balanced_sort_by_key(ranks, keys, rows);
    write(folder + "rows" + mine, rows);
  }
  MPI_Finalize();
}
