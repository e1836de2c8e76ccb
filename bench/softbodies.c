// Soft bodies against closed forms: stretched cubes, beams, plates, volume and momentum.
//   build/bench/softbodies [POINTS.csv]
// Prints the table of docs/softbodies.md; the points of its pictures go to the file.  The same
// numbers on every run; about a minute.
#include "softrig.h"

enum { BEAM_CELLS_MAX = 5 };
static FILE* points;


// one point of a picture
static void point(const char* picture, const char* series, double x, double y) {
  if (points) {
    fprintf(points, "%s,%s,%.9g,%.9g\n", picture, series, x, y);
  }
}


static void row(const char* what, double found, double expected, const char* unit) {
  printf("| %s | %.6g %s | %.6g %s | %+.3f %% |\n", what, found, unit, expected, unit,
         100 * (found / expected - 1));
  fflush(stdout);
}


// ---------------------------------------- stretched cubes

static const double young = 5e3, poisson = 0.3;


static void stretchCube(const char* model, int axes) {
  static const double marks[] = {0.6, 0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0};
  const int is_stable = strncmp(model, "stable", 6) == 0;
  softRig r = rigCube(model, young, poisson, 0);
  double mu, la;
  char series[60], what[140];
  rigModuli(young, poisson, &mu, &la);
  snprintf(series, sizeof(series), "%s %s", model, axes == 1 ? "uniaxial" : "equibiaxial");
  for (size_t k = 0; k < sizeof(marks) / sizeof(marks[0]); k++) {
    if (k && marks[k - 1] < 1 && marks[k] > 1) {
      mj_resetData(r.m, r.d);
    }
    for (int axis = 0; axis < axes; axis++) {
      rigStretch(&r, axis, marks[k]);
    }
    if (rigRelax(&r, 30, 1e-6, 100000) < 0) {
      printf("| %s, stretch %g | not at rest | | |\n", series, marks[k]);
      continue;
    }
    const double stress = rigForce(&r, 0) / (rigSize(&r, 1) * rigSize(&r, 2));
    const stretchForm form = rigClosedForm(marks[k], axes, is_stable, mu, la);
    point("stretch", series, marks[k], stress);
    if (marks[k] == 0.7 || marks[k] == 1.5 || marks[k] == 2.0) {
      snprintf(what, sizeof(what), "%s, stretch %g: nominal stress", series, marks[k]);
      row(what, stress, form.stress, "Pa");
    }
  }
  for (double a = 0.6; a < 2.0005; a += 0.02) {
    point("stretch",
          axes == 1 ? (is_stable ? "closed form stable uniaxial" : "closed form uniaxial")
                    : (is_stable ? "closed form stable equibiaxial" : "closed form equibiaxial"),
          a, rigClosedForm(a, axes, is_stable, mu, la).stress);
  }
  rigClose(&r);
}


// force that keeps a cube stretched, sides free
static double pull(const char* model, double nu, double stretch, double* volume) {
  softRig r = rigCube(model, young, nu, 0);
  rigStretch(&r, 0, stretch);
  if (rigRelax(&r, 30, 1e-7, 200000) < 0) {
    fprintf(stderr, "%s, stretch %g: not at rest\n", model, stretch);
  }
  const double force = rigForce(&r, 0);
  *volume = rigVolume(&r, r.d->flexvert_xpos) / rigVolume(&r, r.rest);
  rigClose(&r);
  return force;
}


static void smallStrain(void) {
  static const double strains[] = {-0.05, -0.03, -0.02, -0.01, -0.005,
                                   0.005, 0.01,  0.02,  0.03,  0.05};
  static const char* const models[] = {"neo_hookean", "stable_neo_hookean"};
  double volume;
  for (int k = 0; k < 10; k++) {
    const double linear = pull("linear", poisson, 1 + strains[k], &volume);
    for (int model = 0; model < 2; model++) {
      const double force = pull(models[model], poisson, 1 + strains[k], &volume);
      point("small", models[model], 100 * strains[k], force / linear);
      if (strains[k] == 0.01) {
        char what[100];
        snprintf(what, sizeof(what), "%s against linear, strain 1 %%: force", models[model]);
        row(what, force, linear, "N");
      }
    }
  }
}


