#include "driver.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

#include "built.hpp"
#include "compile_commands.hpp"
#include "simt/source_step/compile.hpp"

namespace simt::driver {

namespace fs = std::filesystem;

namespace {

/// An -I of CUDA's toolkit, whose headers are not for this machine.
bool names_toolkit(const std::string& option) {
  std::error_code none;
  return option.starts_with("-I") &&
         fs::exists(fs::path(option.substr(2)) / "driver_types.h", none);
}

/// C++17 is nvcc's own habit, and the machine's headers need no less. What is older is compiled as
/// that: its libraries still have what later ones left out, and its words are taken.
words standard_of(const plan& p) {
  const std::string& s = p.standard;
  if (s.empty()) return {"-std=gnu++17"};
  const bool older = s.ends_with("03") || s.ends_with("98") || s.ends_with("0x") ||
                     s.ends_with("11") || s.ends_with("14") || s.ends_with("1y");
  if (!older) return {"-std=" + s};
  return {"-std=gnu++17", "-Wno-dynamic-exception-spec", "-Wno-increment-bool", "-Wno-register",
          "-Wno-deprecated-declarations"};
}

/// A file as the shell starts it.
std::string as_command(const std::string& file) {
  return file.find('/') == std::string::npos ? "./" + file : file;
}

/// The last of those that the machine's threads are like: from 7.0 on. 0: none was named.
int newest_of(const words& architectures) {
  int newest = 0;
  for (const std::string& number : architectures) {
    if (number.size() <= 3) newest = std::max(newest, std::stoi(number));
  }
  return newest >= 70 ? newest : 0;
}

}  // namespace

driver::driver(plan p)
    : plan_(std::move(p)),
      parts_(find_parts()),
      compiler_(find_compiler()),
      plugins_(parts_.programs, compiler_) {}

driver::~driver() {
  std::error_code none;
  if (!scratch_.empty()) fs::remove_all(scratch_, none);
}

int driver::run() {
  if (plan_.shows_commands) show_toolkit();
  if (plan_.inputs.empty()) throw usage("no input files; simt++ prog.cu -o prog");
  const bool stops = plan_.until == stage::preprocess || plan_.until == stage::dependencies;
  const bool has_cuda = std::any_of(plan_.inputs.begin(), plan_.inputs.end(),
                                    [](const input& in) { return in.as == language::cuda; });
  if (has_cuda && !stops) plugins_.look();
  if (plan_.shows_commands) std::fprintf(stderr, "%s\n", plugins_.in_words().c_str());
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
    if (const auto& file = plan_.rule.database; !file.empty()) {
      add_command(file, in.file, command_for_clangd(in));
    }
    if (const int status = compile(in, objects.back()); status != 0) return status;
  }
  switch (plan_.until) {
    case stage::preprocess:
    case stage::dependencies:
    case stage::compile: return 0;
    case stage::archive: return archive(objects);
    case stage::device_link: return device_link();
    case stage::link: break;
  }
  if (plan_.starts && objects.size() == 1 && plan_.inputs[0].as == language::object &&
      access(objects[0].c_str(), X_OK) == 0) {
    return start(objects[0]);  // it is linked
  }
  const int status = link(objects);
  return status != 0 || !plan_.starts ? status
                                      : start(plan_.output.empty() ? "a.out" : plan_.output);
}

std::string driver::object_of(const input& in) {
  const std::string name = fs::path(in.file).stem().string() + ".o";
  if (plan_.until == stage::compile) {
    return !plan_.output.empty() ? plan_.output : (fs::path(plan_.directory) / name).string();
  }
  return (scratch() / (std::to_string(count_++) + name)).string();
}

