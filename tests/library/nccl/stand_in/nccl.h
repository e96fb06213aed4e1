// A stand-in for NCCL, for the CPU machine: the few calls that the library makes, between threads
// of one process, a thread for each modelled device. Every call has ended when it returns.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

struct ncclComm;
using ncclComm_t = ncclComm*;
enum ncclResult_t { ncclSuccess = 0, ncclInvalidArgument = 4, ncclInProgress = 7 };
enum ncclDataType_t { ncclUint8 = 1, ncclUint64 = 5 };
enum ncclRedOp_t { ncclSum = 0 };

const char* ncclGetErrorString(ncclResult_t result);
ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices);
/// From now on calls on it return ncclInProgress, and have ended when they were asked for a while.
void ncclStandInDoesNotBlock(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommCount(ncclComm_t comm, int* count);
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank);
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int to,
                      ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int from, ncclComm_t comm,
                      cudaStream_t stream);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
