// The whole library: what runs on the host, where oneTBB is, and what runs on the device, if a
// device compiler reads this.
#pragma once

#include "warpfold/environment.hpp"
#include "warpfold/error.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/gather.hpp"
#include "warpfold/group.hpp"
#include "warpfold/histogram.hpp"
#include "warpfold/keys.hpp"
#include "warpfold/merge.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/order.hpp"
#include "warpfold/pipeline.hpp"
#include "warpfold/quantiles.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/results.hpp"
#include "warpfold/scan.hpp"
#include "warpfold/search.hpp"
#include "warpfold/segments.hpp"
#include "warpfold/select.hpp"
#include "warpfold/sort.hpp"
#include "warpfold/top_k.hpp"
#include "warpfold/value_type.hpp"
#include "warpfold/version.hpp"
#include "warpfold/workspace.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/block/scan.cuh"
#include "warpfold/device/detail/convert.cuh"
#include "warpfold/device/stage.cuh"
#endif
#if !WARPFOLD_HAS_DEVICE || __has_include(<tbb/parallel_for.h>)
#include "warpfold/host/exact.hpp"
#include "warpfold/host/gather.hpp"
#include "warpfold/host/group.hpp"
#include "warpfold/host/histogram.hpp"
#include "warpfold/host/keys.hpp"
#include "warpfold/host/merge.hpp"
#include "warpfold/host/quantiles.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/scan.hpp"
#include "warpfold/host/search.hpp"
#include "warpfold/host/segments.hpp"
#include "warpfold/host/select.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/host/top_k.hpp"
#endif