static void keptVolume(void) {
  static const double nus[] = {0, 0.3, 0.45, 0.49};
  static const char* const models[] = {"neo_hookean", "stable_neo_hookean"};
  for (int model = 0; model < 2; model++) {
    for (int k = 0; k < 4; k++) {
      double mu, la;
      char series[60], what[150];
      rigModuli(young, nus[k], &mu, &la);
      snprintf(series, sizeof(series), "%s %.2f", models[model], nus[k]);
      for (double a = 1; a < 1.51; a += 0.1) {
        double volume = 1;
        if (a > 1) {
          pull(models[model], nus[k], a, &volume);
        }
        point("volume", series, a, volume);
        if (nus[k] == 0.49 && fabs(a - 1.3) < 1e-9) {
          const double side = rigClosedForm(a, 1, model, mu, la).side;
          snprintf(what, sizeof(what), "%s, poisson 0.49, stretch 1.3: volume over that at rest",
                   models[model]);
          row(what, volume, a * side * side, "");
        }
      }
    }
  }
}


// ---------------------------------------- beams and plates

// tip of a clamped beam under the weight of columns of equal mass at distances x from the clamp
static double beamTip(double rigidity, double weight, double length, const double* x, int n) {
  double tip = 0;
  for (int i = 0; i < n; i++) {
    tip += x[i] > 0 ? weight * x[i] * x[i] * (3 * length - x[i]) / (6 * rigidity) : 0;
  }
  return tip;
}


// a beam of 1 m x 0.1 m x 0.1 m with n cells over its height; its tip falls by about 2 cm
static void solidBeam(int n) {
  enum { COLUMNS_MAX = 61 };
  const double h = 0.1, density = 1000, E = 12 / (h * h) * 9.81 / (8 * 0.02) * density;
  const double cell = h / n, wave = sqrt(E / density);
  char xml[1000], what[100];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option timestep='%.9g'/><worldbody><flexcomp name='beam' type='grid' "
      "count='%d %d %d' dim='3' spacing='%.17g %.17g %.17g' radius='.001' mass='10'><elasticity "
      "young='%.17g' poisson='0'/><contact contype='0' conaffinity='0' internal='false' "
      "selfcollide='none'/></flexcomp></worldbody></mujoco>",
      0.25 * cell / wave, 10 * n + 1, n + 1, n + 1, cell, cell, cell, E);
  softRig r = rigOpen(xml);
  for (int v = 0; v < r.m->nflexvert; v++) {
    for (int axis = 0; axis < 3 && rigOnSide(&r, v, 0, 0); axis++) {
      rigHold(&r, v, axis, 0);
    }
  }
  const int steps = rigRelax(&r, 25, 1e-5, 400000);
  double x[COLUMNS_MAX];
  for (int i = 0; i <= 10 * n; i++) {
    x[i] = i * cell;
  }
  const double rigidity = E * h * h * h * h / 12, weight = 9.81 * 10 / (10 * n + 1);
  double fall = 0;
  for (int v = 0; v < r.m->nflexvert; v++) {
    const double down = r.rest[3 * v + 2] - r.d->flexvert_xpos[3 * v + 2];
    fall = rigOnSide(&r, v, 0, 1) ? mju_max(fall, down) : fall;
    if (rigOnSide(&r, v, 1, 0) && rigOnSide(&r, v, 2, 0)) {
      char series[40];
      snprintf(series, sizeof(series), "%d cells over the height", n);
      point("beam", series, r.rest[3 * v] - r.low[0], -1000 * down);
    }
  }
  snprintf(what, sizeof(what), "solid cantilever, %d cells over the height: tip%s", n,
           steps < 0 ? " (not at rest)" : "");
  row(what, fall, beamTip(rigidity, weight, 1, x, 10 * n + 1), "m");
  if (n == BEAM_CELLS_MAX) {
    for (double at = 0; at < 1.001; at += 0.02) {
      const double q = 10 * 9.81;
      point("beam", "beam theory", at,
            -1000 * q * at * at * (6 - 4 * at + at * at) / (24 * rigidity));
    }
  }
  rigClose(&r);
}


