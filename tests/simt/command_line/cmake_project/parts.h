// What the parts of the program call of each other.
#pragma once

void fill(int* values, int count);
void halve(int* values, int count);
