// refused: declare it in the kernel or device function that uses it
__shared__ int everybodys;
__global__ void k() { everybodys = 1; }
