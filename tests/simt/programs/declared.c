/* A source that declares CUDA's functions itself. */
extern int cudaSetDevice(int);
int main(void) { return cudaSetDevice(0); }
