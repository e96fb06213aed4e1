// What sorts are compared with: megabytes, which tests as they are compiled would sort for seconds.
#pragma once

#include <vector>

namespace warpfold::cli {

/// The values in ascending order; of the types of files.
template <class T>
std::vector<T> sorted(std::vector<T> values);

}  // namespace warpfold::cli
