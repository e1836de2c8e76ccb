// Device code: formats are never used.
#pragma once
#include <stdint.h>
#define PRIuPTR "lu"
#define PRId64 "ld"
