// A studio for models that bring no lights: lamps with shadows, a sky, a floor with a grid, colors.
// Only the pictures of our own tools have it; the library draws what MuJoCo draws.
#ifndef CF_CLI_STUDIO_H
#define CF_CLI_STUDIO_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

typedef struct {
  bool is_on;
  int grid;          // material of the floor, -1 for none
  mjModel model;     // the model with the textures and materials of the studio
  double center[3];  // of the lamps
  double radius;     // that their light and their shadows reach
} cliStudio;

// decide whether a model needs a studio, unless is_plain; where it stands comes from the camera
void cli_openStudio(cliStudio* s, const mjModel* m, const mjvCamera* cam, bool is_plain);
void cli_closeStudio(cliStudio* s);

// the model that mjr_makeContext takes; afterwards the context gets the studio's shadows
const mjModel* cli_studioModel(const cliStudio* s, const mjModel* m);
void cli_studioContext(const cliStudio* s, mjrContext* con);

// a scene after its update
void cli_studioScene(const cliStudio* s, const mjModel* m, mjvScene* scn);

#endif  // CF_CLI_STUDIO_H
