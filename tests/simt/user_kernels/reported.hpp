// Kernels that a report has something to say of; `// [name]` marks the line in reported.cu.
#pragma once

namespace reported {

void clean();
void bank_conflicts();
void strided();
void one_bin();
void few_lanes();
void race();
void failing();
void failing_and_checked();  // throws std::runtime_error
void half_a_barrier_and_checked();
void twice_in_two_shapes();

}  // namespace reported
