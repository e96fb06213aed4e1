#include "simt/src/memory/allocations.hpp"

namespace simt::detail {

allocation_table& the_allocations() {
  static auto* const table = new allocation_table;  // the program may ask until its very end
  return *table;
}

allocation_site site_of(std::uintptr_t begin) {
  allocation_table& table = the_allocations();
  const std::scoped_lock lock(table.mutex);
  const auto known = table.all.find(reinterpret_cast<const void*>(begin));
  return known != table.all.end() ? known->second.site : allocation_site{};
}

std::uint64_t allocations_made() {
  allocation_table& table = the_allocations();
  const std::scoped_lock lock(table.mutex);
  return table.made;
}

std::vector<allocation> unfreed_since(std::uint64_t number) {
  allocation_table& table = the_allocations();
  const std::scoped_lock lock(table.mutex);
  std::vector<allocation> found;
  for (const auto& [pointer, what] : table.all) {
    if (what.number >= number) found.push_back(what);
  }
  return found;
}

}  // namespace simt::detail
