// Clears the macros of the attribute tables; see mjcf_begin.h.
#undef CF_GROUP
#undef CF_ATTRIBUTE
#undef CF_SPECIAL
#undef CF_EXTENSION
#undef LIST
