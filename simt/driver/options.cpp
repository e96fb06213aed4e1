#include "options.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace simt::driver {

namespace {

constexpr std::string_view truth = "true|false";
constexpr std::string_view no_code = "there is no device code; compile with -c";

// In the order of `nvcc --help`.
constexpr auto table = std::to_array<option>({
    {"--cuda", "-cuda", "", sense::cuda, "writes .cu.cpp.ii"},
    {"--cubin", "-cubin", "", sense::refused, no_code},
    {"--fatbin", "-fatbin", "", sense::refused, no_code},
    {"--ptx", "-ptx", "", sense::refused, no_code},
    {"--optix-ir", "-optix-ir", "", sense::refused, no_code},
    {"--ltoir", "-ltoir", "", sense::refused, no_code},
    {"--preprocess", "-E", "", sense::preprocess, ""},
    {"--generate-dependencies", "-M", "", sense::dependencies, ""},
    {"--generate-nonsystem-dependencies", "-MM", "", sense::dependencies, ""},
    {"--generate-dependencies-with-compile", "-MD", "", sense::dependencies_aside, ""},
    {"--generate-nonsystem-dependencies-with-compile", "-MMD", "", sense::dependencies_aside, ""},
    {"--dependency-output", "-MF", "file", sense::dependency_file, ""},
    {"--generate-dependency-targets", "-MP", "", sense::dependency_phony, ""},
    {"--compile", "-c", "", sense::compile, ""},
    {"--device-c", "-dc", "", sense::shared_device_code, "compiles as with -rdc=true"},
    {"--device-w", "-dw", "", sense::per_unit, "compiles as with -rdc=false"},
    {"--device-link", "-dlink", "", sense::device_link, "writes an empty object"},
    {"--link", "-link", "", sense::link, ""},
    {"--lib", "-lib", "", sense::archive, ""},
    {"--run", "-run", "", sense::run, ""},
    {"--output-file", "-o", "file", sense::output, ""},
    {"--pre-include", "-include", "file,...", sense::include_file, ""},
    {"--objdir-as-tempdir", "-objtemp", "", sense::ignored, ""},
    {"--library", "-l", "library,...", sense::library, "CUDA's libraries are part of the machine"},
    {"--define-macro", "-D", "definition", sense::define, ""},
    {"--undefine-macro", "-U", "name", sense::undefine, ""},
    {"--include-path", "-I", "path,...", sense::include_path, ""},
    {"--system-include", "-isystem", "path,...", sense::system_path, ""},
    {"--library-path", "-L", "path,...", sense::library_path, ""},
    {"--output-directory", "-odir", "directory", sense::directory, ""},
    {"--compiler-bindir", "-ccbin", "path", sense::ignored, "SIMT_CXX names the compiler"},
    {"--allow-unsupported-compiler", "-allow-unsupported-compiler", "", sense::ignored, ""},
    {"--archiver-binary", "-arbin", "path", sense::archiver, ""},
    {"--cudart", "-cudart", "none|shared|static", sense::ignored, "it is part of the machine"},
    {"--cudadevrt", "-cudadevrt", "none|static", sense::ignored, "it is part of the machine"},
    {"--libdevice-directory", "-ldir", "directory", sense::ignored, ""},
    {"--target-directory", "-target-dir", "string", sense::ignored, ""},
    {"--use-local-env", "-use-local-env", "", sense::ignored, "Windows"},
    {"--force-cl-env-setup", "-force-cl-env-setup", "", sense::ignored, "Windows"},
    {"--profile", "-pg", "", sense::handed_on, ""},
    {"--debug", "-g", "", sense::debug, ""},
    {"--device-debug", "-G", "", sense::debug_device, "kernels stay optimised"},
    {"--generate-line-info", "-lineinfo", "", sense::ignored, "lines are always known"},
    {"--optimization-info", "-opt-info", "kind,...", sense::ignored, ""},
    {"--optimize", "-O", "level", sense::optimise, "of host files; kernels use their own level"},
    {"--Ofast-compile", "-Ofc", "level", sense::ignored, ""},
    {"--dopt", "-dopt", "kind", sense::ignored, "kernels are optimised"},
    {"--dlink-time-opt", "-dlto", "", sense::ignored, ""},
    {"--lto", "-lto", "", sense::ignored, ""},
    {"--gen-opt-lto", "-gen-opt-lto", "", sense::ignored, ""},
    {"--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", "limit", sense::handed_on, ""},
    {"--ftemplate-depth", "-ftemplate-depth", "limit", sense::handed_on, ""},
    {"--no-exceptions", "-noeh", "", sense::no_exceptions,
     "for host files; CUDA files keep exceptions"},
    {"--shared", "-shared", "", sense::share, ""},
    {"--x", "-x", "c|c++|cu", sense::language, ""},
    {"--std", "-std", "dialect", sense::standard, "older standards compile as C++17"},
    {"--no-host-device-initializer-list", "-nohdinitlist", "", sense::ignored, ""},
    {"--no-host-device-move-forward", "-nohdmoveforward", "", sense::ignored, ""},
    {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", "", sense::relaxed_constexpr,
     "constexpr functions may be called from both sides; it defines the macro"},
    {"--extended-lambda", "-extended-lambda", "", sense::extended_lambda,
     "lambdas may always be device lambdas; it defines the macro"},
    {"--expt-extended-lambda", "-expt-extended-lambda", "", sense::extended_lambda, "the same"},
    {"--machine", "-m", "64", sense::ignored, ""},
    {"--m64", "-m64", "", sense::ignored, ""},
    {"--compiler-options", "-Xcompiler", "options,...", sense::compiler_options, ""},
    {"--linker-options", "-Xlinker", "options,...", sense::linker_options, ""},
    {"--archive-options", "-Xarchive", "options,...", sense::ignored, ""},
    {"--ptxas-options", "-Xptxas", "options,...", sense::ignored, ""},
    {"--nvlink-options", "-Xnvlink", "options,...", sense::ignored, ""},
    {"--static-global-template-stub", "-static-global-template-stub", truth, sense::ignored, ""},
    {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", truth,
     sense::ignored, ""},
    {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", "",
     sense::forward_to_compiler, "this is always so"},
    {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", "",
     sense::forward_to_linker, "and not to the compiler"},
    {"--forward-unknown-opts", "-forward-unknown-opts", "", sense::forward_to_both, ""},
    {"--dont-use-profile", "-noprof", "", sense::ignored, ""},
    {"--dryrun", "-dryrun", "", sense::dry_run, ""},
    {"--verbose", "-v", "", sense::verbose, ""},
    {"--threads", "-t", "number", sense::ignored, ""},
    {"--split-compile", "-split-compile", "number", sense::ignored, ""},
    {"--split-compile-extended", "-split-compile-extended", "number", sense::ignored, ""},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", "", sense::ignored, ""},
    {"--fdevice-time-trace", "-fdevice-time-trace", "file", sense::ignored, ""},
    {"--keep", "-keep", "", sense::ignored, "-E writes the compiled source"},
    {"--keep-dir", "-keep-dir", "directory", sense::ignored, ""},
    {"--save-temps", "-save-temps", "", sense::ignored, ""},
    {"--clean-targets", "-clean", "", sense::clean, ""},
    {"--time", "-time", "file", sense::ignored, ""},
    {"--run-args", "-run-args", "arguments,...", sense::run_arguments, ""},
    {"--input-drive-prefix", "-idp", "prefix", sense::ignored, "Windows"},
    {"--dependency-drive-prefix", "-ddp", "prefix", sense::ignored, "Windows"},
    {"--drive-prefix", "-dp", "prefix", sense::ignored, "Windows"},
    {"--dependency-target-name", "-MT", "target", sense::dependency_target, ""},
    {"--no-align-double", "--no-align-double", "", sense::ignored, ""},
    {"--no-device-link", "-nodlink", "", sense::ignored, "there is no device link"},
    {"--gpu-architecture", "-arch", "arch", sense::architecture,
     "__CUDA_ARCH__, from sm_70 on; else 900"},
    {"--gpu-code", "-code", "code,...", sense::ignored, ""},
    {"--generate-code", "-gencode", "specification,...", sense::architecture,
     "the newest is used, as with -arch"},
    {"--relocatable-device-code", "-rdc", truth, sense::shares_device_code, ""},
    {"--entries", "-e", "entry,...", sense::ignored, ""},
    {"--maxrregcount", "-maxrregcount", "amount", sense::ignored, ""},
    {"--use_fast_math", "-use_fast_math", "", sense::ignored, "numbers are exact"},
    {"--ftz", "-ftz", truth, sense::ignored, "denormals are kept"},
    {"--prec-div", "-prec-div", truth, sense::ignored, ""},
    {"--prec-sqrt", "-prec-sqrt", truth, sense::ignored, ""},
    {"--fmad", "-fmad", truth, sense::ignored, ""},
    {"--extra-device-vectorization", "-extra-device-vectorization", "", sense::ignored, ""},
    {"--default-stream", "-default-stream", "legacy|null|per-thread", sense::ignored, ""},
    {"--disable-warnings", "-w", "", sense::handed_on, ""},
    {"--keep-device-functions", "-keep-device-functions", "", sense::ignored, ""},
    {"--source-in-ptx", "-src-in-ptx", "", sense::ignored, ""},
    {"--restrict", "-restrict", "", sense::ignored, ""},
    {"--Wreorder", "-Wreorder", "", sense::handed_on, ""},
    {"--Wdefault-stream-launch", "-Wdefault-stream-launch", "", sense::ignored, ""},
    {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", "", sense::ignored, ""},
    {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", "", sense::ignored, ""},
    {"--Wno-deprecated-declarations", "-Wno-deprecated-declarations", "", sense::handed_on, ""},
    {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", "", sense::ignored, ""},
    {"--Werror", "-Werror", "kind,...", sense::error_kinds,
     "reorder and deprecated-declarations; other kinds differ between clang and nvcc"},
    {"--resource-usage", "-res-usage", "", sense::ignored, ""},
    {"--extensible-whole-program", "-ewp", "", sense::ignored, ""},
    {"--no-compress", "-no-compress", "", sense::ignored, ""},
    {"--qpp-config", "-qpp-config", "configuration", sense::ignored, ""},
    {"--compile-as-tools-patch", "-astoolspatch", "", sense::refused, no_code},
    {"--list-gpu-code", "-code-ls", "", sense::architecture_codes, ""},
    {"--list-gpu-arch", "-arch-ls", "", sense::architectures, ""},
    {"--display-error-number", "-err-no", "", sense::ignored, ""},
    {"--no-display-error-number", "-no-err-no", "", sense::ignored, ""},
    {"--diag-error", "-diag-error", "error-number,...", sense::ignored, ""},
    {"--diag-suppress", "-diag-suppress", "error-number,...", sense::ignored, ""},
    {"--diag-warn", "-diag-warn", "error-number,...", sense::ignored, ""},
    {"--host-linker-script", "-hls", "use-lcs|gen-lcs", sense::linker_script,
     "use-lcs is ignored, gen-lcs refused: objects need no linker script"},
    {"--augment-host-linker-script", "-aug-hls", "", sense::ignored, ""},
    {"--relocatable-link", "-r", "", sense::relocatable, ""},
    {"--brief-diagnostics", "-brief-diag", truth, sense::ignored, ""},
    {"--jump-table-density", "-jtd", "number", sense::ignored, ""},
    {"--relocatable-ptx", "-reloc-ptx", "", sense::ignored, ""},
    {"--device-stack-protector", "-device-stack-protector", truth, sense::ignored, ""},
    {"--compress-mode", "-compress-mode", "mode", sense::ignored, ""},
    {"--frandom-seed", "-frandom-seed", "seed", sense::handed_on, ""},
    {"--sanitize", "-sanitize", "tool", sense::ignored, "SIMT_CHECK=1 checks any program"},
    {"--jobserver", "-jobserver", "", sense::ignored, ""},
    {"--help", "-h", "", sense::help, ""},
    {"--version", "-V", "", sense::version, ""},
    {"--options-file", "-optf", "file,...", sense::options_file, ""},
    // The machine's own.
    {"--compile-commands", "-MJ", "database", sense::dependency_file,
     "for clangd: adds clang's command for each source to a JSON file"},
    // Those of older toolkits and of host compilers.
    {"", "-Xcudafe", "options,...", sense::ignored, ""},
    {"", "-Xfatbin", "options,...", sense::ignored, ""},
    {"", "-dlcm", "", sense::ignored, ""},
    {"", "-pg-device", "", sense::ignored, ""},
    {"", "-MQ", "target", sense::dependency_target, ""},
    {"", "-iquote", "path", sense::system_path, ""},
    {"", "-idirafter", "path", sense::system_path, ""},
});

/// Those of one letter whose value may stand in the same word.
constexpr std::string_view joining = "ODUILlt";

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// By one of its names; nvcc's older versions took a brief one with two dashes, too.
const option* named(std::string_view name) {
  for (const option& o : table) {
    const bool brief_dashes =
        o.brief.size() > 2 && name.starts_with("--") && name.substr(1) == o.brief;
    if (name == o.name || name == o.brief || brief_dashes) return &o;
  }
  return nullptr;
}

}  // namespace

std::span<const option> options() { return table; }

option_word read_option(const std::string& word) {
  const auto equals = word.find('=');
  if (const option* const known = named(std::string_view(word).substr(0, equals))) {
    if (equals == std::string::npos) return {known, false, ""};
    return {known, true, word.substr(equals + 1)};
  }
  const std::string rest = word.size() > 2 ? word.substr(2) : "";
  if (rest.empty() || joining.find(word[1]) == std::string_view::npos) return {};
  if (word[1] == 't' && !is_number(rest)) return {};
  return {named(std::string_view(word).substr(0, 2)), true, rest};
}

std::string help() {
  std::string text =
      "usage: simt++ [options] files…\n\n"
      "Options are those of nvcc; unknown options go to clang. Ignored options concern device "
      "code\n"
      "or have no effect here.\n\n";
  for (const option& o : table) {
    std::string line = "  " + std::string(o.name.empty() ? o.brief : o.name);
    if (!o.value.empty()) line += " <" + std::string(o.value) + ">";
    if (!o.name.empty() && o.name != o.brief) line += " (" + std::string(o.brief) + ")";
    line.resize(std::max<std::size_t>(line.size() + 1, 60), ' ');
    if (o.is == sense::ignored) line += o.note.empty() ? "ignored" : "ignored: ";
    if (o.is == sense::refused) line += "refused: ";
    text += line + std::string(o.note);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace simt::driver
