// Binary model files: MuJoCo 3.5.0's MJB, byte for byte; extensions in a block of their own.
#include "model/mjb.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/platform.h"
#include "model/check.h"
#include "model/layout.h"
#include "model/mjbblock.h"
#include "model/model.h"
#include "tables/messages.h"

enum { MJB_ID = 54321, NHEADER = 5, MJB_VERSION = 3005000, MJB_MESSAGE_MAX = 400 };


static void fillHeader(int32_t header[NHEADER]) {
  header[0] = MJB_ID;
  header[1] = sizeof(mjtNum);
  header[2] = cfi_modelSizes.count;
  header[3] = MJB_VERSION;
  header[4] = cfi_modelFields.count;
}


// bytes before the first array
static mjtSize fixedBytes(void) {
  return (mjtSize)(NHEADER * sizeof(int32_t) + (size_t)cfi_modelSizes.count * sizeof(mjtSize) +
                   sizeof(mjOption) + sizeof(mjVisual) + sizeof(mjStatistic));
}


// bytes of the file of a model with these sizes; false and the array's name when they overflow
static bool fileBytes(const mjModel* m, mjtSize* bytes, const char** name) {
  *bytes = fixedBytes();
  for (int k = 0; k < cfi_modelFields.count; k++) {
    mjtSize size;
    if (!cfi_arrayBytes(cfi_modelFields.field + k, m, NULL, &size) ||
        __builtin_add_overflow(*bytes, size, bytes)) {
      *name = cfi_modelFields.field[k].name;
      return false;
    }
  }
  return true;
}


mjtSize mj_sizeModel(const mjModel* m) {
  mjtSize bytes = 0;
  const char* name;
  return fileBytes(m, &bytes, &name) ? bytes + cfi_blockBytes(m) : 0;
}


// the sizes of a model as they stand in its file: `paths` is longer by the block of extensions
static mjModel sizesInFile(const mjModel* m, mjtSize nblock) {
  mjModel sizes = *m;
  const char* name;
  sizes.npaths += nblock;
  cfi_bufferBytes(&cfi_modelFields, &sizes, &sizes.nbuffer, &name);
  return sizes;
}


static bool isPaths(const cfFieldInfo* field) {
  return field->offset == offsetof(mjModel, paths);
}


//---------------------------------- saving --------------------------------------------------------

// destination of a save: a file or a buffer with known room
typedef struct {
  FILE* file;
  char* buffer;
  size_t room;
  bool failed;
} Sink;


static void putBytes(Sink* sink, const void* bytes, size_t nbyte) {
  CF_ASSERT(sink != NULL);
  if (sink->failed || nbyte == 0) {
    return;
  }
  if (sink->file) {
    sink->failed = fwrite(bytes, 1, nbyte, sink->file) != nbyte;
    return;
  }
  if (nbyte > sink->room) {
    sink->failed = true;
    return;
  }
  memcpy(sink->buffer, bytes, nbyte);
  sink->buffer += nbyte;
  sink->room -= nbyte;
}


// block of extensions; a failed sink without memory
static void putBlock(Sink* sink, const mjModel* m, mjtSize nblock) {
  char* block = cfi_tryMalloc((size_t)nblock);
  if (block) {
    cfi_packBlock(m, block);
    putBytes(sink, block, (size_t)nblock);
  }
  sink->failed = sink->failed || !block;
  mju_free(block);
}


static void encodeModel(const mjModel* m, Sink* sink) {
  const mjtSize nblock = cfi_blockBytes(m);
  const mjModel sizes = nblock ? sizesInFile(m, nblock) : *m;
  int32_t header[NHEADER];
  fillHeader(header);
  putBytes(sink, header, sizeof(header));
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    putBytes(sink, (const char*)&sizes + cfi_modelSizes.field[k].offset, sizeof(mjtSize));
  }
  putBytes(sink, &m->opt, sizeof(mjOption));
  putBytes(sink, &m->vis, sizeof(mjVisual));
  putBytes(sink, &m->stat, sizeof(mjStatistic));
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    mjtSize bytes = 0;
    cfi_arrayBytes(field, m, NULL, &bytes);
    putBytes(sink, cfi_arrayOf(field, m), (size_t)bytes);
    if (nblock && isPaths(field)) {
      putBlock(sink, m, nblock);
    }
  }
}


// write through a file; the error number of the first thing that went wrong, 0 when nothing did
static int writeModelFile(const mjModel* m, const char* filename) {
  errno = 0;
  Sink sink = {.file = cfi_fileOpen(filename, "wb")};
  if (!sink.file) {
    return errno ? errno : EIO;
  }
  encodeModel(m, &sink);
  int trouble = sink.failed ? (errno ? errno : EIO) : 0;
  if (fclose(sink.file) && !trouble) {
    trouble = errno ? errno : EIO;
  }
  return trouble;
}