const fs::path& driver::scratch() {
  if (!scratch_.empty()) return scratch_;
  std::string name = (fs::temp_directory_path() / "simt++XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw usage(name + ": can't be made");
  return scratch_ = name;
}

/// The lines of `nvcc -v` by which CMake finds the toolkit.
void driver::show_toolkit() const {
  const std::string top = parts_.toolkit.string();
  const char* const path = std::getenv("PATH");
  std::fprintf(stderr,
               "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s/bin:%s\n"
               "#$ INCLUDES=\"-I%s/include\"\n#$ LIBRARIES= -L%s/lib64\n",
               top.c_str(), top.c_str(), top.c_str(), path != nullptr ? path : "", top.c_str(),
               top.c_str());
  const words none{"90"};
  for (const auto& number : plan_.architectures.empty() ? none : plan_.architectures) {
    std::fprintf(stderr, "#$ DEVICE=-arch compute_%s\n", number.c_str());
  }
}

/// All but what the file is and where it goes.
words driver::command_for(const input& in) const {
  words command{compiler_};
  if (in.as == language::c) {
    append(command, {"-x", "c"});
    if (plan_.standard.starts_with("c") && !plan_.standard.starts_with("c++")) {
      command.push_back("-std=" + plan_.standard);
    }
  } else {
    append(command, {"-x", "c++"});
  }
  for (const auto& option : plan_.for_preprocessor) {
    if (!names_toolkit(option)) command.push_back(option);
  }
  const std::string include = parts_.include.string();
  append(command, {"-I" + include + "/simt/cuda", "-I" + include});
  append(command, plan_.for_compiler);
  if (in.as != language::c) append(command, standard_of(plan_));
  if (in.as == language::cuda) {
    append(command, {"-include", "cuda_runtime.h", "-DSIMT_CUDA_SOURCE"});
    append(command, plan_.macros_of_cuda);
    if (const int newest = newest_of(plan_.architectures); newest != 0) {
      command.push_back("-DSIMT_CUDA_ARCH=" + std::to_string(newest * 10));
    }
    if (plan_.shares_device_code) {
      command.emplace_back("-D__CUDACC_RDC__");
    } else {
      append(command, {"-DSIMT_WHOLE_PROGRAM", "-Wno-unused-function"});
    }
    append(command, {SIMT_KERNEL_OPTIONS});
    append(command, plugins_.options(!plan_.shares_device_code));
    if (plan_.debugs) command.emplace_back("-g");
    // What nvcc's host compiler takes, though C++ has no longer.
    append(command, {"-Wno-register", "-Wno-reserved-user-defined-literal", "-Wno-c++11-narrowing",
                     "-Wno-unused-value", "-Wno-writable-strings", "-Wno-unknown-warning-option",
                     "-Wno-error=return-type", "-Wno-c++20-extensions", "-Wno-c++20-designator",
                     "-Wno-gnu-line-marker"});
  } else {
    append(command, simt::source_step::macros_of_nvcc());
    append(command, plan_.for_host);
  }
  return command;
}

/// What the compiler is told of the rule for make. The object's name is given, since a step between
/// source and object has names of its own; -M goes by the source's name, as in nvcc.
words driver::rule_for(const input& in, const std::string& object) const {
  const dependency_rule& rule = plan_.rule;
  if (rule.kind.empty()) return {};
  const bool aside = plan_.until != stage::dependencies;
  const bool links = plan_.until == stage::link && !plan_.output.empty();
  const fs::path by_source = fs::path(plan_.directory) / fs::path(in.file).stem();
  const std::string makes = !aside ? by_source.string() + ".o" : links ? plan_.output : object;
  words options{rule.kind};
  if (rule.phony) options.emplace_back("-MP");
  append(options, rule.targets.empty() ? words{"-MT", makes} : rule.targets);
  if (!aside) return options;
  fs::path file = plan_.output.empty() ? by_source : fs::path(plan_.output);
  file.replace_extension(".d");
  append(options, {"-MF", rule.file.empty() ? file.string() : rule.file});
  return options;
}

/// A CUDA source is parsed for the host, where clang also checks the code of the device.
words driver::command_for_clangd(const input& in) const {
  words command{compiler_};
  if (in.as != language::cuda) {
    command = command_for(in);
  } else {
    append(command,
           {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "--cuda-path=/dev/null",
            "-Xclang", "-target-sdk-version=11.0", "-Wno-unknown-cuda-version", "-Xclang",
            "-fcuda-allow-variadic-functions", "-D__SIMT__=1", "-D__CUDACC__=1"});
    append(command, simt::source_step::macros_of_nvcc());
    append(command, plan_.macros_of_cuda);
    for (const auto& option : plan_.for_preprocessor) {
      if (!names_toolkit(option)) command.push_back(option);
    }
    const std::string include = parts_.include.string();
    append(command, {"-I" + include + "/simt/cuda", "-I" + include});
    append(command, plan_.for_compiler);
    append(command, standard_of(plan_));
    append(command, {"-include", "simt/clangd.hpp"});
  }
  append(command, {"-c", in.file});
  return command;
}

int driver::compile(const input& in, const std::string& object) {
  words command = command_for(in);
  append(command, rule_for(in, object));
  // The step writes files beside the object, which a device or a pipe has no place for.
  const bool special = fs::exists(object) && !fs::is_regular_file(object);
  const std::string file = special ? (scratch() / "special.o").string() : object;
  append(command, {"-o", file, "-c", in.file});
  const int status = execute(command, file, in.as == language::cuda);
  if (special && status == 0 && fs::exists(file)) {
    std::ofstream(object, std::ios::binary) << std::ifstream(file, std::ios::binary).rdbuf();
  }
  return status;
}

int driver::preprocess(const input& in) {
  words command = command_for(in);
  if (in.as == language::cuda) append(command, simt::source_step::macros_of_cuda(command));
  std::string output = plan_.output;
  if (plan_.until == stage::preprocess) {
    command.emplace_back("-E");
    if (output.empty() && !plan_.output_ends.empty()) {
      output = fs::path(in.file).stem().string() + plan_.output_ends;
    }
  } else {
    append(command, rule_for(in, ""));
    if (output.empty()) output = plan_.rule.file;
  }
  if (!output.empty()) append(command, {"-o", output});
  command.push_back(in.file);
  return execute(command, output, false);
}

int driver::link(const words& objects) {
  const std::string output = plan_.output.empty() ? "a.out" : plan_.output;
  words command{compiler_};
  command.emplace_back("-Wl,--start-group");  // nvcc's linker asks for no order
  append(command, objects);
  command.emplace_back("-Wl,--end-group");
  if (plan_.relocatable) {
    append(command, {"-r", "-nostdlib", "-o", output});
    return execute(command, output, false);
  }
  command.push_back("-L" + (parts_.toolkit / "lib64").string());  // before another toolkit's
  append(command, plan_.for_linker);
  append(command, {"-lcudart_static", "-pthread", "-ldl", "-lm", "-o", output});
  return execute(command, output, false);
}

/// Kernels are functions as any; those who go on to link find nothing in this object.
int driver::device_link() {
  const std::string output = plan_.output.empty() ? "a_dlink.o" : plan_.output;
  return execute({compiler_, "-x", "c", "-fPIC", "-c", "/dev/null", "-o", output}, output, false);
}

int driver::archive(const words& objects) {
  const std::string output = plan_.output.empty() ? "a.a" : plan_.output;
  words command{plan_.archiver, "rcs", output};
  append(command, objects);
  return execute(command, output, false);
}

int driver::start(const std::string& program) const {
  words command{as_command(program)};
  append(command, plan_.starts_with);
  return plan_.cleans ? 0 : execute(command, "", false);
}

int driver::execute(const words& command, const std::string& makes, bool cuda) const {
  if (plan_.cleans) {
    std::error_code none;
    if (!makes.empty()) fs::remove(makes, none);
    return 0;
  }
  if (plan_.shows_commands) std::fprintf(stderr, "#$ %s\n", in_shell(command).c_str());
  if (!plan_.runs_commands) return 0;
  return cuda ? simt::source_step::compile(command) : simt::source_step::run(command);
}

}  // namespace simt::driver
