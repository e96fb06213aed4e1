#pragma once
#include "cooperative_groups.h"
#include "simt/pipelines.hpp"
