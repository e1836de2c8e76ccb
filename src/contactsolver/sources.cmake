list(APPEND CF_SOURCES
  src/contactsolver/blocks.c
  src/contactsolver/choice.c
  src/contactsolver/components.c
  src/contactsolver/effective.c
  src/contactsolver/file.c
  src/contactsolver/huntcrossley.c
  src/contactsolver/hunthessian.c
  src/contactsolver/huntlaw.c
  src/contactsolver/huntnewton.c
  src/contactsolver/lcp.c
  src/contactsolver/registry.c
  src/contactsolver/stage.c
  src/contactsolver/xpbd.c
)
