// Clears the macros of the enumeration tables; see enums.h.
#undef CF_ENUM
#undef CF_VALUE
#undef CF_FLAG
#undef CF_NOTE
#undef CF_ENUM_END
