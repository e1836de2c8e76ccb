// How the struct tables (structs_*.def) are read. Define any of these before including a table;
// those left undefined expand to nothing. Include "tables/structs_end.h" afterwards.
//
// CF_STRUCT(name, style, doc)                     head of a struct, see below for its style
// CF_MEMBER(struct, type, name, dims, unit, doc)  dims as written in C, empty for a scalar; a name
//                                                 with a dot is inside the part of that name
// CF_COMPARED(struct, type, name, dims, compare, unit, doc)
//                                                 a member that is not compared as its type is:
//                                                 PLAIN, or SKIP with the reason in the doc
// CF_METHOD(struct, type, name, params, doc)      pointer to a function
// CF_PART(struct, name, doc) .. CF_PART_END       unnamed struct type held as `name`
// CF_UNION(struct) .. CF_UNION_END                unnamed union
// CF_SPLICE(struct, what)                         fields listed in a table of their own
// CF_NOTE(title)                                  heading inside a struct
// CF_STRUCT_END(name)
// CF_FUNCTYPE(type, name, params, doc)            function pointer type
//
// style: TAGGED   struct X_ {...}; typedef struct X_ X;
//        TYPEDEF  typedef struct X_ {...} X;
//        BARE     struct X {...}; typedef struct X X;
//        TAG      struct X_ {...};
#ifndef CF_STRUCT
#define CF_STRUCT(name, style, doc)
#endif
#ifndef CF_MEMBER
#define CF_MEMBER(structure, type, name, dims, unit, doc)
#endif
#ifndef CF_COMPARED
#define CF_COMPARED(structure, type, name, dims, compare, unit, doc) \
  CF_MEMBER(structure, type, name, dims, unit, doc)
#endif
#ifndef CF_METHOD
#define CF_METHOD(structure, type, name, params, doc)
#endif
#ifndef CF_PART
#define CF_PART(structure, name, doc)
#endif
#ifndef CF_PART_END
#define CF_PART_END(structure, name)
#endif
#ifndef CF_UNION
#define CF_UNION(structure)
#endif
#ifndef CF_UNION_END
#define CF_UNION_END(structure)
#endif
#ifndef CF_SPLICE
#define CF_SPLICE(structure, what)
#endif
#ifndef CF_NOTE
#define CF_NOTE(title)
#endif
#ifndef CF_STRUCT_END
#define CF_STRUCT_END(name)
#endif
#ifndef CF_FUNCTYPE
#define CF_FUNCTYPE(type, name, params, doc)
#endif
