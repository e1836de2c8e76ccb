list(APPEND CF_SOURCES
  src/show/ui/define.c
  src/show/ui/edit.c
  src/show/ui/events.c
  src/show/ui/layout.c
  src/show/ui/pointer.c
  src/show/ui/themes.c
  src/show/ui/uidraw.c
  src/show/ui/uishow.c
  src/show/ui/widgets.c
)
