// A CUDA driver without a GPU: memory is the host's, kernels run world by world on the CPU, from
// the same sources and with the same placing and stepping as on a device.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "batch/cuda.h"
#include "device/world.h"
#include "team/tier.h"

#define CF_EXPORT __attribute__((visibility("default")))

// how a thread is run; tools/gpu/emulate has another way
#ifndef CF_TWIN_RUN
#define CF_TWIN_RUN(job, block, bytes, world, place) cfi_runWorld(job, block, bytes, world)
#endif

// worlds that kernels ran, by the kernel: local memory, pool, fast tier
CF_EXPORT int cf_twinRuns[3];

// worlds in the order in which the last steps in local memory had them; NULL: one after the other
CF_EXPORT const int32_t* cf_twinOrder;

// the beginning of the last image that was loaded
CF_EXPORT char cf_twinImage[8];

// a module, and the plans of the fast tier in its constant memory, by precision
typedef struct {
  int is_team;  // by a function: which of its two plans it steps with, plus 1; 0: the base tier
  char plan[4096];
} twinFunction;

typedef struct {
  twinFunction base, team[2];  // the lean kernels are those that have everything
} twinModule;

static const cfTeamTier* const team_tier[] = {&cfi_teamDouble, &cfi_teamSingle};

static const cfDeviceLayout layout = CF_DEVICE_LAYOUT;
static jmp_buf way_out;
static const cfDeviceJob* current;
static int current_world;
static int is_rounded;
static size_t stack_limit = 1024;


void cfi_deviceStop(const char* message) {
  current->status[current_world].message = message;
  longjmp(way_out, 1);
}


int cfi_deviceRounds(void) {
  return is_rounded;
}


// a thread, the index of which among those of the launch is its place
static void runOne(const cfDeviceJob* job, char* block, size_t bytes, int world, int place) {
  current = job;
  current_world = world;
  if (!setjmp(way_out)) {
    CF_TWIN_RUN(job, block, bytes, world, place);
  }
}

// ---------------------------------------- the driver's functions

#define CF_CUDA_FUNCTION(name, arguments) CF_EXPORT int name arguments;
#include "batch/cudadriver.def"
#undef CF_CUDA_FUNCTION


int cuInit(unsigned int flags) {
  return (int)flags;
}


int cuGetErrorName(int result, const char** name) {
  *name = result == 2 ? "OUT_OF_MEMORY" : "UNKNOWN";
  return 0;
}


int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}


int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}


int cuDeviceGetName(char* name, int length, int device) {
  strncpy(name, "CPU", (size_t)length);
  return device;
}


int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 1 : 2048;
  return device;
}


int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &stack_limit;
  return device;
}


int cuDevicePrimaryCtxRelease_v2(int device) {
  return device;
}


int cuCtxPushCurrent_v2(void* context) {
  return context != &stack_limit;
}


int cuCtxPopCurrent_v2(void** context) {
  *context = &stack_limit;
  return 0;
}


int cuCtxSetLimit(int limit, size_t value) {
  stack_limit = value;
  return limit;
}


int cuCtxGetLimit(size_t* value, int limit) {
  *value = stack_limit;
  return limit;
}


int cuModuleLoadData(void** module, const void* image) {
  memcpy(cf_twinImage, image, sizeof(cf_twinImage));
  *module = calloc(1, sizeof(twinModule));
  return *module ? 0 : 2;
}


int cuModuleUnload(void* module) {
  free(module);
  return 0;
}


static twinFunction* functionOf(twinModule* module, const char* name) {
  twinFunction* function = &module->base;
  for (int k = 0; k < 2; k++) {
    if (strncmp(name, k ? "cf_teamSingle" : "cf_teamDouble", 13) == 0) {
      function = module->team + k;
      function->is_team = 1 + k;
    }
  }
  return function;
}


int cuModuleGetFunction(void** function, void* module, const char* name) {
  twinFunction* found = functionOf(module, name);
  *function = found;
  return strcmp(name, "cf_world") != 0 && !found->is_team;
}


int cuFuncSetAttribute(void* function, int attribute, int value) {
  (void)function;
  return (attribute != 8 && attribute != 9) || value < 0;
}


