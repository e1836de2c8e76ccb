// Our own block in an MJB file.
#include "model/mjbblock.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "model/extension.h"
#include "tables/messages.h"

enum { MARK_BYTES = 8, FOOTER_BYTES = 24, SECTION_BYTES = 16, SECTION_NAME_MAX = 64 };

static const char block_mark[MARK_BYTES + 1] = "CFBLOCK1";


// ---------------------------------------- saving

// class of a slot that keeps something in files; NULL for a slot without
static const cfExtensionClass* keeper(int slot) {
  const cfExtensionClass* kind = cfi_extensionClasses[slot];
  CF_ASSERT(!kind || (kind->pack && kind->unpackEntry && strlen(kind->name) <= SECTION_NAME_MAX));
  return kind;
}


// bytes of the content of a slot in a file
static size_t contentBytes(const mjModel* m, int slot) {
  const cfExtensionClass* kind = keeper(slot);
  const void* content = cfi_modelExtension(m)->slot[slot].content;
  return kind && content ? kind->pack(m, content, NULL) : 0;
}


mjtSize cfi_blockBytes(const mjModel* m) {
  mjtSize total = 0;
  for (int k = 0; k < CF_NEXTENSION; k++) {
    const size_t nbyte = contentBytes(m, k);
    total += nbyte ? (mjtSize)(SECTION_BYTES + strlen(keeper(k)->name) + nbyte) : 0;
  }
  return total ? total + FOOTER_BYTES : 0;
}


static uint64_t checksum(const char* bytes, size_t nbyte) {
  uint64_t sum = 14695981039346656037u;
  for (size_t k = 0; k < nbyte; k++) {
    sum = (sum ^ (unsigned char)bytes[k]) * 1099511628211u;
  }
  return sum;
}


void cfi_packBlock(const mjModel* m, char* block) {
  char* at = block;
  for (int k = 0; k < CF_NEXTENSION; k++) {
    const int64_t nbyte = (int64_t)contentBytes(m, k);
    if (nbyte == 0) {
      continue;
    }
    const cfExtensionClass* kind = keeper(k);
    const int32_t head[2] = {(int32_t)strlen(kind->name), 1 + kind->changes};
    memcpy(at, head, sizeof(head));
    memcpy(at + sizeof(head), &nbyte, sizeof(nbyte));
    memcpy(at + SECTION_BYTES, kind->name, (size_t)head[0]);
    at += SECTION_BYTES + head[0];
    at += kind->pack(m, cfi_modelExtension(m)->slot[k].content, at);
  }
  const uint64_t sum = checksum(block, (size_t)(at - block));
  const int64_t total = at - block + FOOTER_BYTES;
  CF_ASSERT(total == cfi_blockBytes(m));
  memcpy(at, &total, sizeof(total));
  memcpy(at + sizeof(total), &sum, sizeof(sum));
  memcpy(at + sizeof(total) + sizeof(sum), block_mark, MARK_BYTES);
}


// ---------------------------------------- loading

mjtSize cfi_findBlock(const char* paths, mjtSize npaths, char* message, size_t nmessage) {
  if (npaths < FOOTER_BYTES || memcmp(paths + npaths - MARK_BYTES, block_mark, MARK_BYTES) != 0) {
    return 0;
  }
  int64_t total;
  uint64_t sum;
  memcpy(&total, paths + npaths - FOOTER_BYTES, sizeof(total));
  memcpy(&sum, paths + npaths - FOOTER_BYTES + sizeof(total), sizeof(sum));
  if (total <= FOOTER_BYTES || total > npaths) {
    cfi_writeMessage(message, nmessage, CF_MSG_MJB_BLOCK_SIZE, (long long)total, (long long)npaths);
    return -1;
  }
  if (sum != checksum(paths + npaths - total, (size_t)(total - FOOTER_BYTES))) {
    cfi_writeMessage(message, nmessage, CF_MSG_MJB_BLOCK_SUM);
    return -1;
  }
  return total;
}


// one section of a block
typedef struct {
  char name[SECTION_NAME_MAX + 1];
  int version;
  const char* content;
  size_t ncontent;
} blockSection;


// take the section at the front of the bytes; the bytes it takes, 0 if it does not fit
static size_t takeSection(blockSection* section, const char* bytes, size_t nbyte) {
  int32_t head[2];
  int64_t ncontent;
  if (nbyte < SECTION_BYTES) {
    return 0;
  }
  memcpy(head, bytes, sizeof(head));
  memcpy(&ncontent, bytes + sizeof(head), sizeof(ncontent));
  const size_t room = nbyte - SECTION_BYTES;
  if (head[0] < 1 || head[0] > SECTION_NAME_MAX || (size_t)head[0] > room) {
    return 0;
  }
  for (int k = 0; k < head[0]; k++) {
    const char c = bytes[SECTION_BYTES + k];
    section->name[k] = c >= ' ' && c <= '~' ? c : '?';
  }
  section->name[head[0]] = 0;
  if (ncontent < 1 || (uint64_t)ncontent > room - (size_t)head[0]) {
    return 0;
  }
  section->version = head[1];
  section->content = bytes + SECTION_BYTES + head[0];
  section->ncontent = (size_t)ncontent;
  return SECTION_BYTES + (size_t)head[0] + section->ncontent;
}


// slot of a class by the name of its section, -1 for one that is not known
static int slotNamed(const char* name) {
  for (int k = 0; k < CF_NEXTENSION; k++) {
    if (keeper(k) && strcmp(keeper(k)->name, name) == 0) {
      return k;
    }
  }
  return -1;
}


// hand a section to its class; its slot, which is behind that of the section before it, or -1 and a
// message
static int unpackSection(mjModel* m, const blockSection* section, int before, char* message,
                         size_t nmessage) {
  const int slot = slotNamed(section->name);
  if (slot < 0) {
    cfi_writeMessage(message, nmessage, CF_MSG_MJB_BLOCK_UNKNOWN, section->name, section->version);
    return -1;
  }
  if (slot <= before) {
    cfi_writeMessage(message, nmessage, CF_MSG_MJB_BLOCK_ORDER, section->name);
    return -1;
  }
  const cfExtensionClass* kind = keeper(slot);
  if (section->version < 1 || section->version > 1 + kind->changes) {
    cfi_writeMessage(message, nmessage, CF_MSG_MJB_BLOCK_VERSION, section->name, section->version,
                     1 + kind->changes);
    return -1;
  }
  char reason[300] = "it cannot be read";
  if (!cfi_unpackEntries(kind, m, section->content, section->ncontent, reason, sizeof(reason))) {
    cfi_writeMessage(message, nmessage, CF_MSG_MJB_BLOCK_CONTENT, section->name, reason);
    return -1;
  }
  return slot;
}


bool cfi_unpackBlock(mjModel* m, const char* block, mjtSize nblock, char* message,
                     size_t nmessage) {
  CF_ASSERT(nblock > FOOTER_BYTES);
  const size_t nsection = (size_t)nblock - FOOTER_BYTES;
  int slot = -1;
  for (size_t at = 0; at < nsection;) {
    blockSection section = {.name = ""};
    const size_t taken = takeSection(&section, block + at, nsection - at);
    if (taken == 0) {
      cfi_writeMessage(message, nmessage, CF_MSG_MJB_BLOCK_SECTION, section.name, at);
      return false;
    }
    slot = unpackSection(m, &section, slot, message, nmessage);
    if (slot < 0) {
      return false;
    }
    at += taken;
  }
  return true;
}
