#include "parts.hpp"

#include <cstdlib>

#include "built.hpp"
#include "quoting.hpp"

namespace simt::driver {

namespace fs = std::filesystem;

parts find_parts() {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  for (const char* lib : {SIMT_LIBRARY_DIRECTORY, "lib", "lib64"}) {
    const parts installed{prefix / "include", prefix / lib / "libwarpfold_simt.a",
                          prefix / SIMT_LIBEXEC_DIRECTORY, prefix / lib / "warpfold" / "cuda"};
    if (fs::exists(installed.archive, none) && fs::exists(installed.include / "simt", none)) {
      return installed;
    }
  }
  const parts built{SIMT_BUILT_INCLUDE, SIMT_BUILT_LIBRARY, SIMT_BUILT_BINARIES,
                    fs::path(SIMT_BUILT_BINARIES) / "toolkit"};
  if (fs::exists(built.archive, none)) return built;
  throw usage("neither " + (prefix / "lib" / "libwarpfold_simt.a").string() +
              " nor the tree that this was built in is there; install warpfold again");
}

std::string find_compiler() {
  if (const char* const asked = std::getenv("SIMT_CXX"); asked != nullptr) return asked;
  std::error_code none;
  return fs::exists(SIMT_COMPILER, none) ? SIMT_COMPILER : "clang++";
}

}  // namespace simt::driver
