// Streams and events of CUDA's runtime. All work is done when a call returns, so a stream is a name
// and an event is the time of day; unless a timeline says when it would have been done, or a
// capture keeps it for later.
#include <algorithm>
#include <mutex>
#include <set>

#include "simt/cudart/captures.hpp"
#include "simt/src/run/device.hpp"

namespace {

using simt::detail::capture_of;
using simt::detail::current_timeline;
using simt::detail::guarded;
using simt::detail::remember;

/// What exists of one kind of handle.
template <class Handle>
class handles {
 public:
  Handle* add() {
    const std::scoped_lock lock(mutex_);
    return *all_.insert(new Handle).first;
  }
  bool remove(Handle* h) {
    const std::scoped_lock lock(mutex_);
    if (all_.erase(h) == 0) return false;
    delete h;
    return true;
  }
  bool contains(Handle* h) {
    const std::scoped_lock lock(mutex_);
    return all_.contains(h);
  }

 private:
  std::mutex mutex_;
  std::set<Handle*> all_;
};
handles<CUstream_st> streams;
handles<CUevent_st> events;

cudaError_t bad_event(const char* call) {
  return remember(cudaErrorInvalidResourceHandle, call, "not an event, or a destroyed one");
}

template <class F>
cudaError_t on_event(const char* call, cudaEvent_t event, F function) {
  return guarded([&] {
    if (!events.contains(event)) return bad_event(call);
    return function();
  });
}

/// What asks for or waits for the end of things; `function` is called with the timeline, if any.
template <class F>
cudaError_t ask_stream(const char* call, cudaStream_t stream, F function) {
  return guarded([&] {
    if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream(call);
    if (const auto e = simt::detail::refuse_in_capture(call, stream); e != cudaSuccess) return e;
    auto* const line = current_timeline();
    if (line == nullptr) return cudaSuccess;
    line->call();
    return function(*line);
  });
}
template <class F>
cudaError_t ask_event(const char* call, cudaEvent_t event, F function) {
  return on_event(call, event, [&] {
    if (event->captured) {
      return remember(cudaErrorCapturedEvent, call, "the event was recorded into a graph");
    }
    auto* const line = current_timeline();
    if (line == nullptr) return cudaSuccess;
    line->call();
    return event->line == line->serial ? function(*line) : cudaSuccess;
  });
}

}  // namespace

namespace simt::detail {

bool is_legacy(const void* s) { return s == nullptr || s == cudaStreamLegacy; }
bool is_stream(cudaStream_t s) {
  return is_legacy(s) || s == cudaStreamPerThread || streams.contains(s);
}
bool waits_for_legacy(void* stream) {
  auto* const s = static_cast<cudaStream_t>(stream);
  return !streams.contains(s) || s->blocking;
}
cudaError_t bad_stream(const char* call) {
  return remember(cudaErrorInvalidResourceHandle, call, "not a stream, or a destroyed one");
}

void stamp(cudaEvent_t event, std::size_t task) {
  event->at = std::chrono::steady_clock::now();
  event->recorded = true;
  event->captured = false;
  event->task = task;
  event->line = current_timeline() != nullptr ? current_timeline()->serial : 0;
}

void wait_for_device() {
  if (auto* const line = current_timeline(); line != nullptr) line->wait_for_all();
}

}  // namespace simt::detail

