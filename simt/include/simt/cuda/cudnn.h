#error "cuDNN is not there on the CPU machine: take a program, or a form of this one, that does without"
