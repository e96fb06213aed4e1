// Findings about one instruction alone: what it does, whoever else does what.
#include <bit>

#include "simt/src/check/checker.hpp"
#include "simt/src/check/targets.hpp"
#include "simt/src/run/log.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

/// A bank conflict is an access that took more passes than it need have.
void checker::warp_access(const warp& w, std::uint64_t site, std::uint32_t mask,
                          const std::uint64_t* addresses, std::uint64_t conflicts) {
  if (conflicts == 0) return;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  raw_finding f{.kind = finding_kind::bank_conflict,
                .space = memory_space::shared,
                .at = target_in(*w.block, addresses[first]),
                .bytes = size_of(site),
                .count = conflicts};
  f.here.mark.block = check_of(*w.block).id;
  f.here.mark.who = static_cast<std::uint16_t>(w.index * warp_size + first);
  f.here.what = access_type(kind_of(site));
  f.here.pc = position_of(site);
  f.other = f.here;
  add(f);
}

void checker::wide_shift(std::uintptr_t pc) {
  const block_check& b = check_of(*tls.current);
  raw_finding f{.kind = finding_kind::wide_shift};
  f.here.mark.block = b.id;
  f.here.mark.who = static_cast<std::uint16_t>(tls.warp->index * warp_size + tls.current->index);
  f.here.what = access_type::none;
  f.here.pc = pc;
  f.other = f.here;
  const hooks_disabled quiet;
  add(f);
}

}  // namespace simt::detail
