#include "cli/failure.hpp"

#include <cstdio>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "cli/words.hpp"
#include "data/file.hpp"
#include "simt/error.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

/// The standard library and oneTBB have their own words for it.
bool is_lack_of_threads(const std::exception& e) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&e);
  return of_system != nullptr ? of_system->code() == std::errc::resource_unavailable_try_again
                              : std::string_view(e.what()).starts_with("pthread_create has failed");
}

}  // namespace

failure failure_of(const std::exception_ptr& thrown) try {
  std::rethrow_exception(thrown);
} catch (const usage_error& e) {
  return {2, e.what()};
} catch (const device_error& e) {
  return {3, e.what()};
} catch (const data_error& e) {
  return {4, e.what()};
} catch (const simt::kernel_error& e) {
  return {1, e.what()};
} catch (const std::bad_alloc&) {
  return {3,
          "not enough memory; use a smaller --n, or for a file less --memory or fewer --threads"};
} catch (const std::filesystem::filesystem_error& e) {
  return {4, data::in_quotes(e.path1().string()) + ": " + data::reason_of(e.code().value())};
} catch (const std::exception& e) {
  if (std::ferror(stdout) != 0) return {4, "could not write to standard output"};
  if (is_lack_of_threads(e)) {
    return {3, "cannot start a thread; raise `ulimit -u` or -v, or use fewer --threads for a file"};
  }
  return {5, e.what()};
}

int say(const failure& f) {
  std::fprintf(stderr, "warpfold: %s\n", f.code == 1 ? f.what.c_str() : printable(f.what).c_str());
  return f.code;
}

}  // namespace warpfold::cli