int cuModuleGetGlobal_v2(uint64_t* address, size_t* bytes, void* module, const char* name) {
  twinFunction* function = functionOf(module, name);
  if (function->is_team) {
    *address = (uint64_t)(uintptr_t)function->plan;
    *bytes = team_tier[function->is_team - 1]->model_bytes;
    return *bytes > sizeof(function->plan);
  }
  *address = (uint64_t)(uintptr_t)&layout;
  *bytes = sizeof(layout);
  return strcmp(name, "cfi_deviceLayout") != 0;
}


int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  void* memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = (uint64_t)(uintptr_t)memory;
  return memory ? 0 : 2;
}


int cuMemFree_v2(uint64_t address) {
  free((void*)(uintptr_t)address);
  return 0;
}


int cuMemAllocHost_v2(void** memory, size_t bytes) {
  *memory = malloc(bytes);
  return *memory ? 0 : 2;
}


int cuMemFreeHost(void* memory) {
  free(memory);
  return 0;
}


int cuMemGetInfo_v2(size_t* left, size_t* total) {
  *left = *total = (size_t)6 << 30;
  return 0;
}


int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, void* stream) {
  (void)stream;
  memset((void*)(uintptr_t)address, value, bytes);
  return 0;
}


int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
  (void)stream;
  memcpy((void*)(uintptr_t)to, from, bytes);
  return 0;
}


int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  (void)stream;
  memcpy(to, (const void*)(uintptr_t)from, bytes);
  return 0;
}


int cuMemcpy2DAsync_v2(const cfCopy2d* copy, void* stream) {
  (void)stream;
  const char* from =
      copy->from_kind == CF_CUDA_HOST ? copy->from_host : (char*)(uintptr_t)copy->from_device;
  char* to = copy->to_kind == CF_CUDA_HOST ? copy->to_host : (char*)(uintptr_t)copy->to_device;
  for (size_t k = 0; k < copy->height; k++) {
    memcpy(to + k * copy->to_pitch, from + k * copy->from_pitch, copy->width);
  }
  return 0;
}


int cuStreamCreate(void** stream, unsigned int flags) {
  *stream = &stack_limit;
  return flags != 1;
}


int cuStreamDestroy_v2(void* stream) {
  (void)stream;
  return 0;
}


int cuStreamSynchronize(void* stream) {
  return stream != &stack_limit;
}


// worlds of the fast tier; memory is as undefined as on a device
static int launchTeam(const twinFunction* function, const cfTeamJob* job, unsigned int teams,
                      size_t bytes) {
  char* memory = aligned_alloc(16, (bytes + 15) / 16 * 16);
  for (unsigned int t = 0; t < teams && job->first + (int)t < job->end; t++) {
    memset(memory, 0xcd, bytes);
    cf_twinRuns[2] += !job->is_again;
    team_tier[function->is_team - 1]->run(function->plan, memory, job, job->first + (int)t);
  }
  free(memory);
  return 0;
}


// is a world stepped, not only put in order or passed by
static int isCounted(const cfDeviceJob* job, int world) {
  return job->task < CF_DEVICE_COUNT &&
         (!job->is_again || job->status[world].state == CF_WORLD_OPEN);
}


int cuLaunchKernel(void* function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                   unsigned int shared_bytes, void* stream, void** arguments, void** extra) {
  (void)grid_y, (void)grid_z, (void)block_y, (void)block_z, (void)stream;
  (void)extra;
  if (((const twinFunction*)function)->is_team) {
    return launchTeam(function, arguments[0], grid_x * (block_x / 32), shared_bytes);
  }
  const cfDeviceJob* job = (const cfDeviceJob*)(uintptr_t) * (const uint64_t*)arguments[0];
  const int is_pool = !job->local_bytes;
  is_rounded = job->is_rounded;
  const size_t bytes = is_pool ? job->pool_bytes : job->local_bytes;
  char* local = is_pool ? NULL : aligned_alloc(128, bytes);
  cf_twinOrder = is_pool || job->task != CF_DEVICE_STEP ? cf_twinOrder : job->order;
  for (unsigned int t = 0; t < grid_x * block_x; t++) {
    const int index = job->first + (int)t;
    if (index < cfi_endOfPlaces(job)) {
      const int world = cfi_worldAt(job, index);
      char* block = is_pool ? job->pool + bytes * t : local;
      if (local) {
        memset(local, 0xcd, bytes);  // as undefined as on a device
      }
      cf_twinRuns[is_pool] += isCounted(job, world);
      runOne(job, block, bytes, world, (int)t);
    }
  }
  free(local);
  return 0;
}
