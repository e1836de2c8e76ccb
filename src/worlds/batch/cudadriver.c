// The CUDA driver, opened at run time, and the kernels it loads.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/platform.h"
#include "batch/cuda.h"
#include "batch/kernelsources.h"

enum { DEVICE_MAJOR = 75, DEVICE_MINOR = 76, PATH_LENGTH = 1024, IMAGES_MAX = 16 };

// ---------------------------------------- the driver

#if defined(_WIN32)
#define CUDA_LIBRARY "nvcuda.dll"
#else
#define CUDA_LIBRARY "libcuda.so.1"
#endif

static cfCudaDriver driver_functions;
static char driver_reason[300];  // why there is none
static cfOnce driver_once = CF_ONCE_INIT;


static void* findInDriver(void* library, const char* name) {
  void* function = cfi_librarySymbol(library, name);
  if (!function && !driver_reason[0]) {
    snprintf(driver_reason, sizeof(driver_reason), "the CUDA driver has no %s", name);
  }
  return function;
}


// another driver can be named, for tests
static void openDriver(void) {
  const char* named = cfi_environment("CORTENFORGE_CUDA_DRIVER");
  char fault[200] = "";
  void* library = cfi_libraryOpen(named ? named : CUDA_LIBRARY, fault, sizeof(fault));
  if (!library) {
    snprintf(driver_reason, sizeof(driver_reason), "there is no CUDA driver here (%s)", fault);
    return;
  }
#define CF_CUDA_FUNCTION(name, arguments)                    \
  {                                                          \
    void* symbol = findInDriver(library, #name);             \
    memcpy(&driver_functions.name, &symbol, sizeof(symbol)); \
  }
#include "batch/cudadriver.def"
#undef CF_CUDA_FUNCTION
  int count = 0;
  if (!driver_reason[0]) {
    const int result = driver_functions.cuInit(0);
    if (result || driver_functions.cuDeviceGetCount(&count) || !count) {
      snprintf(driver_reason, sizeof(driver_reason), "the CUDA driver finds no GPU (error %d)",
               result);
    }
  }
}


const cfCudaDriver* cfi_cudaDriver(char* reason, size_t nreason) {
  cfi_once(&driver_once, openDriver);
  snprintf(reason, nreason, "%s", driver_reason);
  return driver_reason[0] ? NULL : &driver_functions;
}


int cfi_cudaCheck(cfBatch* batch, int result, const char* what) {
  if (!result) {
    return 1;
  }
  const char* name = NULL;
  batch->cuda->driver->cuGetErrorName(result, &name);
  return cfi_batchFail(batch, "backend cuda: %s: %s", what, name ? name : "unknown error");
}

// ---------------------------------------- its start

// what takes most of the time until a first step, and nothing of the batch is needed for
static void* startDevice(void* argument) {
  cfCuda* c = argument;
  c->driver = cfi_cudaDriver(c->start.reason, sizeof(c->start.reason));
  if (c->driver) {
    c->start.failed = "device";
    c->start.result = c->driver->cuDeviceGet(&c->device, 0);
  }
  if (c->driver && !c->start.result) {
    c->start.failed = "context";
    c->start.result = c->driver->cuDevicePrimaryCtxRetain(&c->context, c->device);
  }
  return NULL;
}


void cfi_cudaStart(cfCuda* c) {
  CF_ASSERT(!c->driver && !c->start.is_beside);
  c->start.is_beside = cfi_threadStart(&c->start.thread, startDevice, c, NULL, 0);
  if (!c->start.is_beside) {
    startDevice(c);
  }
}


void cfi_cudaJoin(cfCuda* c) {
  if (c->start.is_beside) {
    cfi_threadJoin(c->start.thread);
    c->start.is_beside = false;
  }
}


int cfi_cudaStarted(cfBatch* batch) {
  cfCuda* c = batch->cuda;
  cfi_cudaJoin(c);
  return c->driver ? cfi_cudaCheck(batch, c->start.result, c->start.failed)
                   : cfi_batchFail(batch, "backend cuda: %s", c->start.reason);
}

// ---------------------------------------- the kernels

// the fast tier is a module of its own: its images have this added to their architecture
enum { TEAM_IMAGE = 1000 };

// the file begins with this, the number of images and the number of their sources
typedef struct {
  char name[8];
  int64_t count;
  uint64_t sources;
} kernelHead;

// one image in the file of kernels; architecture 0 is PTX
typedef struct {
  int64_t architecture, offset, size;
} kernelImage;


// beside the library, or where the environment says
static void nameKernelFile(char path[PATH_LENGTH]) {
  static const char anchor = 0;  // an address inside the library
  const char* named = cfi_environment("CORTENFORGE_KERNELS");
  char own[CF_PATH_MAX];
  if (named || !cfi_libraryOf(&anchor, own)) {
    snprintf(path, PATH_LENGTH, "%s", named ? named : "cortenforge.kernels");
    return;
  }
  const char* slash = strrchr(own, '/');
  const int length = slash ? (int)(slash - own + 1) : 0;
  snprintf(path, PATH_LENGTH, "%.*scortenforge.kernels", length, own);
}


// machine code of the same generation that is not newer than the device, else PTX.  The environment
// asks for PTX in any case, so that the way of later devices can be tried on this one.
static const kernelImage* chooseImage(const kernelImage* image, int64_t count, int base, int major,
                                      int minor) {
  const char* asked = cfi_environment("CORTENFORGE_PTX");
  const bool is_ptx_asked = asked && strcmp(asked, "0") != 0;
  const kernelImage* best = NULL;
  for (int64_t k = 0; k < count; k++) {
    const int64_t a = image[k].architecture - base;
    const bool fits = !a || (!is_ptx_asked && a > 0 && a / 10 == major && a % 10 <= minor);
    best = fits && (!best || a + base > best->architecture) ? image + k : best;
  }
  return best;
}


// what the file says of its images; how many there are, 0: it is none of ours
static int64_t readImages(cfBatch* batch, const char* path, FILE* file,
                          kernelImage image[IMAGES_MAX]) {
  kernelHead head = {.count = 0};
  if (fread(&head, sizeof(head), 1, file) != 1 || memcmp(head.name, "CFKERNEL", 8) != 0 ||
      head.count < 1 || head.count > IMAGES_MAX ||
      fread(image, sizeof(kernelImage), (size_t)head.count, file) != (size_t)head.count) {
    return cfi_batchFail(batch, "backend cuda: %s is not a file of kernels", path);
  }
  if (head.sources != cfi_kernelSources) {
    return cfi_batchFail(batch,
                         "backend cuda: %s was made from other sources (%016" PRIx64
                         ") than the library (%016" PRIx64 "): make gpu builds its kernels",
                         path, head.sources, cfi_kernelSources);
  }
  return head.count;
}


// the image for this device, and no other: files have some 30 MB
static char* readImage(cfBatch* batch, const char* path, FILE* file, int base) {
  const cfCuda* c = batch->cuda;
  int major = 0, minor = 0;
  c->driver->cuDeviceGetAttribute(&major, DEVICE_MAJOR, c->device);
  c->driver->cuDeviceGetAttribute(&minor, DEVICE_MINOR, c->device);
  kernelImage image[IMAGES_MAX];
  const int64_t count = readImages(batch, path, file, image);
  if (!count) {
    return NULL;
  }
  const kernelImage* best = chooseImage(image, count, base, major, minor);
  const size_t size = best && best->size > 0 ? (size_t)best->size : 0;
  const bool is_there = size && best->offset > 0 && !fseek(file, (long)best->offset, SEEK_SET);
  char* text = is_there ? cfi_tryMalloc(size) : NULL;
  if (!text || fread(text, 1, size, file) != size) {
    mju_free(text);
    cfi_batchFail(batch, "backend cuda: %s has no kernels for compute capability %d.%d", path,
                  major, minor);
    return NULL;
  }
  return text;
}


// kernels and library must come from the same sources
static int checkLayout(cfBatch* batch, const char* path) {
  static const cfDeviceLayout expected = CF_DEVICE_LAYOUT;
  cfCuda* c = batch->cuda;
  cfDeviceLayout found = {0};
  uint64_t address = 0;
  size_t bytes = 0;
  if (!cfi_cudaCheck(
          batch, c->driver->cuModuleGetGlobal_v2(&address, &bytes, c->module, "cfi_deviceLayout"),
          "layout of the kernels") ||
      bytes != sizeof(found) ||
      !cfi_cudaCheck(batch, c->driver->cuMemcpyDtoHAsync_v2(&found, address, bytes, c->stream),
                     "layout of the kernels") ||
      !cfi_cudaWait(batch)) {
    return 0;
  }
  c->data_bytes = (size_t)found.data_bytes;
  found.data_bytes = expected.data_bytes;
  return !memcmp(&found, &expected, sizeof(found)) ||
         cfi_batchFail(batch, "backend cuda: %s belongs to another version of the library", path);
}


// load the images of the file whose architectures begin at `base`
static int loadModule(cfBatch* batch, int base, void** module, char path[PATH_LENGTH]) {
  const cfCuda* c = batch->cuda;
  CF_ASSERT(c->driver && !*module);
  nameKernelFile(path);
  FILE* file = cfi_fileOpen(path, "rb");
  if (!file) {
    return cfi_batchFail(batch, "backend cuda: cannot read the kernels in %s", path);
  }
  char* image = readImage(batch, path, file, base);
  fclose(file);
  const int is_good =
      image && cfi_cudaCheck(batch, c->driver->cuModuleLoadData(module, image), path);
  mju_free(image);
  return is_good;
}


int cfi_cudaLoadKernels(cfBatch* batch) {
  char path[PATH_LENGTH];
  return loadModule(batch, 0, &batch->cuda->module, path) && checkLayout(batch, path);
}


int cfi_cudaLoadTeam(cfBatch* batch, void** module) {
  char path[PATH_LENGTH];
  return loadModule(batch, TEAM_IMAGE, module, path);
}
