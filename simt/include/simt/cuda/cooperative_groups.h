#pragma once
#include "cuda_runtime.h"
#include "simt/groups.hpp"
