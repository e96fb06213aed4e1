// The program as a user meets it: runs it, and keeps what it prints and its exit code.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpfold::cli {

struct outcome {
  int code;
  std::string out, err;
};

class command_line : public testing::Test {
 protected:
  command_line() {
    std::string name = (std::filesystem::temp_directory_path() / "warpfold-cli-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  outcome run(const std::string& arguments) { return shell(WARPFOLD_PROGRAM " " + arguments); }
  /// With what `before` prints as standard input.
  outcome run_after(const std::string& before, const std::string& arguments) {
    return shell(before + " | " WARPFOLD_PROGRAM " " + arguments);
  }

  /// From several threads at once, too.
  outcome shell(const std::string& command) {
    const std::string errors = folder_ / ("stderr" + std::to_string(calls_++));
    FILE* const pipe = popen((command + " 2>" + errors).c_str(), "r");
    std::string out;
    std::array<char, 4096> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
      out.append(buffer.data(), got);
    }
    const int status = pclose(pipe);
    std::ifstream file(errors);
    outcome all{WEXITSTATUS(status),
                out,
                {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}};
    std::filesystem::remove(errors);
    return all;
  }

  std::string write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  void expect_refusal(const std::string& arguments, int code, const std::string& says) {
    const outcome o = run(arguments);
    EXPECT_EQ(o.code, code) << arguments << "\n" << o.err;
    EXPECT_THAT(o.out, testing::IsEmpty()) << arguments;
    EXPECT_THAT(o.err, testing::AllOf(testing::StartsWith("warpfold: "), testing::HasSubstr(says)))
        << arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << arguments << "\n" << o.err;
  }

  std::filesystem::path folder_;

 private:
  std::atomic<int> calls_ = 0;
};

}  // namespace warpfold::cli
