#pragma once
#include "cooperative_groups.h"
#include "simt/group_algorithms.hpp"
