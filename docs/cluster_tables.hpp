// What docs/cluster.md says of messages, and of a run on several GPUs.
#pragma once

#include <filesystem>
#include <string>

#include "measure/json.hpp"

/// What a rank sends in each call, for some numbers of ranks.
std::string cluster_messages_table();
/// Calls across GPUs beside those on one, from a run of warpfold_multi_gpu.
std::string multi_gpu_table(const warpfold::measure::json& results);
/// How two devices shared values in that run, as a picture: who copied when.
std::string sharing_svg(const warpfold::measure::json& results);
/// Two ranks beside two threads, from a run of warpfold_bench_ranks, if one is stored.
std::string ranks_table(const std::filesystem::path& file);
