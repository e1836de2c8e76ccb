list(APPEND CF_SOURCES
  src/contactsolver/blocks.c
  src/contactsolver/choice.c
  src/contactsolver/file.c
  src/contactsolver/huntcrossley.c
  src/contactsolver/lcp.c
  src/contactsolver/registry.c
  src/contactsolver/stage.c
  src/contactsolver/xpbd.c
  src/contactsolver/xpbdfriction.c
  src/contactsolver/xpbdlaw.c
  src/contactsolver/xpbdmotion.c
  src/contactsolver/xpbdpass.c
  src/contactsolver/xpbdwitness.c
)
