// Profiles as JSON: stored beside times that a device took, they let any later model be held
// against those.
#include <nlohmann/json.hpp>

#include "simt/prediction.hpp"

namespace simt {

namespace {

using json = nlohmann::ordered_json;

struct number_field {
  const char* name;
  std::uint64_t launch_profile::*value;
};
constexpr number_field numbers[] = {
    {"launches", &launch_profile::launches},
    {"integers", &launch_profile::integers},
    {"multiplies", &launch_profile::multiplies},
    {"divides", &launch_profile::divides},
    {"floats", &launch_profile::floats},
    {"doubles", &launch_profile::doubles},
    {"special", &launch_profile::special},
    {"shuffles", &launch_profile::shuffles},
    {"skipped", &launch_profile::skipped},
    {"read_halves", &launch_profile::read_halves},
    {"write_halves", &launch_profile::write_halves},
    {"partial_halves", &launch_profile::partial_halves},
    {"atomic_halves", &launch_profile::atomic_halves},
    {"global_lines", &launch_profile::global_lines},
    {"hottest_atomics", &launch_profile::hottest_atomics},
};

struct memory_field {
  const char* name;
  counters::memory counters::*of;
};
constexpr memory_field memories[] = {
    {"global_load", &counters::global_load},     {"global_store", &counters::global_store},
    {"global_atomic", &counters::global_atomic}, {"shared_load", &counters::shared_load},
    {"shared_store", &counters::shared_store},   {"shared_atomic", &counters::shared_atomic},
    {"remote_shared", &counters::remote_shared}};

/// Requests, sectors, wavefronts, conflicts: all that the model reads.
json to_json(const counters::memory& m) {
  return {m.requests, m.sectors, m.wavefronts, m.conflicts};
}
void read(counters::memory& to, const json& j) {
  to.requests = j.at(0);
  to.sectors = j.at(1);
  to.wavefronts = j.at(2);
  to.conflicts = j.at(3);
}

/// In the order of its members.
json to_json(const critical_path& p) {
  return {p.chain, p.global, p.shared, p.trips, p.barriers, p.cluster_barriers, p.fences};
}
void read(critical_path& to, const json& j) {
  to = {j.at(0), j.at(1), j.at(2), j.at(3), j.at(4), j.at(5), j.at(6)};
}

/// Pairs of an index and a count; most are 0.
json to_json(const reuse_counts& r) {
  json j = json::array();
  for (std::size_t i = 0; i < r.by_distance.size(); ++i) {
    if (r.by_distance[i] != 0) j.push_back({i, r.by_distance[i]});
  }
  return j;
}
void read(reuse_counts& to, const json& j) {
  for (const json& pair : j) to.by_distance.at(pair.at(0)) = pair.at(1);
}

json to_json(const launch_profile& p) {
  json j{{"kernel", p.kernel},
         {"grid", {p.grid.x, p.grid.y, p.grid.z}},
         {"block", {p.block.x, p.block.y, p.block.z}},
         {"shared_bytes", p.shared_bytes}};
  if (p.cluster != 1) j["cluster"] = p.cluster;
  for (const auto& [capability, of_thread] : p.registers)
    j["registers"][std::to_string(capability)] = of_thread;
  if (p.waits) j["waits"] = true;
  if (p.launches_kernels) j["launches_kernels"] = true;
  for (const number_field& f : numbers) {
    if (p.*f.value != 0) j[f.name] = p.*f.value;
  }
  for (const memory_field& f : memories) {
    if ((p.counted.*f.of).requests != 0) j[f.name] = to_json(p.counted.*f.of);
  }
  if (p.counted.bulk_bytes != 0) j["bulk_bytes"] = p.counted.bulk_bytes;
  j["path"] = to_json(p.path);
  j["last"] = to_json(p.last);
  j["path_squares"] = p.path_squares;
  j["barriers"] = p.counted.barriers;
  j["warps"] = p.counted.warps;
  j["reads"] = to_json(p.reads);
  j["writes"] = to_json(p.writes);
  return j;
}

dim3 shape(const json& j) { return {j.at(0), j.at(1), j.at(2)}; }

launch_profile profile(const json& j) {
  launch_profile p;
  j.at("kernel").get_to(p.kernel);
  p.grid = shape(j.at("grid"));
  p.block = shape(j.at("block"));
  j.at("shared_bytes").get_to(p.shared_bytes);
  p.cluster = j.value("cluster", 1U);
  const json registers = j.value("registers", json::object());
  for (const auto& [capability, of_thread] : registers.items())
    p.registers[std::stoi(capability)] = of_thread;
  p.waits = j.value("waits", false);
  p.launches_kernels = j.value("launches_kernels", false);
  for (const number_field& f : numbers) p.*f.value = j.value(f.name, std::uint64_t{0});
  read(p.path, j.at("path"));
  read(p.last, j.at("last"));
  j.at("path_squares").get_to(p.path_squares);
  for (const memory_field& f : memories) {
    if (j.contains(f.name)) read(p.counted.*f.of, j.at(f.name));
  }
  p.counted.bulk_bytes = j.value("bulk_bytes", std::uint64_t{0});
  j.at("barriers").get_to(p.counted.barriers);
  j.at("warps").get_to(p.counted.warps);
  read(p.reads, j.at("reads"));
  read(p.writes, j.at("writes"));
  return p;
}

}  // namespace

std::string profiles_json(std::span<const launch_profile> launches) {
  json all = json::array();
  for (const launch_profile& p : launches) all.push_back(to_json(p));
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<launch_profile> parse_profiles(std::string_view text) {
  std::vector<launch_profile> all;
  for (const json& j : json::parse(text)) all.push_back(profile(j));
  return all;
}

}  // namespace simt
