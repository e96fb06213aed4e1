// From exceptions to a status and the thread's text.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "c/warpfold.h"
#include "warpfold/error.hpp"

namespace warpfold::erased {

/// What wf_error says on this thread. One for a library: libwarpfold's, and libwarpfold_mpi's.
std::string& last_error();

/// Calls f; no exception comes out.
template <class F>
wf_status guarded(const F& f) noexcept {
  const auto failed = [](wf_status status, const char* text) noexcept {
    try {
      last_error() = text;
    } catch (...) {  // no memory for the text
      last_error().clear();
    }
    return status;
  };
  try {
    f();
    return WF_OK;
  } catch (const usage_error& e) {
    return failed(WF_USAGE, e.what());
  } catch (const device_error& e) {
    return failed(WF_DEVICE, e.what());
  } catch (const data_error& e) {
    return failed(WF_DATA, e.what());
  } catch (const std::bad_alloc&) {
    return failed(WF_MEMORY, "the host has no memory left for this call");
  } catch (const std::exception& e) {
    return failed(WF_INTERNAL, e.what());
  } catch (...) {
    return failed(WF_INTERNAL, "an exception of an unknown type");
  }
}

}  // namespace warpfold::erased