// MuJoCo's bending is a sum over edges.  With mu the shear modulus and t the thickness it becomes,
// on fine meshes, the energy of a plate of rigidity D = mu*t^3/8:
//   equilateral triangles   D/2*((wxx + wyy)^2 - 8/3*(wxx*wyy - wxy^2)), poisson -1/3 in all
//   directions grids of flexcomp       D/2*((wxx + wxy)^2 + (wyy + wxy)^2 + 4*wxy^2), stiffer
//   against twist; a strip
//                           along a grid line that may twist has 4/5 of D
// The textbook has young*t^3 / (12*(1 - poisson^2)): D is 3/4*(1 - poisson) of it.
static double plateRigidity(double E, double thickness) {
  return E / 2 * thickness * thickness * thickness / 8;
}


static const double plate_thickness = 0.01;

#define PLATE_INNER                                                                             \
  "bending_model='%s'><elasticity young='%.17g' poisson='0' thickness='.01' elastic2d='bend'/>" \
  "<contact contype='0' conaffinity='0' internal='false' selfcollide='none'/></flexcomp>"       \
  "</worldbody></mujoco>"


// a step with which waves of the shortest length are stable: rigidity over mass per area
static double plateStep(double ratio, double cell) {
  return 0.25 * cell * cell / (8 * sqrt(ratio));
}


// vertices move up and down alone, as in the theory of small deflections, or not at all
static void holdFlat(softRig* r, int v, int is_fixed) {
  for (int axis = 0; axis < 2 + is_fixed; axis++) {
    rigHold(r, v, axis, 0);
  }
}


// a strip of 1 m x 0.2 m whose first two columns are held: it is clamped halfway between them
static void strip(const char* bending, int cells) {
  enum { COLUMNS_MAX = 61 };
  const double cell = 1.0 / cells, mass = 0.2, length = 1 - 0.5 * cell;
  const int rows = cells / 5 + 1;
  const double D = 9.81 / (8 * 0.02), E = D / plateRigidity(1, plate_thickness);
  char xml[1000], what[100];
  snprintf(xml, sizeof(xml),
           "<mujoco><option timestep='%.9g'/><worldbody><flexcomp name='strip' type='grid' "
           "count='%d %d 1' dim='2' spacing='%.17g %.17g 1' radius='.001' mass='.2' " PLATE_INNER,
           plateStep(D, cell), cells + 1, rows, cell, cell, bending, E);
  softRig r = rigOpen(xml);
  double x[COLUMNS_MAX], fall = 0;
  for (int v = 0; v < r.m->nflexvert; v++) {
    holdFlat(&r, v, r.rest[3 * v] - r.low[0] < 1.5 * cell);
  }
  const int steps = rigRelax(&r, 25, 1e-5, 400000);
  for (int i = 0; i <= cells; i++) {
    x[i] = i > 1 ? (i - 0.5) * cell : 0;
  }
  for (int v = 0; v < r.m->nflexvert; v++) {
    const double down = -r.d->qpos[rigDof(&r, v) + 2];
    fall += rigOnSide(&r, v, 0, 1) ? down / rows : 0;
    if (cells == 20 && rigOnSide(&r, v, 1, 0)) {
      point("strip", bending, r.rest[3 * v] - r.low[0] - 0.5 * cell, -1000 * down);
    }
  }
  const double weight = 9.81 * mass / (cells + 1), rigidity = 0.8 * D * 0.2;
  snprintf(what, sizeof(what), "strip, %s, %d cells long: tip%s", bending, cells,
           steps < 0 ? " (not at rest)" : "");
  row(what, fall, beamTip(rigidity, weight, length, x, cells + 1), "m");
  for (double at = 0; at < 0.981 && cells == 20 && bending[0] == 'c'; at += 0.02) {
    const double load = weight / cell;
    point("strip", "beam theory", at,
          -1000 * load * at * at * (6 * length * length - 4 * length * at + at * at) /
              (24 * rigidity));
  }
  rigClose(&r);
}


