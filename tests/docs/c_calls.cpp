// Surrounds the code of docs/c.md.
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> some{1e30F, 1, -1e30F};
  const float* const values = some.data();
  const size_t n = some.size();
  // the code of the page
  return sum == 1 ? 0 : 1;
}
