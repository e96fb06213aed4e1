// simt++: a compiler for CUDA programs that shall run on the CPU machine. It takes nvcc's command
// lines (`make NVCC=simt++`).
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "built.hpp"
#include "plan.hpp"
#include "plugin.hpp"
#include "simt/source_step/compile.hpp"
#include "simt/source_step/rewrite.hpp"

namespace {

namespace fs = std::filesystem;
using namespace simt::driver;

/// Where the machine's parts lie: beside this program as installed, or in the tree it was built in.
struct parts {
  fs::path include, archive, programs;  // the last: where the plugin for plain kernels is
};

parts find_parts() {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  for (const char* lib : {SIMT_LIBRARY_DIRECTORY, "lib", "lib64"}) {
    const parts installed{prefix / "include", prefix / lib / "libwarpfold_simt.a",
                          prefix / SIMT_LIBEXEC_DIRECTORY};
    if (fs::exists(installed.archive, none) && fs::exists(installed.include / "simt", none)) {
      return installed;
    }
  }
  const parts built{SIMT_BUILT_INCLUDE, SIMT_BUILT_LIBRARY, SIMT_BUILT_BINARIES};
  if (fs::exists(built.archive, none)) return built;
  throw usage("neither " + (prefix / "lib" / "libwarpfold_simt.a").string() +
              " nor the tree that this was built in is there; install warpfold again");
}

std::string compiler() {
  if (const char* const asked = std::getenv("SIMT_CXX"); asked != nullptr) return asked;
  std::error_code none;
  return fs::exists(SIMT_COMPILER, none) ? SIMT_COMPILER : "clang++";
}

void append(words& to, const words& more) { to.insert(to.end(), more.begin(), more.end()); }

/// An -I of CUDA's toolkit, whose headers are not for this machine.
bool names_toolkit(const std::string& option) {
  std::error_code none;
  return option.starts_with("-I") &&
         fs::exists(fs::path(option.substr(2)) / "driver_types.h", none);
}

/// C++17 is nvcc's own; the machine's headers need no less.
std::string standard_of(const plan& p) {
  const std::string& s = p.standard;
  if (s.empty()) return "-std=gnu++17";
  const bool older = s.ends_with("03") || s.ends_with("98") || s.ends_with("0x") ||
                     s.ends_with("11") || s.ends_with("14") || s.ends_with("1y");
  return older ? "-std=gnu++17" : "-std=" + s;
}

class driver {
 public:
  explicit driver(plan p)
      : plan_(std::move(p)),
        parts_(find_parts()),
        compiler_(compiler()),
        plugin_(parts_.programs, compiler_) {}
  ~driver() {
    std::error_code none;
    if (!scratch_.empty()) fs::remove_all(scratch_, none);
  }
  driver(const driver&) = delete;
  driver& operator=(const driver&) = delete;

  int run() {
    if (plan_.inputs.empty()) throw usage("no input files; simt++ prog.cu -o prog");
    const bool stops = plan_.until == stage::preprocess || plan_.until == stage::dependencies;
    const bool has_cuda = std::any_of(plan_.inputs.begin(), plan_.inputs.end(),
                                      [](const input& in) { return in.as == language::cuda; });
    if (has_cuda && !stops) plugin_.look();
    if (plan_.shows_commands) std::fprintf(stderr, "%s\n", plugin_.in_words().c_str());
    words objects;
    for (const input& in : plan_.inputs) {
      if (in.as == language::object) {
        objects.push_back(in.file);
        continue;
      }
      if (!fs::exists(in.file)) throw usage(in.file + ": no such file");
      if (stops) {
        if (const int status = preprocess(in); status != 0) return status;
        continue;
      }
      objects.push_back(object_of(in));
      if (const int status = compile(in, objects.back()); status != 0) return status;
    }
    if (stops || plan_.until == stage::compile) return 0;
    return plan_.until == stage::archive ? archive(objects) : link(objects);
  }

 private:
  std::string object_of(const input& in) {
    if (plan_.until == stage::compile) {
      if (!plan_.output.empty()) return plan_.output;
      return fs::path(in.file).stem().string() + ".o";
    }
    return (scratch() / (std::to_string(count_++) + fs::path(in.file).stem().string() + ".o"))
        .string();
  }

