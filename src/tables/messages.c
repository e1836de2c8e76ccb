// Messages expanded from src/tables/messages.def.
#include "tables/messages.h"

#include <stdio.h>

#include "base/assert.h"

static const cfMessageInfo messages[] = {
#define CF_MESSAGE(id, severity, text, hint) {#id, CF_SEVERITY_##severity, text, hint},
#include "tables/messages.def"
#undef CF_MESSAGE
};


const cfMessageInfo* cfi_message(cftMessage id) {
  CF_ASSERT((int)id >= 0 && id < CF_MSG_COUNT);
  return messages + id;
}


int cfi_writeMessageList(char* buffer, size_t size, cftMessage id, va_list arguments) {
  CF_ASSERT(buffer || !size);
  const cfMessageInfo* message = cfi_message(id);
  const int length = vsnprintf(buffer, size, message->text, arguments);
  if (length < 0 || !message->hint[0]) {
    return length;
  }

  // the hint follows what was written; beyond the end only its length counts
  const size_t used = (size_t)length < size ? (size_t)length : size;
  return length + snprintf(size ? buffer + used : NULL, size - used, " (%s)", message->hint);
}


int cfi_writeMessage(char* buffer, size_t size, cftMessage id, ...) {
  va_list arguments;
  va_start(arguments, id);
  const int length = cfi_writeMessageList(buffer, size, id, arguments);
  va_end(arguments);
  return length;
}
