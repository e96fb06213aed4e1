// The includes of all ladders' kernel files, parsed once for all of them.
#pragma once

#include "ladder/counting_operator.cuh"
#include "ladder/instantiate.hpp"
#include "ladder/launching.cuh"
#include "warpfold/block/reduce.cuh"
