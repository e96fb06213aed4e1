// The report as JSON; docs/json.md has the keys.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "simt/report.hpp"
#include "simt/src/settings.hpp"

namespace simt {

namespace {

using json = nlohmann::ordered_json;

constexpr int schema = 1;

/// Whole numbers without a ".0".
json number(double value) {
  if (std::trunc(value) == value && std::abs(value) < 9007199254740992.0) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

json to_json(const dim3& d) { return {d.x, d.y, d.z}; }
json to_json(const uint3& d) { return {d.x, d.y, d.z}; }

json to_json(const counters::memory& m) {
  json j{{"requests", m.requests}};
  const auto add = [&](const char* key, std::uint64_t value) {
    if (value != 0) j[key] = value;
  };
  add("sectors", m.sectors);
  add("bytes", m.bytes);
  add("wavefronts", m.wavefronts);
  add("conflicts", m.conflicts);
  return j;
}

/// The counters that nvcc may change, as they would then be.
json to_json(const nvcc_changes& n, const counters& c) {
  json j = json::object();
  const auto add = [&](const char* name, std::uint64_t ours, std::int64_t change) {
    if (change != 0) j[name] = ours + static_cast<std::uint64_t>(change);
  };
  add("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", c.global_load.requests, n.load_requests);
  add("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", c.global_store.requests, n.store_requests);
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", c.shared_load.wavefronts,
      n.load_wavefronts);
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", c.shared_store.wavefronts,
      n.store_wavefronts);
  return j;
}

json to_json(const line_counts& l) {
  json j{{"file", l.file}, {"line", l.line}};
  const auto add = [&](const char* key, const counters::memory& m) {
    if (m.requests != 0) j[key] = to_json(m);
  };
  const counters& c = l.counted;
  add("global_load", c.global_load);
  add("global_store", c.global_store);
  add("global_atomic", c.global_atomic);
  add("shared_load", c.shared_load);
  add("shared_store", c.shared_store);
  add("shared_atomic", c.shared_atomic);
  add("distributed_shared", c.remote_shared);
  j["active_lanes"] = number(l.active_lanes());
  j["warp_steps"] = l.warp_steps;
  if (l.nvcc != nvcc_changes()) j["nvcc_may_merge"] = to_json(l.nvcc, c);
  return j;
}

json to_json(const remark& r) {
  return {{"file", r.file}, {"line", r.line}, {"what", r.what}, {"wasted", r.wasted}};
}

/// A line's, too, in `lines`, which are the kernel's in their order.
json to_json(const prediction& p, const std::vector<line_counts>& of, json& lines) {
  json j{{"device", p.device}};
  if (!p.no_ground.empty()) {
    j["no_ground"] = p.no_ground;
    return j;
  }
  j["median_us"] = p.us;
  if (!std::isnan(p.blind.mean))
    j["blind_error_pct"] = {{"mean", p.blind.mean}, {"9_of_10", p.blind.nine_of_ten}};
  j["limiter"] = name_of(p.by);
  j["registers_known"] = p.registers_known;
  for (std::size_t i = 0; i < p.parts_us.size(); ++i) {
    j["parts_us"][std::string(limiter_names[i])] = p.parts_us[i];
  }
  for (const line_time& l : p.lines) {
    const auto at = std::find_if(of.begin(), of.end(), [&](const line_counts& c) {
      return c.line == l.line && c.file == l.file;
    });
    lines[static_cast<std::size_t>(at - of.begin())]["predicted_us"] = l.us;
  }
  return j;
}

json to_json(const kernel_report& k, const device_model& device) {
  json j{{"name", k.name},
         {"launches", k.total.launches},
         {"grid", to_json(k.grid)},
         {"block", to_json(k.block)},
         {"dynamic_shared_bytes", k.shared_bytes}};
  json& remarks_of_it = j["remarks"] = json::array();
  for (const remark& r : remarks(k)) remarks_of_it.push_back(to_json(r));
  json& counted = j["counters"] = json::object();
  for (const auto& [name, value] : k.total.named()) counted[std::string(name)] = number(value);
  if (k.nvcc != nvcc_changes()) j["nvcc_may_merge"] = to_json(k.nvcc, k.total);
  json& lines = j["lines"] = json::array();
  for (const line_counts& l : k.lines) lines.push_back(to_json(l));
  if (k.launches.empty()) return j;
  json predicted = to_json(k.prediction(device), k.lines, lines);
  j["predicted"] = std::move(predicted);
  return j;
}

json to_json(const finding_side& s) {
  json j{{"file", s.file}, {"line", s.line}};
  if (s.column != 0) j["column"] = s.column;
  j["block"] = to_json(s.block);
  j["thread"] = to_json(s.thread);
  j["warp"] = s.warp;
  j["does"] = s.text();
  return j;
}

json to_json(const finding& f) {
  json j{{"kind", name_of(f.kind)}, {"kernel", f.kernel}, {"count", f.count}};
  if (!f.object.empty()) j["object"] = f.object;
  if (f.bytes != 0) {
    j["bytes"] = f.bytes;
    j["offset"] = f.offset;
    j["size"] = f.size;
  }
  j["here"] = to_json(f.here);
  j["other"] = to_json(f.other);
  j["mend"] = f.mend();
  j["text"] = f.text();
  return j;
}

constexpr std::size_t most_source_bytes = std::size_t{1} << 19;

/// The texts of the files that lines and findings are in, those that can be read.
json sources_of(const report& r, const source_reader& read) {
  std::set<std::string> files;
  for (const kernel_report& k : r.kernels()) {
    for (const line_counts& l : k.lines) files.insert(l.file);
  }
  for (const finding& f : r.findings()) files.insert({f.here.file, f.other.file});
  json sources = json::array();
  for (const std::string& file : files) {
    const std::string text = file.empty() ? "" : read(file);
    if (text.empty() || text.size() > most_source_bytes) continue;
    sources.push_back({{"file", file}, {"text", text}});
  }
  return sources;
}

}  // namespace

std::string report::json(const source_reader& read) const {
  return json(read, find_device_model(detail::the_settings().modelled_device()));
}

std::string report::json(const source_reader& read, const device_model& device) const {
  simt::json j{{"schema", schema}, {"summary", summary()}};
  auto& kernels = j["kernels"] = simt::json::array();
  for (const kernel_report& k : kernels_) kernels.push_back(to_json(k, device));
  auto& findings = j["findings"] = simt::json::array();
  for (const finding& f : findings_) findings.push_back(to_json(f));
  j["errors"] = errors_;
  j["sources"] = sources_of(*this, read);
  return j.dump(-1, ' ', false, simt::json::error_handler_t::replace) + "\n";
}

}  // namespace simt
