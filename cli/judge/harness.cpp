// The main function of a judged program: runs the cases that the judge wrote down on the CPU
// machine, and leaves results and reports in files of the judge's. It knows no expected result.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/judge/entries.hpp"
#include "simt/memory.hpp"
#include "simt/prediction.hpp"
#include "simt/report.hpp"
#include "simt/runtime.hpp"

namespace {

using json = nlohmann::ordered_json;
using warpfold_judge::entry;

constexpr std::size_t guard_bytes = 256;
constexpr unsigned char fill_byte = 0xa5;

/// A file of the judge's in memory.
std::byte* map_file(const char* name, int protection, int kind) {
  const int file = open(name, protection == PROT_READ ? O_RDONLY : O_RDWR);
  struct stat is {};
  if (file < 0 || fstat(file, &is) != 0) throw std::runtime_error(std::string(name) + " is gone");
  void* const at = mmap(nullptr, static_cast<std::size_t>(is.st_size), protection, kind, file, 0);
  close(file);
  if (at == MAP_FAILED) throw std::runtime_error(std::string(name) + " can't be mapped");
  return static_cast<std::byte*>(at);
}

/// Device memory with guard bytes around it. Without them its end is the allocation's, so that the
/// checks see every access beyond it.
class buffer {
 public:
  buffer(const char* name, std::size_t bytes, bool guarded) : bytes_(bytes) {
    before_ = guarded ? guard_bytes : bytes == 0 ? 8 : 0;
    after_ = guarded ? guard_bytes : 0;
    void* memory = nullptr;
    if (cudaMalloc(&memory, before_ + bytes + after_) != cudaSuccess) {
      throw std::runtime_error("there is not enough memory for a case's values");
    }
    base_ = static_cast<unsigned char*>(memory);
    simt::name(base_, name);
    std::memset(base_, fill_byte, before_ + bytes + after_);
  }
  ~buffer() { cudaFree(base_); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  [[nodiscard]] void* data() const { return base_ + before_; }
  /// Whether a guard byte was overwritten.
  [[nodiscard]] bool guards_broken() const {
    for (std::size_t i = 0; i < before_ + bytes_ + after_; ++i) {
      if ((i < before_ || i >= before_ + bytes_) && base_[i] != fill_byte) return true;
    }
    return false;
  }

 private:
  unsigned char* base_ = nullptr;
  std::size_t bytes_, before_ = 0, after_ = 0;
};

class harness {
 public:
  harness()
      : in_(map_file("input", PROT_READ, MAP_PRIVATE)),
        out_(map_file("output", PROT_READ | PROT_WRITE, MAP_SHARED)),
        events_("events", std::ios::app) {}

  /// Whether the next case can be run.
  bool run(const json& c) {
    say({{"begin", c["index"]}});
    const entry& e = warpfold_judge::entries[c["entry"].get<std::size_t>()];
    const std::size_t n = c["n"];
    const std::string mode = c["mode"];
    const buffer in("in", n * e.size, mode == "run");
    const std::size_t out_bytes = c["out_bytes"];
    const buffer out(c["bins"] == 0 ? "out" : "counts", out_bytes, mode == "run");
    std::optional<buffer> kept;
    if (c.contains("kept_at")) kept.emplace("kept", sizeof(std::uint64_t), mode == "run");
    const std::byte* const values = in_ + c["in"].get<std::size_t>();
    if (n != 0 && cudaMemcpy(in.data(), values, n * e.size, cudaMemcpyHostToDevice) != cudaSuccess)
      throw std::runtime_error("the input can't be copied to the device");
    json event{{"end", c["index"]}};
    const auto launches = [&] {
      e.call({in.data(), out.data(), n, c["bins"],
              kept ? static_cast<unsigned long long*>(kept->data()) : nullptr});
      cudaDeviceSynchronize();
    };
    inspect(c, e, in.data(), launches, event);
    if (!e.may_write_in) note_change(values, in.data(), n, e.size, event);
    if (in.guards_broken() || out.guards_broken() || (kept && kept->guards_broken())) {
      event["guards_broken"] = true;
    }
    std::byte* const results = out_ + c["out"].get<std::size_t>();
    std::memcpy(results, out.data(), out_bytes);
    if (kept) {
      std::memcpy(results + c["kept_at"].get<std::size_t>(), kept->data(), sizeof(std::uint64_t));
    }
    const bool goes_on = event["errors"].empty();
    say(event);
    return goes_on;
  }

 private:
  static void inspect(const json& c, const entry& e, const void* in,
                      const std::function<void()>& launches, json& event) {
    simt::run_options options{.seed = c["seed"], .patience_seconds = 2};
    const std::string mode = c["mode"];
    options.check = mode == "check";
    options.count = options.lines = mode == "count";
    options.limit_seconds = c["limit"];
    if (options.seed != 0) options.workers = 1;
    const std::size_t n = c["n"];
    if (options.check && n != 0) {
      if (e.size == 4) {
        options.must_read.emplace_back(static_cast<const std::uint32_t*>(in), n);
      } else {
        options.must_read.emplace_back(static_cast<const std::uint64_t*>(in), n);
      }
    }
    try {
      const simt::report report = simt::inspect(launches, options);
      put(report, options.count, event);
      if (options.check) event["launched"] = !report.kernels().empty();
    } catch (const std::exception& thrown) {
      event["errors"].push_back(std::string("the host's code threw: ") + thrown.what());
    } catch (...) {
      event["errors"].push_back("the host's code threw an exception of another type");
    }
  }

  static void put(const simt::report& report, bool counted, json& event) {
    const json all = json::parse(report.json([](const std::string&) { return std::string(); }));
    event["findings"] = all["findings"];
    event["errors"] = report.errors();
    if (!counted) return;
    event["kernels"] = all["kernels"];
    std::vector<simt::launch_profile> profiles;
    for (const auto& k : report.kernels()) {
      profiles.insert(profiles.end(), k.launches.begin(), k.launches.end());
    }
    event["profiles"] = json::parse(simt::profiles_json(profiles));
    for (const auto& [name, value] : report.total().named()) {
      event["counters"][std::string(name)] = value;
    }
  }

  static void note_change(const void* before, const void* after, std::size_t n, std::size_t size,
                          json& event) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto* const a = static_cast<const std::byte*>(before) + i * size;
      if (std::memcmp(a, static_cast<const std::byte*>(after) + i * size, size) != 0) {
        event["input_changed"] = i;
        return;
      }
    }
  }

  void say(const json& event) {
    events_ << event.dump(-1, ' ', false, json::error_handler_t::replace) << '\n' << std::flush;
  }

  const std::byte* in_;
  std::byte* out_;
  std::ofstream events_;
};

void list_entries() {
  std::ofstream list("entries");
  for (std::size_t i = 0; i < warpfold_judge::entry_count; ++i) {
    const entry& e = warpfold_judge::entries[i];
    if (e.type == nullptr) continue;
    list << json{{"entry", i}, {"type", e.type}, {"op", e.op}}.dump() << '\n';
  }
}

}  // namespace

int main(int argc, char**) {
  try {
    if (argc > 1) {
      list_entries();
      return 0;
    }
    std::ifstream file("cases");
    const json cases = json::parse(file);
    harness here;
    for (const json& c : cases) {
      if (!here.run(c)) break;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 5;
  }
  return 0;
}
