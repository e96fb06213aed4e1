// streams_probe [n] [chunks] [passes] [samples]: the streams ladder on the GPU, with its timelines,
// without the other ladders' kernels, which take minutes to compile.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cli/ladder/streams_text.hpp"
#include "measure/facts.hpp"
#include "measure/table.hpp"
#include "warpfold/error.hpp"

namespace {

using namespace warpfold;

int run(std::size_t n, unsigned chunks, unsigned passes, unsigned samples) {
  std::vector<std::int32_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::int32_t>(i * 2654435761U >> 8);
  const ladder::streams_problem problem{.values = {value_type::i32, values.data(), n},
                                        .chunks = chunks,
                                        .passes = passes,
                                        .samples = samples,
                                        .on_gpu = true};
  const auto found = ladder::run_streams_ladder(problem, ladder::streams_rungs(true));
  std::vector<measure::measurement> rows;
  bool right = true;
  for (const auto& row : found.rows) {
    rows.push_back(row.record);
    right = right && measure::is_right(row.record);
  }
  std::fputs(
      measure::table(cli::streams_title(rows), cli::streams_columns(rows, measure::view::terminal))
          .c_str(),
      stdout);
  std::fputs(("measured, " + cli::speeds_text(found.speeds)).c_str(), stdout);
  for (const auto& row : found.rows) std::fputs(("\n" + cli::timeline_text(row)).c_str(), stdout);
  std::fputs(cli::timeline_legend, stdout);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, unsigned long otherwise) {
    return argc > i ? std::strtoul(argv[i], nullptr, 10) : otherwise;
  };
  try {
    return run(number(1, 1UL << 26), static_cast<unsigned>(number(2, 8)),
               static_cast<unsigned>(number(3, 1)), static_cast<unsigned>(number(4, 10)));
  } catch (const warpfold::error& e) {
    std::fprintf(stderr, "streams_probe: %s\n", e.what());
    return 3;
  }
}
