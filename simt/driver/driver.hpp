// Carries a plan out: compiles, links, archives.
#pragma once

#include <filesystem>
#include <string>

#include "parts.hpp"
#include "plan.hpp"
#include "plugin.hpp"

namespace simt::driver {

class driver {
 public:
  explicit driver(plan p);
  ~driver();
  driver(const driver&) = delete;
  driver& operator=(const driver&) = delete;

  /// The exit code.
  int run();

 private:
  [[nodiscard]] std::string object_of(const input& in);
  const std::filesystem::path& scratch();
  void show_toolkit() const;
  [[nodiscard]] words command_for(const input& in) const;
  [[nodiscard]] words rule_for(const input& in, const std::string& object) const;
  [[nodiscard]] words command_for_clangd(const input& in) const;
  int compile(const input& in, const std::string& object);
  int preprocess(const input& in);
  int link(const words& objects);
  int device_link();
  int archive(const words& objects);
  int start(const std::string& program) const;
  [[nodiscard]] int execute(const words& command, const std::string& makes, bool cuda) const;

  plan plan_;
  parts parts_;
  std::string compiler_;
  plugins plugins_;
  std::filesystem::path scratch_;
  unsigned count_ = 0;
};

}  // namespace simt::driver
