// Messages to the user, listed in messages.def.
#ifndef CF_TABLES_MESSAGES_H_
#define CF_TABLES_MESSAGES_H_

#include <stdarg.h>
#include <stddef.h>

typedef enum {
  CF_SEVERITY_NOTE,
  CF_SEVERITY_WARNING,
  CF_SEVERITY_ERROR,
} cftSeverity;

// ids: CF_MSG_ followed by the id of the table
typedef enum {
#define CF_MESSAGE(id, severity, text, hint) CF_MSG_##id,
#include "tables/messages.def"
#undef CF_MESSAGE
  CF_MSG_COUNT
} cftMessage;

typedef struct {
  const char* id;
  cftSeverity severity;
  const char* text;  // printf-like
  const char* hint;  // empty if there is none
} cfMessageInfo;

// row of the table
const cfMessageInfo* cfi_message(cftMessage id);

// write the message with its arguments, then the hint in parentheses if there is one; returns the
// length that the whole text needs, as snprintf does
int cfi_writeMessage(char* buffer, size_t size, cftMessage id, ...);
int cfi_writeMessageList(char* buffer, size_t size, cftMessage id, va_list arguments);

#endif  // CF_TABLES_MESSAGES_H_
