// The host's algorithms, as an outside program calls them.
#include <iostream>
#include <vector>

#include "warpfold/warpfold.hpp"

int main() {
  std::vector<int> values{3, 1, 2};
  const int sum = warpfold::reduce(warpfold::host, values);
  warpfold::inclusive_scan(warpfold::host, values, values);
  warpfold::sort(warpfold::host, values, warpfold::descending{});
  if (sum == 6 && values == std::vector{6, 4, 3}) return 0;
  std::cerr << "expected 6, then 6 4 3; got " << sum << ", then " << values[0] << ' ' << values[1]
            << ' ' << values[2] << '\n';
  return 1;
}
