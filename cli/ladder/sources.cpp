#include "cli/ladder/sources.hpp"

namespace warpfold::ladder {

namespace reduce_ladder {
std::span<const rung_source> sources();
std::span<const rung_source> helpers();
}  // namespace reduce_ladder
namespace scan_ladder {
std::span<const rung_source> sources();
std::span<const rung_source> helpers();
}  // namespace scan_ladder
namespace sort_ladder {
std::span<const rung_source> sources();
std::span<const rung_source> helpers();
}  // namespace sort_ladder
namespace histogram_ladder {
std::span<const rung_source> sources();
std::span<const rung_source> helpers();
}  // namespace histogram_ladder
namespace select_ladder {
std::span<const rung_source> sources();
std::span<const rung_source> helpers();
}  // namespace select_ladder

}  // namespace warpfold::ladder

namespace warpfold::cli {

ladder_sources sources_of(ladder::ladder_kind kind) {
  namespace reduce = ladder::reduce_ladder;
  namespace scan = ladder::scan_ladder;
  namespace sort = ladder::sort_ladder;
  namespace histogram = ladder::histogram_ladder;
  namespace select = ladder::select_ladder;
  switch (kind) {
    case ladder::ladder_kind::reduce: return {reduce::sources(), reduce::helpers()};
    case ladder::ladder_kind::scan: return {scan::sources(), scan::helpers()};
    case ladder::ladder_kind::sort: return {sort::sources(), sort::helpers()};
    case ladder::ladder_kind::histogram: return {histogram::sources(), histogram::helpers()};
    case ladder::ladder_kind::select: return {select::sources(), select::helpers()};
  }
  return {};
}

}  // namespace warpfold::cli
