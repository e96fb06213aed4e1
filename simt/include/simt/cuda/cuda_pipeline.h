#pragma once
#include "cuda_pipeline_primitives.h"
#include "simt/pipelines.hpp"
