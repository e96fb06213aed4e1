// The installed headers are found, and are those of the package's version.
#include <iostream>

#include "warpfold/error.hpp"
#include "warpfold/version.hpp"

int main(int argc, char** argv) {
  try {
    if (argc != 2 || warpfold::version != argv[1]) {
      throw warpfold::usage_error("the package and its headers differ in version");
    }
  } catch (const warpfold::error& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
