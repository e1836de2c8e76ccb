// Mutations of GMSH files.
#ifndef CF_FUZZ_GMSH_H
#define CF_FUZZ_GMSH_H

#include <stddef.h>
#include <stdint.h>

// change a file in place, up to max bytes; the new length
size_t cf_mutateGmsh(uint8_t* data, size_t size, size_t max, unsigned seed);

#endif  // CF_FUZZ_GMSH_H
