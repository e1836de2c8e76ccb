// Mutations of binary models that keep header, sizes and arrays consistent with each other.
#include "mutate.h"

#include <string.h>

#include "model/layout.h"
#include "model/model.h"

enum { NHEADER = 20 };

static unsigned state;


static unsigned roll(unsigned bound) {
  state = state * 1664525u + 1013904223u;
  return bound ? (state >> 8) % bound : 0;
}


static size_t fixedBytes(void) {
  return NHEADER + sizeof(mjtSize) * (size_t)cfi_modelSizes.count + sizeof(mjOption) +
         sizeof(mjVisual) + sizeof(mjStatistic);
}


static void readSizes(const uint8_t* bytes, mjModel* m) {
  memset(m, 0, sizeof(*m));
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    memcpy((char*)m + cfi_modelSizes.field[k].offset, bytes + NHEADER + 8 * k, 8);
  }
}


static void writeSizes(uint8_t* bytes, const mjModel* m) {
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    memcpy(bytes + NHEADER + 8 * k, (const char*)m + cfi_modelSizes.field[k].offset, 8);
  }
}


// bytes of one array, 0 when it makes no sense
static size_t arrayBytes(const mjModel* m, int k) {
  mjtSize bytes = 0;
  int good = cfi_arrayBytes(cfi_modelFields.field + k, m, NULL, &bytes);
  return good && bytes < 1 << 24 ? (size_t)bytes : 0;
}


// length of the file that belongs to the sizes
static size_t fileBytes(const mjModel* m) {
  size_t total = fixedBytes();
  for (int k = 0; k < cfi_modelFields.count; k++) {
    total += arrayBytes(m, k);
  }
  return total;
}


static int interestingInt(int old) {
  static const int values[] = {-1, 0, 1,   2,    3,  4,         6,         7,
                               8,  9, 100, 1000, -2, INT32_MAX, INT32_MIN, 65536};
  switch (roll(4)) {
    case 0:
      return (int)((unsigned)old + 1u);
    case 1:
      return (int)((unsigned)old - 1u);
    case 2:
      return (int)roll(20);
    default:
      return values[roll(sizeof(values) / sizeof(values[0]))];
  }
}


static double interestingNumber(double old) {
  static const double values[] = {0,    -0.0,  1,    -1,  1e-300, 1e300, -1e300,
                                  1e10, 1e-10, 1e20, 0.5, 2,      1e6};
  return roll(3) ? values[roll(sizeof(values) / sizeof(values[0]))] : old * ((int)roll(5) - 2);
}


// one element of one array
static void mutateElement(uint8_t* bytes, size_t nbyte, const mjModel* m) {
  int pick = (int)roll((unsigned)cfi_modelFields.count);
  size_t position = fixedBytes();
  for (int k = 0; k < pick; k++) {
    position += arrayBytes(m, k);
  }
  const cfFieldInfo* field = cfi_modelFields.field + pick;
  size_t size = arrayBytes(m, pick);
  if (size < field->size || position + size > nbyte) {
    return;
  }
  uint8_t* at = bytes + position + field->size * roll((unsigned)(size / field->size));
  if (field->type == CF_TYPE_int) {
    int value;
    memcpy(&value, at, sizeof(value));
    value = interestingInt(value);
    memcpy(at, &value, sizeof(value));
  } else if (field->type == CF_TYPE_mjtNum) {
    double value;
    memcpy(&value, at, sizeof(value));
    value = interestingNumber(value);
    memcpy(at, &value, sizeof(value));
  } else {
    *at = (uint8_t)interestingInt(*at);
  }
}


// options: enumerations, flags, numbers
static void mutateOption(uint8_t* bytes) {
  uint8_t* option = bytes + NHEADER + 8 * cfi_modelSizes.count;
  if (roll(2)) {
    size_t first = offsetof(mjOption, integrator), count = (sizeof(mjOption) - first) / sizeof(int);
    uint8_t* at = option + first + sizeof(int) * roll((unsigned)count);
    int value;
    memcpy(&value, at, sizeof(value));
    value = roll(3) ? interestingInt(value) : value ^ (int)(1u << roll(20));
    memcpy(at, &value, sizeof(value));
  } else {
    uint8_t* at = option + sizeof(mjtNum) * roll(offsetof(mjOption, integrator) / sizeof(mjtNum));
    double value;
    memcpy(&value, at, sizeof(value));
    value = interestingNumber(value);
    memcpy(at, &value, sizeof(value));
  }
}