// regular files are written beside their place and moved there when complete, so that a failed save
// leaves the old file; devices and pipes are written directly, and so are files behind a link
static void saveToFile(const mjModel* m, const char* filename) {
  cfFileInfo info;
  const bool is_special = cfi_linkInfo(filename, &info) && !info.is_regular;
  const size_t nname = strlen(filename) + 32;
  char* partial = cfi_tryMalloc(nname);
  if (!partial) {
    mju_error("mj_saveModel: could not allocate memory");
    return;
  }
  snprintf(partial, nname, "%s.%ld.part", filename, cfi_processId());

  int trouble = writeModelFile(m, is_special ? filename : partial);
  if (!is_special) {
    if (!trouble && !cfi_fileReplace(partial, filename)) {
      trouble = errno;
    }
    if (trouble) {
      cfi_fileRemove(partial);
    }
  }
  mju_free(partial);
  if (trouble) {
    mju_warning("Could not write file '%s': %s", filename, strerror(trouble));
  }
}


void mj_saveModel(const mjModel* m, const char* filename, void* buffer, int buffer_sz) {
  if (!buffer) {
    if (filename) {
      saveToFile(m, filename);
    } else {
      mju_warning("Could not save model: neither file name nor buffer is given");
    }
    return;
  }
  Sink sink = {.buffer = buffer, .room = buffer_sz > 0 ? (size_t)buffer_sz : 0};
  encodeModel(m, &sink);
  if (sink.failed) {
    mju_error(
        "mj_saveModel: attempting to write outside model buffer: it has %d bytes, the model "
        "needs %lld",
        buffer_sz, (long long)mj_sizeModel(m));
  }
}


//---------------------------------- loading -------------------------------------------------------

typedef struct {
  const char* bytes;
  size_t nbyte, position;
} Source;


// the caller has checked that the bytes are there
static void getBytes(Source* source, void* dest, size_t nbyte) {
  CF_ASSERT(nbyte <= source->nbyte - source->position);
  if (nbyte) {
    memcpy(dest, source->bytes + source->position, nbyte);
    source->position += nbyte;
  }
}


static bool checkHeader(const int32_t found[NHEADER], char* message) {
  static const cftMessage complaint[NHEADER] = {CF_MSG_MJB_ID, CF_MSG_MJB_PRECISION,
                                                CF_MSG_MJB_SIZE_COUNT, CF_MSG_MJB_VERSION,
                                                CF_MSG_MJB_ARRAY_COUNT};
  // the version explains differing counts, so it is looked at before them
  static const int order[NHEADER] = {0, 1, 3, 2, 4};
  int32_t expected[NHEADER];
  fillHeader(expected);
  for (int k = 0; k < NHEADER; k++) {
    const int i = order[k];
    if (found[i] != expected[i]) {
      cfi_writeMessage(message, MJB_MESSAGE_MAX, complaint[i], found[i], expected[i]);
      return false;
    }
  }
  return true;
}


// read the size fields and hold them against the number of bytes that are there
static bool readSizes(Source* source, mjModel* sizes, char* message) {
  for (int k = 0; k < cfi_modelSizes.count; k++) {
    getBytes(source, (char*)sizes + cfi_modelSizes.field[k].offset, sizeof(mjtSize));
  }
  if (!cfi_checkSizes(sizes, message, MJB_MESSAGE_MAX)) {
    return false;
  }
  if (sizes->nnames_map != cfi_nameMapSize(sizes)) {
    cfi_writeMessage(message, MJB_MESSAGE_MAX, CF_MSG_MJB_SIZE_FIELD, "nnames_map",
                     (long long)sizes->nnames_map, (long long)cfi_nameMapSize(sizes));
    return false;
  }

  mjtSize expected, nbuffer;
  const char* name;
  if (!fileBytes(sizes, &expected, &name) ||
      !cfi_bufferBytes(&cfi_modelFields, sizes, &nbuffer, &name)) {
    cfi_writeMessage(message, MJB_MESSAGE_MAX, CF_MSG_MJB_TOO_LARGE, name);
    return false;
  }
  if (nbuffer != sizes->nbuffer) {
    cfi_writeMessage(message, MJB_MESSAGE_MAX, CF_MSG_MJB_SIZE_FIELD, "nbuffer",
                     (long long)sizes->nbuffer, (long long)nbuffer);
    return false;
  }
  if ((size_t)expected != source->nbyte) {
    const bool is_short = (size_t)expected > source->nbyte;
    cfi_writeMessage(message, MJB_MESSAGE_MAX,
                     is_short ? CF_MSG_MJB_TRUNCATED : CF_MSG_MJB_TRAILING, source->nbyte,
                     (long long)expected);
    return false;
  }
  return true;
}


