// The machine that ladders run on without a GPU. It models an H100, or the device that it is given:
// grids are made for its multiprocessors, so that counters can be compared with that GPU's.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "ladder/machines/machine.hpp"
#include "ladder/machines/prediction.hpp"
#include "ladder/machines/registers.hpp"
#include "measure/json.hpp"
#include "simt/device.hpp"
#include "simt/launch.hpp"
#include "simt/memory.hpp"
#include "simt/prediction.hpp"
#include "simt/report.hpp"
#include "simt/runtime.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

/// How many warps of this kernel a multiprocessor holds at once, in percent of those that it could:
/// as far as its threads and its dynamic shared memory decide that.
double occupancy_of(const simt::kernel_counts& kernel) {
  const int threads = static_cast<int>(kernel.block.x * kernel.block.y * kernel.block.z);
  const int warps = (threads + 31) / 32;
  int blocks = 0, most_threads = 0;
  simt::detail::resident_blocks(&blocks, nullptr, threads, kernel.shared_bytes);
  cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  return 100.0 * blocks * warps * 32 / most_threads;
}

class simt_profiler final : public profiler {
 public:
  simt_profiler(simt_options options, const simt::device_model& device)
      : options_(std::move(options)), device_(device) {}

  std::vector<measure::counter> count(const std::string& rung,
                                      const std::function<void()>& launches) override {
    simt::observe counting({.workers = options_.workers,
                            .count = !options_.work_only,
                            .check = options_.check,
                            .lines = options_.lines,
                            .seed = options_.seed});
    run_and_keep(counting, launches);
    profiles_ = counting.profiles;
    for (auto& p : profiles_) {
      if (p.registers.empty()) p.registers = registers_of(p.kernel);
    }
    without_time_ = without_time(rung);
    if (options_.lines) {
      const simt::report report(counting);
      kernels_.insert(kernels_.end(), report.kernels().begin(), report.kernels().end());
      rungs_.resize(kernels_.size(), rung);
    }
    std::vector<measure::counter> counted;
    for (const auto& [name, value] : counting.total.named()) {
      const bool work =
          name == measure::counters::applications || name == measure::counters::barriers;
      if (work || !options_.work_only) counted.push_back({std::string(name), value});
    }
    if (!options_.work_only && !counting.kernels.empty()) {
      counted.push_back(
          {std::string(measure::counters::occupancy), occupancy_of(counting.kernels.front())});
    }
    return counted;
  }
  [[nodiscard]] std::optional<measure::prediction> predicted() const override {
    if (profiles_.empty()) return {};
    auto p = simt::predict(profiles_, device_);
    if (!without_time_.empty()) p.no_ground = without_time_;
    return as_measured(p);
  }
  [[nodiscard]] std::string profiles() const override {
    return profiles_.empty() ? std::string() : simt::profiles_json(profiles_);
  }
  [[nodiscard]] std::vector<std::uint64_t> orders() const override { return options_.orders; }
  void run_in_order(std::uint64_t seed, const std::function<void()>& launches) override {
    simt::observe scope({.workers = 1, .check = options_.check, .seed = seed});
    run_and_keep(scope, launches);
  }
  void note_difference(std::uint64_t seed, const std::string& rung, const measure::verdict& first,
                       const measure::verdict& now) override {
    using kind = simt::finding_kind;
    simt::finding f{.kind = seed == options_.seed ? kind::not_repeatable : kind::order_dependent,
                    .kernel = rung,
                    .seed = seed};
    f.detail = "the result is " + now.result + ", and in the first run it was " + first.result;
    findings_.push_back(f);
  }
  [[nodiscard]] std::vector<std::string> findings() const override {
    std::vector<std::string> texts;
    for (const auto& f : findings_) texts.push_back(f.text());
    return texts;
  }
  [[nodiscard]] std::vector<std::string> source_views(const source_reader& read) const override {
    std::vector<std::string> views;
    for (const auto& k : kernels_) views.push_back(k.heading() + "\n" + simt::source_view(k, read));
    return views;
  }
  [[nodiscard]] std::string report_json(const source_reader& read) const override {
    auto report = measure::json::parse(simt::report(kernels_, findings_).json(read, device_));
    for (std::size_t i = 0; i < rungs_.size(); ++i) report["kernels"][i]["rung"] = rungs_[i];
    return report.dump();
  }

 private:
  /// Keeps the findings of a launch that throws, too.
  void run_and_keep(const simt::observe& scope, const std::function<void()>& launches) {
    const auto keep = [&] {
      for (const auto& f : scope.findings) simt::add_finding(findings_, f);
    };
    try {
      launches();
    } catch (...) {
      keep();
      throw;
    }
    keep();
  }

  simt_options options_;
  const simt::device_model& device_;
  std::vector<simt::launch_profile> profiles_;  // of what was counted last
  std::string without_time_;                    // of that
  std::vector<simt::kernel_report> kernels_;    // with options_.lines
  std::vector<std::string> rungs_;              // whose kernels they are
  std::vector<simt::finding> findings_;
};

simt::device_model model_of(const std::string& name) {
  try {
    return simt::find_device_model(name.empty() ? simt::the_device().name : name);
  } catch (const simt::device_file_error& e) {
    throw usage_error(e.what());
  }
}

class simt_machine final : public machine {
 public:
  explicit simt_machine(simt_options options)
      : device_(model_of(options.device)), profiler_(std::move(options), device_) {}
  [[nodiscard]] backend_kind backend() const override { return backend_kind::simt; }
  [[nodiscard]] std::string name() const override {
    const unsigned threads = simt::default_workers();
    return "CPU machine, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }
  [[nodiscard]] unsigned processors() const override {
    return static_cast<unsigned>(device_.processors);
  }
  [[nodiscard]] int capability() const override { return static_cast<int>(device_.capability); }
  [[nodiscard]] int compiled_for() const override { return capability(); }
  [[nodiscard]] std::size_t shared_bytes() const override {
    return simt::the_device().shared_per_block;
  }
  [[nodiscard]] std::size_t cache_bytes() const override { return 0; }

  void* allocate(std::size_t bytes) override {
    try {
      return simt::allocate(bytes);
    } catch (const std::bad_alloc&) {
      throw device_error("the CPU machine needs " + std::to_string(bytes >> 20) +
                         " MiB more of memory, and " + std::to_string(simt::free_memory() >> 20) +
                         " MiB are free; take a smaller --n");
    }
  }
  void release(void* pointer) noexcept override { simt::free(pointer); }
  void write(void* to, const void* from, std::size_t bytes) override { move(to, from, bytes); }
  void read(void* to, const void* from, std::size_t bytes) override { move(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { move(to, from, bytes); }
  void fill(void* to, unsigned char byte, std::size_t bytes) override {
    if (bytes != 0) std::memset(to, byte, bytes);
  }
  [[nodiscard]] void* stream() const override { return nullptr; }
  void synchronize() override {}
  [[nodiscard]] ladder::profiler* profiler() override { return &profiler_; }

 private:
  static void move(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }

  simt::device_model device_;
  simt_profiler profiler_;
};

}  // namespace

std::unique_ptr<machine> make_simt_machine(simt_options options) {
  return std::make_unique<simt_machine>(std::move(options));
}

}  // namespace warpfold::ladder
