// Declarations of variables in CUDA's memory spaces.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace simt::source_step {

/// A __shared__ variable, as a member of the struct that its declaration has become.
struct shared_name {
  std::string_view name;
  std::string group;
  std::size_t index = 0;  // in the group
  bool dynamic = false;   // of the block's dynamic part
  bool templated = false;
  std::string space{};  // the namespaces that it is declared in

  /// What is the variable: with `within`, from where another namespace is named; of a template,
  /// with these `arguments`, as `<int>`.
  [[nodiscard]] std::string expression(const std::string& within = {},
                                       const std::string& arguments = {}) const;
  /// Makes the name a reference to it.
  [[nodiscard]] std::string reference() const;
};
using shared_names = std::vector<shared_name>;

/// The statement from `statement` on has __shared__ at token `word`: it becomes a struct of what it
/// declares.
shared_names shared_types(source& s, std::size_t word, std::size_t statement);
/// The same within a function, where the references follow at once.
void shared_variables(source& s, std::size_t word, std::size_t statement);

/// The statement, at namespace scope, has __device__, __constant__ or __managed__ at `word`. If it
/// defines variables, they are registered after it; instances of a variable template, as they are
/// made.
void device_variables(source& s, std::size_t word, std::size_t statement);

/// Whether what the same kind of statement declares can be the file's own: no template, no member,
/// nothing that the host has as well or that was declared `extern`, whose names are added to those.
bool is_of_one_file(const source& s, std::size_t word, std::size_t statement,
                    std::set<std::string_view>& external);

/// Whether __launch_bounds__(…) or the like stands at `t`.
bool is_limit(const source& s, std::size_t t);

/// As source::find does, past such words.
std::size_t behind_limits(const source& s, std::size_t from, std::string_view characters);

/// What such words between these tokens say, as the template arguments of kernel_scope; "" if there
/// are none.
std::string limits_between(const source& s, std::size_t first, std::size_t end);

}  // namespace simt::source_step
