#pragma once
#include "simt/driver.h"
#include "simt/driver_refused.h"
