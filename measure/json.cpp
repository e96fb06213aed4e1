#include "measure/json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "measure/facts.hpp"
#include "warpfold/error.hpp"

namespace warpfold::measure {
namespace {

constexpr int schema = 2;  // in 1, what is not finite was null

constexpr std::array<std::pair<const char*, std::string run_info::*>, 5> run_fields{
    {{"device", &run_info::device},
     {"driver", &run_info::driver},
     {"toolkit", &run_info::toolkit},
     {"commit", &run_info::commit},
     {"command", &run_info::command}}};

/// Whole numbers without a ".0", as far as a double holds them exactly. JSON has no word for what
/// is not finite: that is a text.
json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (std::trunc(value) == value && std::abs(value) < 9007199254740992.0) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

double number(const json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (!value.is_string()) return value.get<double>();
  for (const double special :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    if (value == number(special)) return special;
  }
  throw data_error("measurement JSON: " + dumped(value) + " must be a number");
}

std::vector<double> samples(const json& list) {
  std::vector<double> result;
  for (const json& value : list) result.push_back(number(value));
  return result;
}

timing read_timing(const json& time) {
  if (time.contains("samples_us")) return {samples(time.at("samples_us"))};
  return {{},
          timing_summary{time.at("count").get<std::size_t>(), number(time.at("q1_us")),
                         number(time.at("median_us")), number(time.at("q3_us")),
                         time.at("samples_sha256").get<std::string>()}};
}

void read_rung(const std::string& label, measurement& row) {
  if (row.reference) {
    row.name = label;
    return;
  }
  const char* const end = label.data() + label.size();
  const auto [rest, problem] = std::from_chars(label.data(), end, row.number);
  if (problem != std::errc{} || rest == end || *rest != ' ') {
    throw data_error("measurement JSON: the rung '" + label +
                     "' must be a number, a space and a name; measure again with --json");
  }
  row.name.assign(rest + 1, end);
}

/// Runs `read`, and turns the JSON library's complaints into ours.
template <class F>
auto guarded(F&& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    throw data_error("measurement JSON: " + std::string(e.what()) + "; measure again with --json");
  }
}

}  // namespace

namespace {

json to_json(const prediction& p) {
  json j{{"device", p.device}};
  if (!p.no_ground.empty()) {
    j["no_ground"] = p.no_ground;
    return j;
  }
  j["median_us"] = number(p.median_us);
  j["queued_us"] = number(p.queued_us);
  j["error_pct"] = std::isnan(p.error_pct) ? json(nullptr) : number(p.error_pct);
  j["limiter"] = p.limiter;
  j["registers_known"] = p.registers_known;
  json& parts = j["parts_us"] = json::object();
  for (const auto& [name, us] : p.parts_us) parts[name] = number(us);
  return j;
}

prediction read_prediction(const json& j) {
  prediction p;
  j.at("device").get_to(p.device);
  p.no_ground = j.value("no_ground", "");
  if (!p.no_ground.empty()) return p;
  p.median_us = number(j.at("median_us"));
  p.queued_us = j.contains("queued_us") ? number(j.at("queued_us")) : 0;
  p.error_pct = number(j.at("error_pct"));
  j.at("limiter").get_to(p.limiter);
  p.registers_known = j.value("registers_known", false);
  for (const auto& [name, us] : j.at("parts_us").items()) p.parts_us.emplace_back(name, number(us));
  return p;
}

}  // namespace

json to_json(const measurement& row) {
  json j;
  j["ladder"] = row.ladder;
  j["rung"] = rung_label(row);
  if (row.reference) j["reference"] = true;
  j["idea"] = row.idea;
  j["source"] = row.source;
  j["backend"] = name_of(row.backend);
  j["device"] = row.device;
  j["n"] = row.n;
  j["type"] = row.type;
  j["op"] = row.op;
  if (!row.form.empty()) j["form"] = row.form;
  if (!row.call.empty()) j["call"] = row.call;
  j["block"] = row.block;
  j["launches"] = row.launches;
  j["finish"] = row.finish;
  if (!row.skipped.empty()) j["skipped"] = row.skipped;
  j["right"] = row.skipped.empty() ? json(is_right(row)) : json(nullptr);
  j["result"] = row.verdict.result;
  j["expected"] = row.verdict.expected;
  j["error"] = number(row.verdict.error);
  j["bound"] = number(row.verdict.bound);
  if (row.timing) {
    json& time = j["time"];
    time["median_us"] = number(row.timing->median());
    time["q1_us"] = number(row.timing->quantile(0.25));
    time["q3_us"] = number(row.timing->quantile(0.75));
    if (row.timing->summary) {
      time["count"] = row.timing->summary->count;
      time["samples_sha256"] = row.timing->summary->samples_sha256;
    } else {
      json& list = time["samples_us"] = json::array();
      for (const double us : row.timing->samples_us) list.push_back(number(us));
    }
    j["gigabytes_per_second"] = number(row.gigabytes_per_second());
  }
  if (row.predicted) j["predicted"] = to_json(*row.predicted);
  if (!row.profiles.empty()) j["profiles"] = json::parse(row.profiles);
  j["useful_bytes"] = row.useful_bytes;
  j["read_ceiling_gbs"] = number(row.read_ceiling_gbs);
  if (row.copy_ceiling_gbs != 0) j["copy_ceiling_gbs"] = number(row.copy_ceiling_gbs);
  json& counted = j["counters"] = json::object();
  for (const counter& c : row.counters) counted[c.name] = number(c.value);
  json& published = j["published"] = json::array();
  for (const published_figure& figure : row.published) {
    published.push_back({{"machine", figure.machine},
                         {"gigabytes_per_second", number(figure.gigabytes_per_second)}});
  }
  return j;
}

