// Kernels that a report has something to say of; `// [name]` marks the line in reported.cu.
#pragma once

namespace reported {

void clean();
void bank_conflicts();
void strided();
void one_bin();
void few_lanes();
void transposed();
void race();
void failing();
void failing_and_checked();  // throws std::runtime_error
void racing_and_checked();
void twice_in_two_shapes();

void host_pointer();             // of a vector
void pointer_to_local();         // of the host's stack
void null_pointer();             // to a kernel
void memory_for_both();          // managed and pinned
void constants_and_variables();  // of the program and the device
void host_reads_and_writes();    // memory of the device, between kernels
void never_freed();

}  // namespace reported
