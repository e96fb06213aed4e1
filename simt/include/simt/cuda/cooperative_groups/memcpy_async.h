#error "cooperative_groups/memcpy_async.h is not there on the CPU machine: copy with the threads of the group, then sync"
