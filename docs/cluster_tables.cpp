#include "docs/cluster_tables.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/ladder/streams_svg.hpp"
#include "measure/text.hpp"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/exact/product.hpp"
#include "warpfold/mpi/contribution.hpp"
#include "warpfold/ranks/counted.hpp"
#include "warpfold/results.hpp"

namespace {

using warpfold::measure::json;

constexpr std::uint64_t rank_counts[] = {2, 8, 64, 1024, 10'000};

/// Steps of a collective call that doubles what a rank knows.
std::uint64_t doublings(std::uint64_t ranks) { return std::bit_width(ranks - 1); }

struct message_row {
  const char* call;
  std::uint64_t bytes;  // of what travels in each step
};

/// The time of a call, if the run has it.
std::optional<double> time_of(const json& results, std::string_view call, std::uint64_t n,
                              int gpus) {
  for (const json& row : results.at("calls")) {
    if (row.at("call") == call && row.at("n") == n && row.at("gpus") == gpus) {
      return row.at("microseconds").get<double>();
    }
  }
  return std::nullopt;
}

std::string time_text(std::optional<double> time) {
  return time ? fmt::format("{:.0f}", *time) : "";
}

}  // namespace

std::string cluster_messages_table() {
  using warpfold::mpi_detail::contribution, warpfold::ranks_detail::counted;
  using f32_sum = std::array<std::uint8_t, warpfold::exact_accumulator<float>::bytes>;
  using f64_sum = std::array<std::uint8_t, warpfold::exact_accumulator<double>::bytes>;
  using product = warpfold::detail::product_state<double>;
  constexpr message_row rows[] = {
      {"`reduce` to f64", sizeof(contribution<double>)},
      {"`minmax` of f64", sizeof(contribution<warpfold::min_max<double>>)},
      {"`argmin`, `argmax` of f64", sizeof(contribution<counted<warpfold::position<double>>>)},
      {"`mean`", sizeof(contribution<counted<double>>)},
      {"`statistics` of f64", sizeof(contribution<counted<warpfold::summary<double>>>)},
      {"`exact_sum` of f32", sizeof(contribution<f32_sum>)},
      {"`exact_sum` of f64", sizeof(contribution<f64_sum>)},
      {"`exact_dot` of f64", sizeof(contribution<product>)},
      {"a scan of f64", sizeof(contribution<double>)},
      {"what `checked()` adds", 2 * sizeof(std::uint64_t)}};
  std::string text = "| a rank sends, at most |", rule = "|---|";
  for (const std::uint64_t ranks : rank_counts) {
    text += fmt::format(" {} ranks |", ranks);
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const message_row& row : rows) {
    text += fmt::format("| {} |", row.call);
    for (const std::uint64_t ranks : rank_counts) {
      text += fmt::format(" {} messages, {} B |", doublings(ranks), doublings(ranks) * row.bytes);
    }
    text += "\n";
  }
  constexpr std::uint64_t offer = 24, pivot = 24, count = 8;  // of 4-byte keys
  text += "| a sort, each round of the search |";
  for (const std::uint64_t ranks : rank_counts) {
    text += fmt::format(" {} |", warpfold::measure::humanised(
                                     static_cast<double>(ranks * (offer + pivot + count)), "B"));
  }
  return text + "\n";
}

std::string multi_gpu_table(const json& results) {
  struct pair {
    const char *call, *alone;
  };
  constexpr pair calls[] = {{"reduce", "reduce on one GPU"},
                            {"reduce, in a graph", "reduce on one GPU, in a graph"},
                            {"reduce, then ncclAllReduce", "reduce on one GPU"},
                            {"exact_sum", "reduce on one GPU"},
                            {"inclusive_scan", "inclusive_scan on one GPU"},
                            {"stable_sort_by_key", "stable_sort_by_key on one GPU"}};
  const int gpus = results.at("devices").get<int>();
  std::string text = "| call | n | on one GPU, µs | across one, µs |",
              rule = "|---|---:|---:|---:|";
  std::string none;  // of rows that two devices alone have
  for (int count = 2; count <= gpus; count *= 2) {
    text += fmt::format(" across {}, µs | times as fast as on one |", count);
    rule += "---:|---:|";
    if (count > 2) none += "  |  |";
  }
  text += "\n" + rule + "\n";
  for (const pair& p : calls) {
    for (int power = 20; power <= 32; ++power) {
      const std::uint64_t n = std::uint64_t{1} << power;
      const auto alone = time_of(results, p.alone, n, 1);
      if (!alone || !time_of(results, p.call, n, 2)) continue;
      text += fmt::format("| `{}` | 2^{} | {} | {} |", p.call, power, time_text(alone),
                          time_text(time_of(results, p.call, n, 1)));
      for (int count = 2; count <= gpus; count *= 2) {
        const auto time = time_of(results, p.call, n, count);
        text += fmt::format(" {} | {} |", time_text(time),
                            time ? fmt::format("{:.2f}", *alone / *time) : "");
      }
      text += "\n";
    }
  }
  constexpr std::uint64_t shared = std::uint64_t{1} << 28, copied = std::uint64_t{1} << 30;
  const auto one_link = time_of(results, "from the host to one device", shared, 1);
  for (const char* const way :
       {"from the host to both", "from device 0, through the host", "from device 0, peer copies"}) {
    const auto time = time_of(results, way, shared, 2);
    if (!time || !one_link) continue;
    text += fmt::format("| values {} | 2^28 | {} |  | {} | {:.2f} |{}\n", way, time_text(one_link),
                        time_text(time), *one_link / *time, none);
  }
  for (const char* const copy : {"peer copy", "copy through the host"}) {
    if (const auto time = time_of(results, copy, copied, 2)) {
      text += fmt::format("| {} of 1 GiB |  |  |  | {} |  |{}\n", copy, time_text(time), none);
    }
  }
  return text +
         fmt::format(
             "\n{} × {}, driver {}, CUDA {}.{}, NCCL {}.{}.{}, commit {}: `{}`.\n", gpus,
             results.at("device").get<std::string>(), results.at("driver").get<std::string>(),
             results.at("cuda_runtime").get<int>() / 1000,
             results.at("cuda_runtime").get<int>() % 1000 / 10,
             results.at("nccl").get<int>() / 10000, results.at("nccl").get<int>() % 10000 / 100,
             results.at("nccl").get<int>() % 100, results.at("commit").get<std::string>(),
             results.at("command").get<std::string>());
}

std::string sharing_svg(const json& results) {
  using namespace warpfold;
  constexpr std::pair<const char*, const char*> engines[] = {
      {"copy_in", "in"}, {"peer", "peer"}, {"copy_out", "out"}, {"compute", "sum"}};
  std::vector<cli::timeline_lanes> all;
  for (const json& line : results.at("timelines")) {
    const auto call = line.at("call").get<std::string>();
    std::string heading = call;
    for (const json& row : results.at("calls")) {
      if (row.at("call") == call) {
        heading += fmt::format(": {:.1f} ms", row.at("microseconds").get<double>() / 1000);
      }
    }
    auto& lanes = all.emplace_back(cli::timeline_lanes{heading, {}}).lanes;
    for (int device = 0; device < 2; ++device) {
      for (const auto& [engine, name] : engines) {
        auto& lane =
            lanes.emplace_back(cli::timeline_lane{fmt::format("{}: {}", device, name), {}});
        for (const json& s : line.at("spans")) {
          if (s.at("device") != device || s.at("engine") != engine) continue;
          lane.spans.push_back({simt::engine::compute, s.at("stream").get<unsigned>(),
                                s.at("chunk").get<int>(), "", s.at("begin_us").get<double>(),
                                s.at("end_us").get<double>()});
        }
      }
    }
  }
  return cli::timelines_svg(all, "Two devices share 2^28 values in 16 chunks");
}

std::string ranks_table(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return "No run has been stored here yet.\n";
  std::ifstream in(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto document = warpfold::measure::parse_json_document(content);
  std::string text =
      "| call | n | how | time, µs | processors' time, µs | × the first |\n"
      "|---|---:|---|---:|---:|---:|\n";
  double first = 0;
  std::string_view call;
  for (const auto& m : document.measurements) {
    if (m.ladder != call) first = m.timing.value().median();
    call = m.ladder;
    const double* const processors = m.find("processor_us");
    const double time = m.timing->median();
    const std::string beside = m.ladder == "exact_sum"
                                   ? fmt::format("{:+.1f} µs", time - first)
                                   : fmt::format("{:.0f} % as fast", 100 * first / time);
    text += fmt::format("| `{}` of {} | {} | {} | {:.1f} | {:.1f} | {} |\n", m.ladder, m.type, m.n,
                        m.form, time, processors == nullptr ? 0 : *processors, beside);
  }
  return text + fmt::format("\n{}, {}, commit {}: `mpirun --bind-to none -n 2 {}`.\n",
                            document.run.device, document.run.toolkit, document.run.commit,
                            document.run.command);
}
