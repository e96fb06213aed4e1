#pragma once
#include "simt/driver.h"
