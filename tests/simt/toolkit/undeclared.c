/* Includes no header of CUDA's and calls it all the same, as old suites do. */
int device_is_there(void) {
  int device = -1;
  return cudaGetDevice(&device) == 0 && device == 0;
}
