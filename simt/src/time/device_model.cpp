// Device files: data/devices/*.json, which the program holds.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include "simt/prediction.hpp"
#include "simt/src/time/device_files.hpp"

namespace simt {

namespace {

using json = nlohmann::ordered_json;

struct constant {
  const char* name;
  double device_model::*value;
  double least, most;  // what no device is beyond
  const char* what;    // rates are of warp-wide instructions a clock and multiprocessor
};

constexpr constant published[] = {
    {"capability", &device_model::capability, 10, 200, "compute capability, times ten"},
    {"processors", &device_model::processors, 1, 1000, "multiprocessors"},
    {"threads_per_processor", &device_model::threads_per_processor, 32, 4096,
     "threads that one holds"},
    {"blocks_per_processor", &device_model::blocks_per_processor, 1, 64, "blocks that one holds"},
    {"shared_kib_per_processor", &device_model::shared_kib_per_processor, 8, 1024,
     "KiB of shared memory in one"},
    {"registers_per_processor", &device_model::registers_per_processor, 1024, 1 << 20,
     "registers of 32 bits in one"},
    {"l2_mib", &device_model::l2_mib, 0, 1024, "MiB of the L2 cache"},
    {"bus_bits", &device_model::bus_bits, 32, 16384, "bits of its memory's bus"},
    {"memory_gbs", &device_model::memory_gbs, 10, 50000, "GB/s of its memory"},
    {"memory_share", &device_model::memory_share, 0.1, 1,
     "what of that is left of values; less than 1 where ECC takes the same memory's time"},
    {"clock_ghz", &device_model::clock_ghz, 0.2, 5, "GHz of a multiprocessor under load"},
    {"integer_per_clock", &device_model::integer_per_clock, 0.01, 8,
     "integer additions, compares, bitwise operations"},
    {"multiply_per_clock", &device_model::multiply_per_clock, 0.01, 8, "integer multiplications"},
    {"f32_per_clock", &device_model::f32_per_clock, 0.01, 8,
     "additions of f32; also what a multiprocessor issues at most"},
    {"f64_per_clock", &device_model::f64_per_clock, 0, 8, "additions of f64; 0 where it has none"},
    {"special_per_clock", &device_model::special_per_clock, 0.01, 4, "roots, sines, conversions"},
    {"shuffle_per_clock", &device_model::shuffle_per_clock, 0, 4, "shuffles; 0 where it has none"},
};

constexpr constant measured[] = {
    {"clock_ghz", &device_model::clock_ghz, 0.2, 5, "GHz of a multiprocessor under load"},
    {"launch_us", &device_model::launch_us, 0.5, 100, "of an empty kernel, between two events"},
    {"next_launch_us", &device_model::next_launch_us, 0.2, 100,
     "of each further one that the host launches"},
    {"queued_us", &device_model::queued_us, 0.5, 100,
     "of an empty kernel, between two events that wait in the stream with it"},
    {"gap_us", &device_model::gap_us, 0, 100,
     "from the end of a kernel to the beginning of the next in its stream"},
    {"block_ns", &device_model::block_ns, 0.01, 1000,
     "from a block to the next that begins, of 32 threads"},
    {"block_1024_ns", &device_model::block_1024_ns, 0.01, 1000, "the same of 1024 threads"},
    {"block_cycles", &device_model::block_cycles, 1, 10000,
     "cycles from a block to the next in its place, of 32 threads that do nothing"},
    {"block_1024_cycles", &device_model::block_1024_cycles, 1, 20000, "the same of 1024 threads"},
    {"read_gbs", &device_model::read_gbs, 5, 50000, "GB/s of reading what is in no cache"},
    {"write_gbs", &device_model::write_gbs, 5, 50000, "GB/s of writing"},
    {"copy_gbs", &device_model::copy_gbs, 5, 50000, "GB/s of a copy, read and written"},
    {"l2_gbs", &device_model::l2_gbs, 5, 200000, "GB/s of reading what L2 holds"},
    {"l2_write_gbs", &device_model::l2_write_gbs, 5, 200000, "GB/s of writing what L2 holds"},
    {"l2_partial_gbs", &device_model::l2_partial_gbs, 5, 200000,
     "GB/s of writing parts of the sectors that L2 holds, by whole sectors"},
    {"l2_held_mib", &device_model::l2_held_mib, 0, 1024, "MiB that L2 holds of a working set"},
    {"ramp_us", &device_model::ramp_us, 0, 100, "of a cold read beyond its bytes"},
    {"l1_cycles", &device_model::l1_cycles, 5, 2000,
     "cycles of a load from a multiprocessor's own cache"},
    {"l2_cycles", &device_model::l2_cycles, 20, 3000, "cycles of a load from L2"},
    {"dram_cycles", &device_model::dram_cycles, 50, 5000, "cycles of a load from memory"},
    {"written_cycles", &device_model::written_cycles, 20, 3000,
     "cycles of a load of what other blocks have just written"},
    {"fence_cycles", &device_model::fence_cycles, 20, 10000,
     "cycles of a fence after a store, until all blocks would see it"},
    {"atomic_cycles", &device_model::atomic_cycles, 20, 10000,
     "cycles of an atomic addition whose result is waited for"},
    {"shared_cycles", &device_model::shared_cycles, 5, 500, "cycles of a load from shared memory"},
    {"remote_cycles", &device_model::remote_cycles, 0, 5000,
     "cycles of a load from another block's shared memory; 0 where there are no clusters"},
    {"remote_per_clock", &device_model::remote_per_clock, 0, 8,
     "loads from other blocks' shared memory; 0 where there are no clusters"},
    {"cluster_barrier_cycles", &device_model::cluster_barrier_cycles, 0, 10000,
     "cycles of a barrier of four blocks of 128 threads; 0 where there are no clusters"},
    {"cluster_barrier_1024_cycles", &device_model::cluster_barrier_1024_cycles, 0, 10000,
     "the same of 1024 threads"},
    {"cluster_4_blocks", &device_model::cluster_4_blocks, 0, 1000,
     "blocks in clusters of four that run at once, if each fills a multiprocessor; 0 without "
     "clusters of that size"},
    {"cluster_8_blocks", &device_model::cluster_8_blocks, 0, 1000, "the same in clusters of eight"},
    {"cluster_16_blocks", &device_model::cluster_16_blocks, 0, 1000,
     "the same in clusters of sixteen"},
    {"add_cycles", &device_model::add_cycles, 1, 100,
     "cycles from an addition to the next that needs it"},
    {"barrier_cycles", &device_model::barrier_cycles, 1, 1000,
     "cycles of a barrier of 128 threads"},
    {"barrier_1024_cycles", &device_model::barrier_1024_cycles, 1, 5000,
     "the same of 1024 threads"},
    {"integer_per_clock", &device_model::integer_per_clock, 0.01, 8,
     "integer additions, compares, bitwise operations"},
    {"multiply_per_clock", &device_model::multiply_per_clock, 0.01, 8, "integer multiplications"},
    {"divide_per_clock", &device_model::divide_per_clock, 0.001, 8, "integer divisions"},
    {"f32_per_clock", &device_model::f32_per_clock, 0.01, 8,
     "additions of f32; also what a multiprocessor issues at most"},
    {"f64_per_clock", &device_model::f64_per_clock, 0, 8, "additions of f64; 0 where it has none"},
    {"special_per_clock", &device_model::special_per_clock, 0.01, 8, "roots, sines, conversions"},
    {"shuffle_per_clock", &device_model::shuffle_per_clock, 0, 8, "shuffles; 0 where it has none"},
    {"shared_wavefronts_per_clock", &device_model::shared_wavefronts_per_clock, 0.05, 8,
     "passes over the banks"},
    {"atomic_same_ns", &device_model::atomic_same_ns, 0.001, 1000,
     "of an atomic addition among many to one address"},
    {"atomic_sector_ns", &device_model::atomic_sector_ns, 0.0001, 1000,
     "of one among many to different sectors"},
    {"shared_atomic_per_clock", &device_model::shared_atomic_per_clock, 0.001, 8,
     "atomic additions in shared memory"},
};

/// Of an arithmetic instruction, as editions of the CUDA C++ Programming Guide say how many warps
/// hide it.
double cycles_of_arithmetic(double capability) {
  return capability < 30 ? 22 : capability < 50 ? 11 : capability < 70 ? 6 : 4.5;
}

/// Of a load from shared memory. 8800: Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear
/// Algebra", 2008; others: Mei and Chu, "Dissecting GPU Memory Hierarchy through
/// Microbenchmarking", 2015.
double cycles_of_shared(double capability) {
  return capability < 20 ? 36 : capability < 30 ? 50 : capability < 50 ? 47 : 28;
}

/// Where nobody has measured: what is usual beside the published limits.
void derive(device_model& d) {
  const double clocks_of_all = d.processors * d.clock_ghz;  // in a nanosecond
  d.launch_us = 5;
  d.next_launch_us = 1.5;
  d.queued_us = 2.5;
  d.gap_us = 1;
  d.block_ns = 40 / clocks_of_all;
  d.block_1024_ns = 400 / clocks_of_all;
  d.block_cycles = 300;
  d.block_1024_cycles = 450;
  const double memory_gbs = d.memory_share * d.memory_gbs;
  d.read_gbs = 0.92 * memory_gbs;
  d.write_gbs = 0.88 * memory_gbs;
  d.copy_gbs = 0.86 * memory_gbs;
  d.l2_gbs = d.l2_mib == 0 ? d.read_gbs : std::max(2 * d.read_gbs, 28 * clocks_of_all);
  d.l2_write_gbs = d.l2_mib == 0 ? d.write_gbs : std::max(d.write_gbs, 0.65 * d.l2_gbs);
  d.l2_partial_gbs = 0.8 * d.l2_write_gbs;
  d.l2_held_mib = 0.75 * d.l2_mib;
  d.ramp_us = 2;
  d.l1_cycles = 35;
  d.l2_cycles = 250;
  d.dram_cycles = 600;
  d.written_cycles = 1.25 * d.l2_cycles;
  d.fence_cycles = 2.45 * d.l2_cycles;
  d.atomic_cycles = 1.4 * d.l2_cycles;
  d.shared_cycles = cycles_of_shared(d.capability);
  d.add_cycles = cycles_of_arithmetic(d.capability);
  d.remote_cycles = d.capability >= 90 ? 200 : 0;
  d.remote_per_clock = d.capability >= 90 ? 0.07 : 0;
  d.cluster_barrier_cycles = d.capability >= 90 ? 800 : 0;
  d.cluster_barrier_1024_cycles = d.capability >= 90 ? 1400 : 0;
  const bool has_clusters = d.capability >= 90;
  d.cluster_4_blocks = has_clusters ? std::floor(0.91 * d.processors / 4) * 4 : 0;
  d.cluster_8_blocks = has_clusters ? std::floor(0.91 * d.processors / 8) * 8 : 0;
  d.cluster_16_blocks = has_clusters ? std::floor(0.85 * d.processors / 16) * 16 : 0;
  d.barrier_cycles = 25;
  d.barrier_1024_cycles = 60;
  d.divide_per_clock = d.integer_per_clock / 20;
  d.shared_wavefronts_per_clock = 1;
  d.l1_lines_per_clock = 1;
  d.atomic_same_ns = 1 / d.clock_ghz;
  d.atomic_sector_ns = 2 / clocks_of_all;
  d.shared_atomic_per_clock = 0.5;
}

class reader {
 public:
  explicit reader(std::string_view name) : name_(name) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw device_file_error("device " + name_ + ": " + what);
  }
  [[nodiscard]] json parse(std::string_view text) const {
    const json j = json::parse(text, nullptr, false);
    if (!j.is_object()) refuse("not a JSON object; docs/json.md describes device files");
    return j;
  }
  [[nodiscard]] const json& section(const json& j, const char* key) const {
    if (!j.contains(key) || !j.at(key).is_object())
      refuse(std::string("\"") + key + "\" is missing");
    return j.at(key);
  }
  [[nodiscard]] std::string text(const json& j, const char* key) const {
    if (!j.contains(key) || !j.at(key).is_string()) {
      refuse(std::string("the text \"") + key + "\" is missing");
    }
    return j.at(key).get<std::string>();
  }
  void take(device_model& to, const json& j, const constant& c) const {
    if (!j.contains(c.name)) refuse(std::string("the constant \"") + c.name + "\" is missing");
    const json& value = j.at(c.name);
    if (!value.is_number()) refuse(std::string("\"") + c.name + "\" is no number");
    to.*c.value = value.get<double>();
    if (to.*c.value >= c.least && to.*c.value <= c.most) return;
    std::ostringstream what;
    what << "\"" << c.name << "\" is " << value << ", and must be from " << c.least << " to "
         << c.most;
    refuse(what.str());
  }

