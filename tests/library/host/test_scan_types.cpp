// The types that test_scan.cpp leaves, so that two compilers share the work.
#include <cstdint>

#include "tests/library/host/scan_of_types.hpp"

namespace warpfold::tests {
namespace {

using types = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::int64_t, float>;
INSTANTIATE_TYPED_TEST_SUITE_P(the_others, host_scan_of, types);

}  // namespace
}  // namespace warpfold::tests
