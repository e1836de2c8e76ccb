// Clears the macros of the struct tables; see structs.h.
#undef CF_STRUCT
#undef CF_MEMBER
#undef CF_COMPARED
#undef CF_METHOD
#undef CF_PART
#undef CF_PART_END
#undef CF_UNION
#undef CF_UNION_END
#undef CF_SPLICE
#undef CF_NOTE
#undef CF_STRUCT_END
#undef CF_FUNCTYPE
