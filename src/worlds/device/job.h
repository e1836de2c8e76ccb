// What the host hands to a device: a batch of worlds as the kernels see it.
//
// The same structs are compiled for both sides.  Pointers are addresses of the device.  mjModel has
// the same layout on both; mjData has not (a device keeps no records of solver iterations), so a
// part of a record names its field by its place in the field tables.
#ifndef CF_DEVICE_JOB_H
#define CF_DEVICE_JOB_H

#include <stdint.h>

#include <mujoco/mujoco.h>

enum { CF_DEVICE_VERSION = 1 };

// what is done with a world
typedef enum {
  CF_DEVICE_STEP,
  CF_DEVICE_FORWARD,
  CF_DEVICE_RESET,    // worlds of the mask, all without one
  CF_DEVICE_RESTART,  // worlds that were lost

  // which worlds are stepped side by side: count them by their load, find where each load begins,
  // put them there
  CF_DEVICE_COUNT,
  CF_DEVICE_BEGIN,
  CF_DEVICE_ORDER,
  CF_DEVICE_GATHER,  // worlds that a launch left open, one after the other
} cftDeviceTask;

typedef enum {
  CF_WORLD_GOOD,
  CF_WORLD_OPEN,  // a launch with little memory did not finish it
  CF_WORLD_LOST,  // bad numbers or an error; it rests
} cftWorldState;

typedef struct {
  int64_t nstep;
  int64_t nagain;  // of those, taken in the pool because the launch before left the world open
  int32_t nlost;
  int32_t state;        // cftWorldState
  int32_t load;         // of its last step, below CF_DEVICE_LOADS
  const char* message;  // of the last error: the text with its formats, in device memory
  int32_t warning[mjNWARNING];
} cfDeviceStatus;

// Loads of a step: 64 counts of rows, 8 of contacts and 4 of iterations, the last of each for more.
// Worlds of one load take the same ways and have their arrays in the same places, so they are
// stepped by one warp.
enum { CF_DEVICE_LOADS = 2048, CF_DEVICE_BEGINNERS = 64 };

// a field in the records of worlds
typedef struct {
  uint32_t offset, bytes;  // in the record
  int32_t is_array;        // a row of cfi_dataFields, otherwise of cfi_dataScalars
  int32_t field;           // which row
  int32_t is_carried;      // the next step reads it
  int32_t is_contact;      // as many as there are
  int32_t is_taken;        // a step may leave it as it is
} cfDevicePart;

// a field of the model that differs between worlds
typedef struct {
  char* value;      // of all worlds, one after the other
  uint64_t bytes;   // per world
  uint32_t offset;  // of the pointer or of the value in mjModel
  int32_t is_array;
} cfDeviceParameter;

typedef struct {
  const mjModel* model;
  char* record;
  uint64_t stride;
  const cfDevicePart* part;
  const cfDeviceParameter* parameter;
  cfDeviceStatus* status;
  const mjtByte* mask;
  int32_t* order;        // worlds by their load, or the open ones; NULL: one after the other
  int32_t* open_count;   // open worlds in the order; NULL: it has all worlds
  int32_t* load_count;   // worlds of each load
  int32_t* load_begin;   // where they begin in the order
  uint64_t local_bytes;  // per world in the thread's local memory; 0: worlds lie in the pool
  char* pool;
  uint64_t pool_bytes;  // per world
  double noise_scale, noise_rate;
  uint64_t seed;
  int32_t npart, nparameter;
  int32_t task, nstep, key;
  int32_t first, end;  // worlds of this launch
  int32_t is_again;    // only worlds that the launch before left open
  int32_t is_last;     // nobody comes after it with more memory
  int32_t is_rounded;  // blocks of the arena have rounded sizes
  int32_t reacts;      // accelerations of bodies and forces on them are among the outputs
} cfDeviceJob;

// sizes that both sides must agree on
typedef struct {
  int32_t version, job, status, model, data_fields, data_scalars;
  int32_t data_bytes;  // of mjData; the host's is larger
} cfDeviceLayout;

#define CF_DEVICE_LAYOUT                                                             \
  {                                                                                  \
    CF_DEVICE_VERSION, sizeof(cfDeviceJob), sizeof(cfDeviceStatus), sizeof(mjModel), \
        CF_DEVICE_DATA_FIELDS, CF_DEVICE_DATA_SCALARS, sizeof(mjData)                \
  }

// rows of the tables, as a checksum of their order
enum {
#define CF_FIELD(type, name, rows, cols, home, writer, compare, unit, doc) CF_DEVICE_ROW_##name,
#include "tables/data_fields.def"
#undef CF_FIELD
  CF_DEVICE_DATA_FIELDS
};
enum {
#define CF_SCALAR(type, name, dims, writer, compare, unit, doc) CF_DEVICE_SCALAR_##name,
#include "tables/data_scalars.def"
#undef CF_SCALAR
  CF_DEVICE_DATA_SCALARS
};

#endif  // CF_DEVICE_JOB_H