// a triangle of equilateral triangles, n along a side of 1 m, as MJCF
static char* triangleText(const char* bending, int n, double E, double step) {
  const size_t room = 1000 + 130 * (size_t)((n + 1) * (n + 2));
  char* xml = malloc(room);
  size_t used =
      (size_t)snprintf(xml, room,
                       "<mujoco><option timestep='%.9g'/><worldbody><flexcomp name='plate' "
                       "type='direct' dim='2' radius='.001' mass='1' point='",
                       step);
  for (int row_id = 0; row_id <= n; row_id++) {
    for (int k = 0; k <= n - row_id; k++) {
      used += (size_t)snprintf(xml + used, room - used, "%.15g %.15g 0 ", (k + 0.5 * row_id) / n,
                               row_id * sqrt(0.75) / n);
    }
  }
  used += (size_t)snprintf(xml + used, room - used, "' element='");
  for (int row_id = 0, first = 0; row_id < n; first += n + 1 - row_id++) {
    const int above = first + n + 1 - row_id;
    for (int k = 0; k < n - row_id; k++) {
      used += (size_t)snprintf(xml + used, room - used, "%d %d %d ", first + k, first + k + 1,
                               above + k);
      if (k + 1 < n - row_id) {
        used += (size_t)snprintf(xml + used, room - used, "%d %d %d ", first + k + 1, above + k + 1,
                                 above + k);
      }
    }
  }
  snprintf(xml + used, room - used, "' " PLATE_INNER, bending, E);
  return xml;
}


// Timoshenko: a triangular plate of height h, its border held and free to turn, x from the centroid
static double trianglePlate(double load, double D, double h, double x, double y) {
  return load / (64 * h * D) *
         (x * x * x - 3 * x * y * y - h * (x * x + y * y) + 4 * h * h * h / 27) *
         (4 * h * h / 9 - x * x - y * y);
}


// heights of a vertex over the three sides
static double heightOver(const double* x, int side) {
  const double h = sqrt(0.75);
  return side == 0 ? x[1] : side == 1 ? h * x[0] - 0.5 * x[1] : h * (1 - x[0]) - 0.5 * x[1];
}


static void plate(const char* bending, int n) {
  const double h = sqrt(0.75), mass = 1, area = 0.5 * h;
  const double D = 9.81 / area * pow(h, 4) / 972 / 0.02, E = D / plateRigidity(1, plate_thickness);
  char* xml = triangleText(bending, n, E, plateStep(D * area, 1.0 / n));
  softRig r = rigOpen(xml);
  free(xml);
  for (int v = 0; v < r.m->nflexvert; v++) {
    const double* x = r.rest + 3 * v;
    const double nearest = mju_min(heightOver(x, 0), mju_min(heightOver(x, 1), heightOver(x, 2)));
    holdFlat(&r, v, nearest < 1e-6);
  }
  const int steps = rigRelax(&r, 25, 1e-5, 400000);
  const double load = 9.81 * mass / (double)r.m->nflexvert / (h / (n * n));
  double fall = 0, expected = 0;
  char what[100];
  for (int v = 0; v < r.m->nflexvert; v++) {
    const double* x = r.rest + 3 * v;
    const double down = -r.d->qpos[rigDof(&r, v) + 2];
    const double theory = trianglePlate(load, D, h, x[1] - h / 3, x[0] - 0.5);
    expected = mju_max(expected, theory);
    fall = mju_max(fall, down);
    if (n == 24 && fabs(x[0] - 0.5) < 1e-9) {
      point("plate", bending, x[1], -1000 * down);
    }
  }
  snprintf(what, sizeof(what), "plate, %s, %d cells a side: middle%s", bending, n,
           steps < 0 ? " (not at rest)" : "");
  row(what, fall, expected, "m");
  for (double y = 0; y < h && n == 24 && bending[1] == 'o'; y += 0.02) {
    point("plate", "plate theory", y, -1000 * trianglePlate(load, D, h, y - h / 3, 0));
  }
  rigClose(&r);
}


