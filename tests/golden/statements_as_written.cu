// The kernels of statements.cu once more; compiled with -O0, which changes nothing in them.
#define statement_runs statement_runs_as_written
#include "tests/golden/statements.cu"
