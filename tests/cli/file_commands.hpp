// Commands on files: values in, values out, and what is left in the folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/npy.hpp"
#include "data/read.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {

/// The types of elements that files may have.
using file_types = testing::Types<std::int32_t, std::int64_t, std::uint8_t, std::uint32_t, float,
                                  double, std::uint64_t>;

/// What sums are in.
template <class T>
using wide =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// The most memory that the command had at once, in bytes.
inline std::size_t peak_of(const std::vector<std::string>& arguments) {
  malloc_trim(0);  // what this process holds counts for the child, too
  const pid_t child = fork();
  if (child == 0) {
    dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    std::vector<char*> words;
    std::string program = WARPFOLD_PROGRAM;
    words.push_back(program.data());
    std::vector<std::string> copy = arguments;
    for (auto& a : copy) words.push_back(a.data());
    words.push_back(nullptr);
    execv(program.c_str(), words.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  EXPECT_EQ(status, 0);
  return static_cast<std::size_t>(used.ru_maxrss) << 10;
}

class file_command : public command_line {
 protected:
  template <class T>
  std::string npy(const std::string& name, const std::vector<T>& values,
                  std::vector<std::size_t> shape = {}) {
    auto a = data::array_of(std::span<const T>(values));
    if (!shape.empty()) a.shape = std::move(shape);
    data::write_npy(folder_ / name, a);
    return folder_ / name;
  }
  template <class T>
  std::string raw(const std::string& name, const std::vector<T>& values) {
    return write(name, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  /// 100 files that have these values together: more than `ulimit -n 40` lets a process open.
  template <class T>
  std::string many_files(const std::vector<T>& all) {
    std::string names;
    const std::size_t n = all.size() / 100;
    std::filesystem::create_directory(path("p"));
    for (std::size_t i = 0; i < 100; ++i) {
      const auto* const from = all.data() + i * n;
      names += " " + npy("p/" + std::to_string(i), std::vector<T>(from, from + n));
    }
    return names;
  }
  template <class T>
  std::vector<T> read(const std::string& name) {
    const auto a = data::read_file(folder_ / name, data::type_of<T>());
    const auto values = a.template as<T>();
    return {values.begin(), values.end()};
  }
  std::string path(const std::string& name) { return folder_ / name; }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      all.push_back(entry.path().filename());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  template <class T>
  std::vector<T> random(std::size_t n) {
    std::vector<T> values(n);
    if constexpr (std::is_floating_point_v<T>) {
      for (T& v : values) v = static_cast<T>(static_cast<double>(random_() >> 11) * 0x1p-53 - 0.25);
    } else {
      std::size_t left = n * sizeof(T);
      for (auto* at = reinterpret_cast<std::byte*>(values.data()); left > 0;) {
        const std::uint64_t bits = random_();
        const std::size_t here = std::min(left, sizeof bits);
        std::memcpy(at, &bits, here);
        at += here;
        left -= here;
      }
    }
    return values;
  }

  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace warpfold::cli