// another size, with the arrays that depend on it cut or extended
static size_t mutateSize(uint8_t* bytes, size_t nbyte, size_t max, const mjModel* old) {
  static uint8_t copy[1 << 20];
  mjModel m = *old;
  const cfFieldInfo* pick = cfi_modelSizes.field + roll((unsigned)cfi_modelSizes.count);
  mjtSize value;
  memcpy(&value, (char*)&m + pick->offset, sizeof(value));
  value += (int)roll(7) - 3;
  memcpy((char*)&m + pick->offset, &value, sizeof(value));
  const char* name;
  char message[200];
  if (!cfi_checkSizes(&m, message, sizeof(message))) {
    return 0;
  }
  m.nnames_map = cfi_nameMapSize(&m);
  size_t total = fileBytes(&m);
  if (nbyte > sizeof(copy) || total > max ||
      !cfi_bufferBytes(&cfi_modelFields, &m, &m.nbuffer, &name)) {
    return 0;
  }
  memcpy(copy, bytes, nbyte);
  writeSizes(bytes, &m);
  size_t from = fixedBytes(), to = fixedBytes();
  for (int k = 0; k < cfi_modelFields.count; k++) {
    size_t had = arrayBytes(old, k), has = arrayBytes(&m, k), common = had < has ? had : has;
    if (from + common <= nbyte) {
      memcpy(bytes + to, copy + from, common);
    }
    memset(bytes + to + common, 0, has - common);
    from += had;
    to += has;
  }
  return total;
}


// end of the block of extensions, 0 without one
static size_t blockEnd(const uint8_t* bytes, size_t nbyte, const mjModel* m) {
  size_t end = fixedBytes();
  for (int k = 0; k < cfi_modelFields.count; k++) {
    end += arrayBytes(m, k);
    if (cfi_modelFields.field[k].offset == offsetof(mjModel, paths)) {
      break;
    }
  }
  return end <= nbyte && m->npaths >= 24 && !memcmp(bytes + end - 8, "CFBLOCK1", 8) ? end : 0;
}


// a number or a byte in the block of extensions, with a checksum that is right
static void mutateBlock(uint8_t* bytes, size_t nbyte, const mjModel* m) {
  const size_t end = blockEnd(bytes, nbyte, m);
  int64_t total = 0;
  if (end) {
    memcpy(&total, bytes + end - 24, sizeof(total));
  }
  if (total < 32 || total > m->npaths) {
    return;
  }
  uint8_t *block = bytes + end - total, *at = block + roll((unsigned)total - 24 - 3);
  if (roll(3)) {
    int value;
    memcpy(&value, at, sizeof(value));
    value = interestingInt(value);
    memcpy(at, &value, sizeof(value));
  } else {
    *at = (uint8_t)interestingInt(*at);
  }
  uint64_t sum = 14695981039346656037u;
  for (int64_t k = 0; k < total - 24; k++) {
    sum = (sum ^ block[k]) * 1099511628211u;
  }
  memcpy(bytes + end - 16, &sum, sizeof(sum));
}


size_t cf_mutateModel(uint8_t* bytes, size_t nbyte, size_t max, unsigned seed) {
  state = seed;
  if (nbyte < fixedBytes()) {
    return 0;
  }
  mjModel m;
  char message[200];
  readSizes(bytes, &m);
  if (!cfi_checkSizes(&m, message, sizeof(message))) {
    return 0;
  }
  size_t length = nbyte;
  for (unsigned k = 1 + roll(4); k > 0; k--) {
    unsigned kind = roll(10);
    if (kind < 7) {
      mutateElement(bytes, length, &m);
    } else if (kind < 8) {
      mutateOption(bytes);
    } else if (kind < 9 && blockEnd(bytes, length, &m)) {
      mutateBlock(bytes, length, &m);
    } else {
      size_t changed = mutateSize(bytes, length, max, &m);
      length = changed ? changed : length;
      readSizes(bytes, &m);
    }
  }
  return length;
}
