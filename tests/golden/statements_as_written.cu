// The kernels of statements.cu as a compiler that changes nothing compiles them.
#pragma clang optimize off
#define statement_runs statement_runs_as_written
#include "tests/golden/statements.cu"