// ---------------------------------------- momentum

static void momentum(const softRig* r, mjtNum linear[3], mjtNum angular[3]) {
  mju_zero3(linear);
  mju_zero3(angular);
  for (int v = 0; v < r->m->nflexvert; v++) {
    const mjtNum mass = r->m->body_mass[r->m->flex_vertbodyid[v]];
    const mjtNum* velocity = r->d->qvel + rigDof(r, v);
    mjtNum x[3], turn[3];
    mju_add3(x, r->rest + 3 * v, r->d->qpos + rigDof(r, v));
    mju_cross(turn, x, velocity);
    mju_addToScl3(linear, velocity, mass);
    mju_addToScl3(angular, turn, mass);
  }
}


// a cube that turns and wobbles in free space for two seconds
static void freeCube(const char* model, double damping) {
  softRig r = rigCube(model, young, poisson, damping);
  mjtNum start[2][3], now[2][3], worst[2] = {0, 0};
  for (int v = 0; v < r.m->nflexvert; v++) {
    const mjtNum spin[3] = {3, -5, 8}, *x = r.rest + 3 * v;
    mjtNum* velocity = r.d->qvel + rigDof(&r, v);
    mju_cross(velocity, spin, x);
    velocity[0] += 0.3 + 40 * x[0] * x[1];
    velocity[1] += 0.1 - 6 * x[1];
    velocity[2] += 200 * x[0] * x[1] * x[2];
  }
  momentum(&r, start[0], start[1]);
  char series[60];
  snprintf(series, sizeof(series), "%s%s", model, damping > 0 ? " damped" : "");
  for (int k = 1; k <= 4000; k++) {
    mj_step(r.m, r.d);
    momentum(&r, now[0], now[1]);
    for (int i = 0; i < 2; i++) {
      mju_subFrom3(now[i], start[i]);
      worst[i] = mju_max(worst[i], mju_norm3(now[i]) / mju_norm3(start[i]));
    }
    if (k % 40 == 0) {
      point("momentum", series, k * r.m->opt.timestep,
            log10(mju_max(1e-17, mju_norm3(now[1]) / mju_norm3(start[1]))));
    }
  }
  printf("| %s, free for 4000 steps: change of linear, angular momentum | %.1e, %.1e | 0 | |\n",
         series, worst[0], worst[1]);
  rigClose(&r);
}


int main(int argc, char** argv) {
  static const char* const models[] = {"neo_hookean", "stable_neo_hookean"};
  points = argc > 1 ? fopen(argv[1], "w") : NULL;
  printf("| what | found | expected | off by |\n|---|---|---|---|\n");
  for (int k = 0; k < 4; k++) {
    stretchCube(models[k / 2], 1 + k % 2);
  }
  smallStrain();
  keptVolume();
  for (int n = 1; n <= BEAM_CELLS_MAX; n++) {
    solidBeam(n);
  }
  static const char* const bendings[] = {"cotangent", "bridson", "cubic_shell"};
  for (int k = 0; k < 3; k++) {
    const char* bending = bendings[k];
    strip(bending, 10);
    strip(bending, 20);
    plate(bending, 12);
    plate(bending, 24);
  }
  freeCube("linear", 0);
  freeCube("linear", 0.002);
  freeCube("neo_hookean", 0);
  freeCube("neo_hookean", 0.002);
  freeCube("stable_neo_hookean", 0.002);
  if (points) {
    fclose(points);
  }
  return 0;
}
