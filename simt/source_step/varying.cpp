#include "varying.hpp"

namespace simt::source_step {

varying_values::varying_values(std::span<const instruction> code) {
  for (bool more = true; more;) {
    const std::size_t before = names_.size();
    for (const instruction& i : code) {
      if (!i.to.empty() && makes_one(i)) names_.insert(i.to);
    }
    more = names_.size() != before;
  }
}

bool varying_values::any_in(std::string_view text) const {
  bool found = false;
  for_each_value(text, [&](std::string_view name) { found |= names_.contains(name); });
  return found;
}

bool varying_values::makes_one(const instruction& i) const {
  if (i.is({"atomicrmw", "cmpxchg"})) return true;
  const bool is_of_thread =
      i.is({"call", "invoke"}) && (i.has("thread_index") || i.has("lane") || i.has("shuffle"));
  return is_of_thread || any_in(i.rest);
}

}  // namespace simt::source_step
