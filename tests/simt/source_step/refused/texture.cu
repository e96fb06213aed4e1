// refused: textures and surfaces are not modelled
__global__ void k(cudaTextureObject_t texture, float* out) { *out = 0; }
