// A window by GLFW, which is looked for at run time: nothing of it is needed to build.
#ifndef CF_CLI_GLFWWINDOW_H
#define CF_CLI_GLFWWINDOW_H

#include <stdbool.h>

#include "view.h"

typedef struct viewWindow viewWindow;

// Is GLFW there?
bool cli_windowLibrary(void);

// A window with an OpenGL context that is current, or NULL with the reason in `why`.
viewWindow* cli_windowOpen(int width, int height, char why[VIEW_TEXT]);
void cli_windowClose(viewWindow* w);
void cli_windowSize(const viewWindow* w, int* width, int* height);  // of its picture

// Is there no graphics card, so that shadows and mirrors take long?
bool cli_windowIsSlow(void);

// Show the viewer until somebody closes the window or quits.
void cli_windowRun(viewWindow* w, cliView* v);

// The same in steps: `draw_more` may draw over a frame. False once the window is closed.
void cli_windowShow(viewWindow* w, cliView* v);
bool cli_windowFrame(viewWindow* w, void (*draw_more)(void* owner));

// Tell `owner` which keys go down, with GLFW's numbers.
void cli_windowListen(viewWindow* w, void (*on_key)(void* owner, int key), void* owner);

#endif  // CF_CLI_GLFWWINDOW_H
