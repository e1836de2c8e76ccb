// How the enumeration tables (enums_*.def, flags_*.def) are read. Define any of these before
// including a table; those left undefined expand to nothing, and CF_FLAG expands to CF_VALUE.
// Include "tables/enums_end.h" afterwards.
//
// CF_ENUM(name, doc)                                   head of an enumeration
// CF_VALUE(enum, name, value, doc)                     enumerator; value as written in C, empty
//                                                      for one more than the enumerator before
// CF_FLAG(enum, name, value, label, preset, key, doc)  enumerator with what user interfaces show:
//                                                      label, "1" or "0" when the flag is on or
//                                                      off at first, shortcut key
// CF_NOTE(title)                                       heading inside an enumeration
// CF_ENUM_END(name)
#ifndef CF_ENUM
#define CF_ENUM(name, doc)
#endif
#ifndef CF_VALUE
#define CF_VALUE(enumeration, name, value, doc)
#endif
#ifndef CF_FLAG
#define CF_FLAG(enumeration, name, value, label, preset, key, doc) \
  CF_VALUE(enumeration, name, value, doc)
#endif
#ifndef CF_NOTE
#define CF_NOTE(title)
#endif
#ifndef CF_ENUM_END
#define CF_ENUM_END(name)
#endif
