list(APPEND CF_SOURCES
  src/contactsolver/choice.c
  src/contactsolver/lcp.c
  src/contactsolver/registry.c
  src/contactsolver/stage.c
)
