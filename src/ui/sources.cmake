list(APPEND CF_SOURCES
  src/ui/define.c
  src/ui/edit.c
  src/ui/events.c
  src/ui/layout.c
  src/ui/pointer.c
  src/ui/themes.c
  src/ui/uidraw.c
  src/ui/uishow.c
  src/ui/widgets.c
)