 private:
  std::string name_;
};

double error_of(const reader& read, const char* key, const std::string& what, const json& value) {
  constexpr double most = 1000;
  if (!value.is_number() || value < 0 || value > most) {
    read.refuse("the " + std::string(key) + " of \"" + what + "\" is " + value.dump() +
                ", and must be a number from 0 to 1000");
  }
  return value.get<double>();
}

/// The place of each name of a section, and its value.
template <std::size_t Names>
void each_error(const reader& read, const json& j, const char* key,
                const std::array<std::string_view, Names>& names, const auto& take) {
  if (!j.contains(key)) return;
  for (const auto& [what, value] : read.section(j, key).items()) {
    const auto at = std::ranges::find(names, what);
    if (at == names.end())
      read.refuse("\"" + std::string(key) + "\" has \"" + what + "\", which is not a limiter");
    take(static_cast<std::size_t>(at - names.begin()), what, value);
  }
}

void read_errors(const reader& read, const json& j, device_model& d) {
  each_error(read, j, "error_pct", limiter_names,
             [&](std::size_t i, const std::string& what, const json& value) {
               d.error_pct[i] = error_of(read, "error_pct", what, value);
             });
  each_error(read, j, "blind_error_pct", kind_names,
             [&](std::size_t i, const std::string& what, const json& value) {
               const auto part = [&](const char* name) {
                 const json found = value.is_object() ? value.value(name, json()) : json();
                 return error_of(read, "blind_error_pct", what, found);
               };
               d.blind[i] = {part("mean"), part("9_of_10")};
             });
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json");
}

std::string contents_of(std::string_view path) {
  std::error_code none;
  std::ifstream in{std::string(path), std::ios::binary};
  if (!in || std::filesystem::is_directory(path, none))
    throw device_file_error("device " + std::string(path) + ": the file can't be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

double device_model::processors_for_clusters(unsigned blocks) const {
  if (blocks <= 2) return processors;
  const double found = blocks <= 4   ? cluster_4_blocks
                       : blocks <= 8 ? cluster_8_blocks
                                     : cluster_16_blocks;
  return found == 0 ? processors : std::min(found, processors);
}

std::vector<std::string> device_model_names() {
  std::vector<std::string> names;
  for (const auto& file : detail::device_files()) names.emplace_back(file.name);
  return names;
}

std::vector<device_constant> device_constants(bool of_measured) {
  std::vector<device_constant> all;
  const auto add = [&](const constant& c) { all.push_back({c.name, c.what, c.least, c.most}); };
  if (of_measured) {
    std::for_each(std::begin(measured), std::end(measured), add);
  } else {
    std::for_each(std::begin(published), std::end(published), add);
  }
  return all;
}

device_model find_device_model(std::string_view name) {
  if (is_path(name)) return parse_device_model(name, contents_of(name));
  std::string names;
  for (const auto& file : detail::device_files()) {
    if (file.name == name) return parse_device_model(name, file.text);
    names += (names.empty() ? "" : ", ") + std::string(file.name);
  }
  throw device_file_error("device " + std::string(name) + " is not known; there are " + names +
                          ", or give the path of a device file (.json)");
}

device_model parse_device_model(std::string_view name, std::string_view text) {
  const reader read(name);
  const json j = read.parse(text);
  device_model d;
  d.name = name;
  d.product = read.text(j, "product");
  const json& limits = read.section(j, "published");
  d.source = read.text(limits, "source");
  for (const constant& c : published) read.take(d, limits, c);
  derive(d);
  d.error_pct.fill(std::numeric_limits<double>::quiet_NaN());
  if (!j.contains("measured")) return d;
  const json& found = read.section(j, "measured");
  d.measured_by = read.text(found, "command") + ", driver " + read.text(found, "driver") + ", " +
                  read.text(found, "date");
  for (const constant& c : measured) read.take(d, read.section(found, "constants"), c);
  read_errors(read, j, d);
  return d;
}

}  // namespace simt
