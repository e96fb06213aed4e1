// CUDA's names for numbers.
#pragma once
#include <limits>

#define CUDART_INF_F (std::numeric_limits<float>::infinity())
#define CUDART_NAN_F (std::numeric_limits<float>::quiet_NaN())
#define CUDART_MAX_NORMAL_F (std::numeric_limits<float>::max())
#define CUDART_MIN_DENORM_F (std::numeric_limits<float>::denorm_min())
#define CUDART_PI_F 3.141592654f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_INF (std::numeric_limits<double>::infinity())
#define CUDART_NAN (std::numeric_limits<double>::quiet_NaN())
#define CUDART_PI 3.1415926535897931
#define CUDART_SQRT_TWO 1.4142135623730951
