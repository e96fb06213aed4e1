// refused: graphs are not modelled
void run(cudaStream_t stream) { cudaStreamBeginCapture(stream, 0); }
