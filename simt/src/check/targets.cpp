#include "simt/src/check/targets.hpp"

#include <algorithm>

#include "simt/src/check/checker.hpp"
#include "simt/src/memory/arena.hpp"
#include "simt/src/memory/symbols.hpp"

namespace simt::detail {

namespace {

/// "tile<float>" of the tag in "warpfold::shared_storage<tile<float> >()::tag".
std::string type_of_tag(const void* tag) {
  const auto address = reinterpret_cast<std::uintptr_t>(tag);
  const symbol object = symbol_at(address);
  if (object.begin != address) return {};
  std::string text = object.name;
  const auto open = text.find('<'), call = text.rfind("()::");
  if (open == std::string::npos || call == std::string::npos) return {};
  const auto close = text.rfind('>', call);
  if (close == std::string::npos || close < open) return {};
  text = text.substr(open + 1, close - open - 1);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

const region* find_region(const std::vector<region>& regions, std::uintptr_t address) {
  const auto after = std::upper_bound(regions.begin(), regions.end(), address,
                                      [](auto at, const region& r) { return at < r.begin; });
  return after == regions.begin() ? nullptr : &*(after - 1);
}

const region* nearest_region(const std::vector<region>& regions, std::uintptr_t address) {
  const region* const before = find_region(regions, address);
  const region* const after = before != nullptr ? before + 1 : regions.data();
  const bool has_after = after != regions.data() + regions.size() && in_arena(after->begin);
  if (before == nullptr) return has_after ? after : nullptr;
  if (!has_after) return before;
  const std::uintptr_t behind = address - (before->begin + before->bytes);
  return behind <= after->begin - address ? before : after;
}

target target_in(const region* r, std::uintptr_t address) {
  if (r == nullptr) return {};
  if (!in_arena(address)) {
    const variable_extent v = variable_before(address);
    return {
        .name = v.name, .offset = static_cast<std::ptrdiff_t>(address - v.begin), .size = v.bytes};
  }
  return {
      .allocation = r, .offset = static_cast<std::ptrdiff_t>(address - r->begin), .size = r->bytes};
}

target target_in(const block& owner, std::uintptr_t shared_address) {
  const std::size_t offset = shared_address - reinterpret_cast<std::uintptr_t>(owner.shared);
  target best{
      .dynamic = true, .offset = static_cast<std::ptrdiff_t>(offset), .size = owner.dynamic_bytes};
  if (offset < best.size) return best;
  std::size_t begin = 0;
  for (const block::object& o : owner.storage) {
    if (o.begin > offset || (best.tag != nullptr && o.begin < begin)) continue;
    begin = o.begin;
    best = {.tag = o.tag,
            .name = o.name,
            .offset = static_cast<std::ptrdiff_t>(offset - o.begin),
            .size = o.end - o.begin};
  }
  return best;
}

std::string name_of(const target& t) {
  if (t.name != nullptr) return t.name;
  if (t.allocation != nullptr) return t.allocation->name;
  if (t.tag != nullptr) return type_of_tag(t.tag);
  return t.dynamic ? dynamic_part : "";
}

std::uintptr_t full_position(std::uint32_t site, std::uintptr_t near) {
  // As near as those bits allow.
  std::uintptr_t position = (near >> 31 << 31) | site;
  if (position > near + (1UL << 30)) position -= 1UL << 31;
  if (position + (1UL << 30) < near) position += 1UL << 31;
  return position;
}

std::string describe_address(const block_check& b, const block& of, std::uintptr_t address) {
  const bool global = is_global(address);
  const cluster& c = *of.cluster;
  const auto shared = reinterpret_cast<std::uintptr_t>(c.memory);
  const target t = global ? target_in(find_region(b.launch->regions, address), address)
                          : target_in(c.blocks[(address - shared) / shared_stride], address);
  std::string text = "offset " + std::to_string(t.offset) + " of ";
  const std::string name = name_of(t);
  text += !name.empty() ? name : global ? "an allocation" : "a shared object";
  return text + " (" + std::to_string(t.size) + " bytes)";
}

access_mark last_write(const block_check& b, const block& of, std::uintptr_t address) {
  if (!is_global(address)) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(of.cluster->memory);
    const block_check& owner = b.cluster->blocks[offset / shared_stride];
    const shared_cell& c = (*owner.cells)[offset % shared_stride / 4];
    return c.block == owner.id ? c.write : access_mark{};
  }
  const region* const r = find_region(b.launch->regions, address);
  if (r == nullptr || address - r->begin >= r->bytes) return {};
  const locked_words words(*r, address, *b.pages);
  return words[(address - r->begin) % page_bytes / 4].write;
}

}  // namespace simt::detail
