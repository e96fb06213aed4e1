// How many registers kernels take, which the device compiler alone knows: read from what it prints.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace simt {

/// Registers of a thread, by kernel (as profiles name it) and capability of the device (90
/// for 9.0).
class register_table {
 public:
  register_table() = default;
  /// `printed`: by `nvcc --resource-usage`, or by `cuobjdump --dump-resource-usage` of a program.
  explicit register_table(std::string_view printed);

  [[nodiscard]] bool empty() const { return of_.empty(); }
  /// By capability; empty where the kernel is not known.
  [[nodiscard]] std::map<int, unsigned> of(const std::string& kernel) const;

 private:
  std::map<std::string, std::map<int, unsigned>> of_;
};

}  // namespace simt
