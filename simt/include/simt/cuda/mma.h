#error "mma.h is not there on the CPU machine: matrix units are not modelled"
