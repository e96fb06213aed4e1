/* Marks for a profiler: nobody reads them here. For C, too. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2 };
typedef struct nvtxDomainHandle* nvtxDomainHandle_t;
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
  } payload;
  int32_t messageType;
  union {
    const char* ascii;
    const wchar_t* unicode;
  } message;
} nvtxEventAttributes_t;

static inline void nvtxMarkA(const char* text) { (void)text; }
static inline int nvtxRangePushA(const char* text) { return (void)text, 0; }
static inline int nvtxRangePushEx(const nvtxEventAttributes_t* what) { return (void)what, 0; }
static inline int nvtxRangePop(void) { return 0; }
static inline nvtxRangeId_t nvtxRangeStartA(const char* text) { return (void)text, 0; }
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* what) {
  return (void)what, 0;
}
static inline void nvtxRangeEnd(nvtxRangeId_t range) { (void)range; }
static inline void nvtxNameOsThreadA(uint32_t thread, const char* name) {
  (void)thread, (void)name;
}
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name) { return (void)name, 0; }
static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameOsThread nvtxNameOsThreadA
