// refused: there is no code of a device to load
#include <cuda.h>
void run(CUmodule* module) { cuModuleLoad(module, "kernel.cubin"); }
