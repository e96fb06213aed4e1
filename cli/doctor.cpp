// warpfold doctor: what is here, what is missing, and the command that mends it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>

#include "cli/command.hpp"
#include "ladder/machines/machine.hpp"
#include "simt/device.hpp"
#include "simt/memory.hpp"
#include "warpfold/version.hpp"

namespace warpfold::cli {

namespace {

/// The first line that a shell command prints, or nothing when it fails.
std::string first_line(const std::string& command) {
  FILE* const pipe = popen(("{ " + command + "; } 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::array<char, 512> buffer{};
  std::string line;
  if (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) line = buffer.data();
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
  }
  if (pclose(pipe) != 0) return {};
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return line;
}

struct finding {
  const char* name;
  std::string found;  // empty: missing
  const char* what_for;
  const char* mend;
};

std::string version_of(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

/// What the library's calls do here, of what not every device has; and why not.
std::string paths_of(const ladder::device& where) {
  struct path {
    const char *name, *with, *without;
  };
  static constexpr std::array paths{path{"clusters", "sorts of up to 32,768 rows are one launch",
                                         "sorts larger than one block merge tiles"},
                                    path{"bulk copies", "large scans copy their tiles with them",
                                         "large scans use the threads' loads and stores"},
                                    path{"programmatic launches", "a call's kernels overlap",
                                         "a call's kernels run one after another"}};
  constexpr int first = 90;
  const int device = where.capability(), code = where.compiled_for();
  std::string text = fmt::format("compute capability {}, kernels compiled for {}\n",
                                 version_of(device), version_of(code));
  for (const path& p : paths) {
    if (std::min(device, code) >= first) {
      text += fmt::format("✓  {:<22} {}\n", p.name, p.with);
    } else {
      text += fmt::format("–  {:<22} {}: {}\n", p.name, p.without,
                          device < first ? "older than compute capability 9.0"
                                         : "compile for 9.0 (CMAKE_CUDA_ARCHITECTURES=90)");
    }
  }
  return text +
         fmt::format("   {:<22} {} KiB a block\n", "shared memory", where.shared_bytes() >> 10);
}

/// Says so where the shell's `warpfold` is not the one beside this program.
std::string another_in_path() {
  const std::string first = first_line("command -v warpfold");
  const auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "warpfold";
  std::error_code missing;
  if (first.empty() || std::filesystem::equivalent(first, own, missing)) return {};
  const auto version_at = [](const std::string& path) {
    return path + ", " + first_line("'" + path + "' --version");
  };
  return fmt::format("!  {:<18} PATH has another one first: {}\n   {:<18} this one: {}\n",
                     "warpfold", version_at(first), "", version_at(own));
}

int examine() {
  const std::string nvcc = "PATH=\"$PATH:/usr/local/cuda/bin\" nvcc --version";
  const finding findings[] = {
      {"clang++", first_line("clang++ --version"), "compiles kernels for the CPU machine",
       "sudo apt-get install clang"},
      {"LLVM's headers",
       first_line("major=$(clang++ -dumpversion | cut -d. -f1); "
                  "ls /usr/lib/llvm-$major/include/llvm/Passes/PassPlugin.h "
                  "/usr/include/llvm-$major/llvm/Passes/PassPlugin.h | head -n 1"),
       "compiles kernels for the CPU machine",
       "sudo apt-get install llvm-14-dev, or the version of clang++"},
      {"cmake", first_line("cmake --version"), "builds", "sudo apt-get install cmake"},
      {"ninja", first_line("ninja --version"), "builds", "sudo apt-get install ninja-build"},
      {"clang-format-16", first_line("clang-format-16 --version"), "./dev format",
       "sudo apt-get install clang-format-16"},
      {"nvcc", first_line(nvcc + " | grep release"), "compiles kernels for a GPU",
       "sudo apt-get install nvidia-cuda-toolkit, or NVIDIA's CUDA toolkit 12 or newer"},
      {"GPU", first_line("nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader"),
       "runs kernels fast", "none needed: the CPU machine runs every kernel"},
      {"driver", first_line("nvidia-smi --query-gpu=driver_version --format=csv,noheader"),
       "driver of the GPU", "with a GPU: install NVIDIA's driver, then restart"},
      {"ncu", first_line("PATH=\"$PATH:/usr/local/cuda/bin\" ncu --version | tail -n 1"),
       "ladder --counters on a GPU", "Nsight Compute, part of NVIDIA's CUDA toolkit"},
      {"compute-sanitizer",
       first_line("PATH=\"$PATH:/usr/local/cuda/bin\" compute-sanitizer --version | tail -n 1"),
       "checks kernels on a GPU", "part of NVIDIA's CUDA toolkit"},
  };
  std::string text =
      fmt::format("warpfold {}, {} CUDA kernels, {} cores, {} MiB of memory free\n\n", version,
                  ladder::has_cuda_kernels() ? "with" : "without",
                  std::thread::hardware_concurrency(), simt::free_memory() >> 20);
  for (const auto& f : findings) {
    text += f.found.empty() ? fmt::format("–  {:<18} not found: {}\n   {:<18} to fix: {}\n", f.name,
                                          f.what_for, "", f.mend)
                            : fmt::format("✓  {:<18} {}\n", f.name, f.found);
  }
  text += another_in_path();
  const bool on_cuda = ladder::has_cuda_device();
  const auto machine = on_cuda ? ladder::make_cuda_machine() : ladder::make_simt_machine();
  text += fmt::format("\n`warpfold ladder reduce` runs on {} here", machine->name());
  if (!on_cuda) {
    text += fmt::format(", shaped like an {} (SIMT_DEVICE={})", simt::the_device().product,
                        simt::the_device().name);
  }
  text += ": " + paths_of(*machine);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

void describe(options& to) { to.then(examine); }

}  // namespace warpfold::cli