namespace {
auto& attributes_of(cudaStream_t stream) {
  static CUstream_st of_default;
  return streams.contains(stream) ? stream->attributes : of_default.attributes;
}
}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return guarded([&] {
    *stream = streams.add();
    (*stream)->device = simt::detail::current_device();
    (*stream)->blocking = (flags & cudaStreamNonBlocking) == 0;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  const cudaError_t status = cudaStreamCreateWithFlags(stream, flags);
  if (status == cudaSuccess) (*stream)->priority = std::clamp(priority, -5, 0);
  return status;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamGetPriority");
  *priority = streams.contains(stream) ? stream->priority : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamGetFlags");
  *flags = streams.contains(stream) && !stream->blocking ? cudaStreamNonBlocking : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamGetId");
  *id = reinterpret_cast<unsigned long long>(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  if (!simt::detail::is_stream(to) || !simt::detail::is_stream(from)) {
    return simt::detail::bad_stream("cudaStreamCopyAttributes");
  }
  attributes_of(to) = attributes_of(from);
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamGetDevice");
  *device = streams.contains(stream) ? stream->device : simt::detail::current_device();
  return cudaSuccess;
}
// Hints about caches, which are not modelled: what was set is told again.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamSetAttribute");
  attributes_of(stream)[attribute] = *value;
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamGetAttribute");
  *value = attributes_of(stream)[attribute];
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() { return simt::detail::sticky_error(); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded([&] {
    if (auto* const line = current_timeline(); line != nullptr) line->forget(stream);
    return streams.remove(stream) ? cudaSuccess : simt::detail::bad_stream("cudaStreamDestroy");
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return ask_stream("cudaStreamSynchronize", stream, [&](auto& line) {
    line.wait(line.before(stream));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return ask_stream("cudaStreamQuery", stream, [&](auto& line) {
    return line.has_ended(line.before(stream)) ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaDeviceSynchronize() {
  simt::detail::refuse_wait_in_kernel();
  return guarded([] {
    if (auto* const line = current_timeline(); line != nullptr) line->call();
    simt::detail::wait_for_device();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  constexpr const char* call = "cudaStreamWaitEvent";
  return on_event(call, event, [&] {
    if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream(call);
    const auto here = capture_of(stream);
    const auto there = simt::detail::capture_with(event);
    if (here != nullptr && (there == nullptr || here != there)) {
      here->broken = true;
      return remember(cudaErrorStreamCaptureIsolation, call,
                      "the stream is being captured, and the event was recorded outside of that");
    }
    if (there != nullptr) {
      simt::detail::join_capture(stream, there);
      auto& last = there->tails[stream];
      const auto& more = there->events[event];
      last.insert(last.end(), more.begin(), more.end());
      return cudaSuccess;
    }
    auto* const line = current_timeline();
    if (line == nullptr) return cudaSuccess;
    line->call();
    auto after = line->before(stream);
    if (event->line == line->serial) after.push_back(event->task);
    line->follow(stream, {line->mark(std::move(after))});
    return cudaSuccess;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  return simt::detail::enqueue("cudaStreamAddCallback", stream, {.where = simt::engine::callback},
                               [=] {
                                 callback(stream, cudaSuccess, data);
                                 return cudaSuccess;
                               });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return simt::detail::enqueue("cudaLaunchHostFunc", stream, {.where = simt::engine::callback},
                               [=] {
                                 function(data);
                                 return cudaSuccess;
                               });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return guarded([&] {
    *event = events.add();
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return guarded(
      [&] { return events.remove(event) ? cudaSuccess : bad_event("cudaEventDestroy"); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  constexpr const char* call = "cudaEventRecord";
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream(call);
  return on_event(call, event, [&] {
    if (const auto c = capture_of(stream); c != nullptr) {
      if (flags == cudaEventRecordExternal) {  // a node, which the graph's launches record
        c->add(stream, {.records = event});
      } else {
        event->captured = true;
        c->events[event] = c->tails[stream];
      }
      return cudaSuccess;
    }
    if (const auto e = simt::detail::refuse_beside_capture(call, stream); e != cudaSuccess) {
      return e;
    }
    auto* const line = current_timeline();
    if (line != nullptr) line->call();
    simt::detail::stamp(event, line != nullptr ? line->mark(stream) : 0);
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return ask_event("cudaEventSynchronize", event, [&](auto& line) {
    line.wait({event->task});
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return ask_event("cudaEventQuery", event, [&](auto& line) {
    return line.has_ended({event->task}) ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return guarded([&] {
    if (!events.contains(from) || !events.contains(to)) return bad_event("cudaEventElapsedTime");
    if (!from->recorded || !to->recorded || !from->timed || !to->timed) {
      return remember(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime",
                      "an event that was not recorded, or was made without timing");
    }
    auto* const line = current_timeline();
    if (line == nullptr || from->line != line->serial || to->line != line->serial) {
      *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
      return cudaSuccess;
    }
    if (!line->has_ended({from->task, to->task})) return cudaErrorNotReady;
    *milliseconds =
        static_cast<float>((line->device[to->task].end - line->device[from->task].end) / 1000);
    return cudaSuccess;
  });
}
