#include "warpfold/host/exact.hpp"
