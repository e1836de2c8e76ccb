// How the attribute tables (mjcf_attributes.def and the files it includes) are read.  Define any of
// these before including a table; those left undefined expand to nothing.  Include
// "tables/mjcf_end.h" afterwards.  The columns are explained in mjcf_attributes.def.
#ifndef CF_GROUP
#define CF_GROUP(group)
#endif
#ifndef CF_ATTRIBUTE
#define CF_ATTRIBUTE(group, places, name, form, type, field, initial, ...)
#endif
#ifndef CF_SPECIAL
#define CF_SPECIAL(group, places, name, ...)
#endif
#ifndef CF_EXTENSION
#define CF_EXTENSION(group, places, id, name, ...)
#endif
#define LIST(...) \
  { __VA_ARGS__ }