namespace {

backend_kind read_backend(const std::string& name) {
  if (const auto backend = backend_named(name)) return *backend;
  throw data_error("measurement JSON: unknown backend " + name + "; there are host, simt and cuda");
}

}  // namespace

measurement from_json(const json& j) {
  return guarded([&] {
    measurement row;
    j.at("ladder").get_to(row.ladder);
    row.reference = j.value("reference", false);
    read_rung(j.at("rung").get<std::string>(), row);
    row.idea = j.value("idea", "");
    row.source = j.value("source", "");
    row.backend = read_backend(j.at("backend").get<std::string>());
    row.device = j.value("device", "");
    j.at("n").get_to(row.n);
    j.at("type").get_to(row.type);
    j.at("op").get_to(row.op);
    row.form = j.value("form", "");
    row.call = j.value("call", "");
    row.block = j.value("block", 0U);
    row.launches = j.value("launches", 0U);
    row.finish = j.value("finish", "");
    row.skipped = j.value("skipped", "");
    row.verdict.right = !j.at("right").is_null() && j.at("right").get<bool>();
    row.verdict.result = j.value("result", "");
    row.verdict.expected = j.value("expected", "");
    row.verdict.error = number(j.value("error", json(0)));
    row.verdict.bound = number(j.value("bound", json(0)));
    if (j.contains("time")) row.timing = read_timing(j.at("time"));
    if (j.contains("predicted")) row.predicted = read_prediction(j.at("predicted"));
    if (j.contains("profiles")) row.profiles = dumped(j.at("profiles"));
    j.at("useful_bytes").get_to(row.useful_bytes);
    row.read_ceiling_gbs = number(j.value("read_ceiling_gbs", json(0)));
    row.copy_ceiling_gbs = number(j.value("copy_ceiling_gbs", json(0)));
    const json counted = j.value("counters", json::object());
    for (const auto& [name, value] : counted.items()) {
      row.counters.push_back({name, number(value)});
    }
    for (const json& figure : j.value("published", json::array())) {
      row.published.push_back(
          {figure.at("machine").get<std::string>(), number(figure.at("gigabytes_per_second"))});
    }
    return row;
  });
}

std::string json_document(std::span<const measurement> rows, const run_info& run,
                          const json& more) {
  json info = json::object();
  for (const auto& [key, member] : run_fields) {
    if (!(run.*member).empty()) info[key] = run.*member;
  }
  std::string out = "{\"schema\": " + std::to_string(schema) + ",\n\"run\": " + dumped(info) +
                    ",\n\"measurements\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += (i == 0 ? "\n" : ",\n") + dumped(to_json(rows[i]));
  }
  out += "\n]";
  for (const auto& [key, value] : more.items()) {
    out += ",\n" + json(key).dump() + ": " + dumped(value);
  }
  return out + "}\n";
}

document parse_json_document(std::string_view text) {
  return guarded([&] {
    const json j = json::parse(text);
    if (j.at("schema") != schema && j.at("schema") != 1) {
      throw data_error("measurement JSON: schema " + dumped(j.at("schema")) + " is not " +
                       std::to_string(schema) + "; measure again with --json");
    }
    document result;
    for (const auto& [key, member] : run_fields) result.run.*member = j.at("run").value(key, "");
    for (const json& row : j.at("measurements")) {
      result.measurements.push_back(from_json(row));
      if (!row.contains("device")) result.measurements.back().device = result.run.device;
    }
    return result;
  });
}

}  // namespace warpfold::measure
