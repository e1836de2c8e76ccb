list(APPEND CF_SOURCES
  src/constraint/contact.c
  src/constraint/contactforce.c
  src/constraint/equality.c
  src/constraint/flexcontact.c
  src/constraint/frictionloss.c
  src/constraint/impedance.c
  src/constraint/limit.c
  src/constraint/product.c
  src/constraint/rnepost.c
  src/constraint/rows.c
  src/constraint/rowupdate.c
  src/constraint/island.c
  src/constraint/islandcopy.c
  src/constraint/islandlabel.c
  src/constraint/project.c
)