  const fs::path& scratch() {
    if (!scratch_.empty()) return scratch_;
    std::string name = (fs::temp_directory_path() / "simt++XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw usage(name + ": can't be made");
    return scratch_ = name;
  }

  /// A linker's script by which a source that declares CUDA's functions itself finds the machine's.
  std::string names_of_runtime() {
    std::ifstream names(parts_.include / "simt" / "runtime_names.hpp");
    const fs::path script = scratch() / "names.ld";
    std::ofstream out(script);
    for (std::string word, name, own; names >> word;) {
      if (word != "redefine_extname" || !(names >> name >> own)) continue;
      out << "PROVIDE(" << name << " = " << own << ");\n";
    }
    return script.string();
  }

  /// All but what the file is and where it goes.
  [[nodiscard]] words command_for(const input& in) const {
    words command{compiler_};
    if (in.as == language::c) {
      append(command, {"-x", "c"});
      if (plan_.standard.starts_with("c") && !plan_.standard.starts_with("c++")) {
        command.push_back("-std=" + plan_.standard);
      }
    } else {
      append(command, {"-x", "c++", standard_of(plan_)});
    }
    for (const auto& option : plan_.for_preprocessor) {
      if (!names_toolkit(option)) command.push_back(option);
    }
    const std::string include = parts_.include.string();
    append(command, {"-I" + include + "/simt/cuda", "-I" + include});
    append(command, plan_.for_compiler);
    if (in.as == language::cuda) {
      append(command, {"-include", "cuda_runtime.h", "-DSIMT_CUDA_SOURCE"});
      if (!plan_.shares_device_code) {
        append(command, {"-DSIMT_WHOLE_PROGRAM", "-Wno-unused-function"});
      }
      append(command, {SIMT_KERNEL_OPTIONS});
      append(command, plugin_.options(!plan_.shares_device_code));
      if (plan_.debugs) command.emplace_back("-g");
      // What nvcc's host compiler takes, though C++ has no longer.
      append(command, {"-Wno-register", "-Wno-reserved-user-defined-literal",
                       "-Wno-c++11-narrowing", "-Wno-unused-value", "-Wno-writable-strings",
                       "-Wno-unknown-warning-option", "-Wno-error=return-type",
                       "-Wno-c++20-extensions", "-Wno-c++20-designator", "-Wno-gnu-line-marker"});
    } else {
      append(command, plan_.for_optimiser);
    }
    return command;
  }

  int compile(const input& in, const std::string& object) {
    words command = command_for(in);
    append(command, plan_.dependencies);
    append(command, {"-o", object, "-c", in.file});
    return execute(command, in.as == language::cuda);
  }

  int preprocess(const input& in) {
    words command = command_for(in);
    append(command, plan_.dependencies);
    if (plan_.until == stage::preprocess) command.emplace_back("-E");
    if (!plan_.output.empty()) {
      append(command, {"-o", plan_.output});
    } else if (!plan_.output_ends.empty()) {
      append(command, {"-o", fs::path(in.file).stem().string() + plan_.output_ends});
    }
    command.push_back(in.file);
    return execute(command, false);
  }

  int link(const words& objects) {
    words command{compiler_};
    command.emplace_back("-Wl,--start-group");  // nvcc's linker asks for no order
    append(command, objects);
    command.emplace_back("-Wl,--end-group");
    append(command, plan_.for_linker);
    append(command, {names_of_runtime(), parts_.archive.string(), "-pthread", "-ldl", "-lm", "-o",
                     plan_.output.empty() ? "a.out" : plan_.output});
    return execute(command, false);
  }

  int archive(const words& objects) {
    words command{"ar", "rcs", plan_.output.empty() ? "a.a" : plan_.output};
    append(command, objects);
    return execute(command, false);
  }

  [[nodiscard]] int execute(const words& command, bool cuda) const {
    if (plan_.shows_commands) {
      for (const auto& w : command) std::fprintf(stderr, "%s ", w.c_str());
      std::fputc('\n', stderr);
    }
    if (!plan_.runs_commands) return 0;
    return cuda ? simt::source_step::compile(command) : simt::source_step::run(command);
  }

  plan plan_;
  parts parts_;
  std::string compiler_;
  plain_plugin plugin_;
  fs::path scratch_;
  unsigned count_ = 0;
};

/// In the form that build files look for.
int say_version() {
  std::printf("simt++, CUDA for the CPU machine of warpfold " SIMT_VERSION
              "\nCuda compilation tools, release 13.0, V13.0.0\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const plan p = read_command_line({argv + 1, argv + argc});
    return p.asks_version ? say_version() : driver(p).run();
  } catch (const simt::source_step::refusal& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "simt++: %s\n", e.what());
    return 2;
  }
}