// bytes from the start of a file to the end of its array `paths`
static size_t endOfPaths(const mjModel* sizes) {
  size_t end = (size_t)fixedBytes();
  for (int k = 0; k < cfi_modelFields.count; k++) {
    mjtSize bytes = 0;
    cfi_arrayBytes(cfi_modelFields.field + k, sizes, NULL, &bytes);
    end += (size_t)bytes;
    if (isPaths(cfi_modelFields.field + k)) {
      break;
    }
  }
  return end;
}


// look for a block of extensions and take it out of the sizes; its bytes, -1 and a message
static mjtSize splitBlock(const Source* source, mjModel* sizes, char* message) {
  const char* paths = source->bytes + endOfPaths(sizes) - sizes->npaths;
  const mjtSize nblock = cfi_findBlock(paths, sizes->npaths, message, MJB_MESSAGE_MAX);
  if (nblock > 0) {
    *sizes = sizesInFile(sizes, -nblock);
  }
  return nblock;
}


static void readContents(Source* source, mjModel* m, mjtSize nblock) {
  getBytes(source, &m->opt, sizeof(mjOption));
  getBytes(source, &m->vis, sizeof(mjVisual));
  getBytes(source, &m->stat, sizeof(mjStatistic));
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    mjtSize bytes = 0;
    cfi_arrayBytes(field, m, NULL, &bytes);
    getBytes(source, cfi_arrayOf(field, m), (size_t)bytes);
    source->position += isPaths(field) ? (size_t)nblock : 0;
  }
}


// header and sizes, everything that is needed before memory is taken
static bool readFront(Source* source, mjModel* sizes, char* message) {
  int32_t header[NHEADER];
  if (source->nbyte < sizeof(header)) {
    cfi_writeMessage(message, MJB_MESSAGE_MAX, CF_MSG_MJB_NO_HEADER, source->nbyte, sizeof(header));
    return false;
  }
  getBytes(source, header, sizeof(header));
  if (!checkHeader(header, message)) {
    return false;
  }
  if (source->nbyte < (size_t)fixedBytes()) {
    cfi_writeMessage(message, MJB_MESSAGE_MAX, CF_MSG_MJB_NO_SIZES, source->nbyte,
                     (long long)fixedBytes());
    return false;
  }
  return readSizes(source, sizes, message);
}


mjModel* cfi_decodeModel(const void* bytes, size_t nbyte) {
  char message[MJB_MESSAGE_MAX];
  Source source = {bytes, nbyte, 0};
  mjModel sizes = {0};
  const mjtSize nblock =
      readFront(&source, &sizes, message) ? splitBlock(&source, &sizes, message) : -1;
  if (nblock < 0) {
    mju_warning("%s", message);
    return NULL;
  }
  mjModel* m = cfi_newModel(&sizes);
  if (!m) {
    return NULL;
  }
  CF_ASSERT(m->nbuffer == sizes.nbuffer && m->nnames_map == sizes.nnames_map);
  readContents(&source, m, nblock);
  CF_ASSERT(source.position == source.nbyte);
  const char* block = source.bytes + endOfPaths(&sizes);
  if (!cfi_checkModel(m, message, sizeof(message)) ||
      (nblock && !cfi_unpackBlock(m, block, nblock, message, sizeof(message)))) {
    mj_deleteModel(m);
    mju_warning("%s", message);
    return NULL;
  }
  return m;
}


mjModel* mj_loadModelBuffer(const void* buffer, int buffer_sz) {
  if (!buffer || buffer_sz < 0) {
    mju_warning("%s", cfi_message(CF_MSG_MJB_NO_BUFFER)->text);
    return NULL;
  }
  return cfi_decodeModel(buffer, (size_t)buffer_sz);
}


mjModel* mj_loadModel(const char* filename, const mjVFS* vfs) {
  char error[MJB_MESSAGE_MAX];
  mjResource* resource = mju_openResource(NULL, filename, vfs, error, sizeof(error));
  if (!resource) {
    mju_warning("%s", error);
    return NULL;
  }
  const void* bytes;
  const int nbyte = mju_readResource(resource, &bytes);
  mjModel* m = NULL;
  if (nbyte < 1) {
    cfi_writeMessage(error, sizeof(error), CF_MSG_MJB_UNREADABLE, filename);
    mju_warning("%s", error);
  } else {
    m = cfi_decodeModel(bytes, (size_t)nbyte);
  }
  mju_closeResource(resource);
  return m;
}
