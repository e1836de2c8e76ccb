// Plots of the viewer: what the solver did, sizes and times over frames, sensors, energy.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view.h"

enum { COUNT_LINES = 5, COST_LINES = 3, SIZE_LINES = 6, TIMER_LINES = 5, SENSOR_LINES = 10 };
enum { FRAMES = 201, MOST_NAMES = 6 };  // points of a plot over frames; lines with a name

// a plot before it has data
typedef struct {
  size_t offset;
  const char *title, *xlabel, *yformat;
  int grid[2];
  float x[2], y[2];  // ranges at least
  int repeat;        // colors begin again after so many lines, 0 for never
  const char* names[MOST_NAMES];
} plotKind;

static const plotKind plots[] = {
    {offsetof(viewFigures, counts),
     "Counts",
     "Solver iteration",
     "%.0f",
     {5, 5},
     {0, 20},
     {0, 80},
     COUNT_LINES,
     {"total", "active", "changed", "evals", "updates"}},
    {offsetof(viewFigures, cost),
     "Convergence (log 10)",
     "Solver iteration",
     "%.1f",
     {5, 5},
     {0, 20},
     {-15, 5},
     COST_LINES,
     {"improvement", "gradient", "lineslope"}},
    {offsetof(viewFigures, sizes),
     "Dimensions",
     "Video frame",
     "%.0f",
     {3, 5},
     {1 - FRAMES, 0},
     {0, 100},
     0,
     {"dof", "body", "constraint", "sqrt(nnz)", "contact", "iteration"}},
    {offsetof(viewFigures, timers),
     "CPU time (msec)",
     "Video frame",
     "%.2f",
     {3, 5},
     {1 - FRAMES, 0},
     {0, 0.4f},
     0,
     {"total", "collision", "prepare", "solve", "other"}},
    {offsetof(viewFigures, energy),
     "Energy (J)",
     "Video frame",
     "%.1f",
     {3, 5},
     {1 - FRAMES, 0},
     {0, 0},
     0,
     {"potential", "kinetic", "total"}},
    {offsetof(viewFigures, sensors), "Sensor data", "", "%.1f", {2, 3}, {0, 0}, {-1, 1}, 0, {NULL}},
};


static mjvFigure* figureOf(viewFigures* f, const plotKind* kind) {
  return (mjvFigure*)(void*)((char*)f + kind->offset);
}


static void initPlot(mjvFigure* fig, const plotKind* kind) {
  mjv_defaultFigure(fig);
  snprintf(fig->title, sizeof(fig->title), "%s", kind->title);
  snprintf(fig->xlabel, sizeof(fig->xlabel), "%s", kind->xlabel);
  snprintf(fig->yformat, sizeof(fig->yformat), "%s", kind->yformat);
  fig->figurergba[3] = 0.5f;
  memcpy(fig->gridsize, kind->grid, sizeof(fig->gridsize));
  memcpy(fig->range[0], kind->x, sizeof(fig->range[0]));
  memcpy(fig->range[1], kind->y, sizeof(fig->range[1]));
  for (int k = 0; k < MOST_NAMES && kind->names[k]; k++) {
    snprintf(fig->linename[k], sizeof(fig->linename[k]), "%s", kind->names[k]);
  }
  for (int k = kind->repeat; kind->repeat && k < mjMAXLINE; k++) {
    memcpy(fig->linergb[k], fig->linergb[k - kind->repeat], sizeof(fig->linergb[k]));
  }
}


void cli_figuresInit(viewFigures* f) {
  for (size_t k = 0; k < sizeof(plots) / sizeof(plots[0]); k++) {
    initPlot(figureOf(f, plots + k), plots + k);
  }
  f->sensors.flg_extend = f->sensors.flg_barplot = f->sensors.flg_symmetric = 1;
}


// a new frame at the right of a plot, the others move to the left
static void addFrame(mjvFigure* fig, const float* value, int lines) {
  for (int line = 0; line < lines; line++) {
    float* data = fig->linedata[line];
    const int n = fig->linepnt[line] < FRAMES ? fig->linepnt[line] + 1 : FRAMES;
    for (int k = n - 1; k > 0; k--) {
      data[2 * k] = (float)-k;
      data[2 * k + 1] = data[2 * k - 1];
    }
    data[0] = 0;
    data[1] = value[line];
    fig->linepnt[line] = n;
  }
}


//---------------------------------- profiler ------------------------------------------------------

// one point of a curve over iterations
static void addPoint(mjvFigure* fig, int line, int iteration, double value) {
  const int n = fig->linepnt[line]++;
  fig->linedata[line][2 * n] = (float)iteration;
  fig->linedata[line][2 * n + 1] = (float)value;
}


static double logOf(mjtNum value) {
  return log10(fmax(mjMINVAL, value));
}


// iterations of one island; what a solver does not count has no curve
static void plotIsland(viewFigures* f, const mjModel* m, const mjData* d, int island, int rows) {
  const mjSolverStat* stat = d->solver + island * mjNSOLVER;
  const int first = COUNT_LINES * island, cost = COST_LINES * island;
  const bool is_pgs = m->opt.solver == mjSOL_PGS, is_newton = m->opt.solver == mjSOL_NEWTON;
  for (int k = 0; k < d->solver_niter[island] && k < mjNSOLVER && k < mjMAXLINEPNT; k++) {
    addPoint(&f->counts, first, k, rows);
    addPoint(&f->counts, first + 1, k, stat[k].nactive);
    addPoint(&f->counts, first + 2, k, stat[k].nchange);
    addPoint(&f->cost, cost, k, logOf(stat[k].improvement));
    if (!is_pgs) {
      addPoint(&f->counts, first + 3, k, stat[k].neval);
      addPoint(&f->cost, cost + 1, k, logOf(stat[k].gradient));
      addPoint(&f->cost, cost + 2, k, logOf(stat[k].lineslope));
    }
    if (is_newton) {
      addPoint(&f->counts, first + 4, k, stat[k].nupdate);
    }
  }
}


static void plotTimes(viewFigures* f, const mjData* d) {
  const mjTimerStat* t = d->timer;
  const mjTimerStat* whole = t + (t[mjTIMER_STEP].number ? mjTIMER_STEP : mjTIMER_FORWARD);
  if (!whole->number) {
    return;
  }
  const double n = whole->number, total = whole->duration / n;
  const double collision = t[mjTIMER_POS_COLLISION].duration / n;
  const double prepare = (t[mjTIMER_POS_MAKE].duration + t[mjTIMER_POS_PROJECT].duration) / n;
  const double solve = t[mjTIMER_CONSTRAINT].duration / n;
  const float value[TIMER_LINES] = {(float)total, (float)collision, (float)prepare, (float)solve,
                                    (float)(total - collision - prepare - solve)};
  addFrame(&f->timers, value, TIMER_LINES);
}


void cli_figuresProfile(viewFigures* f, const mjModel* m, const mjData* d) {
  const int known = d->nisland < mjNISLAND ? d->nisland : mjNISLAND;
  const int islands = d->nefc ? (known > 1 ? known : 1) : 0;
  const bool sleeps = m->opt.enableflags & mjENBL_SLEEP;
  double nonzeros = 0, iterations = 0;
  memset(f->counts.linepnt, 0, sizeof(f->counts.linepnt));
  memset(f->cost.linepnt, 0, sizeof(f->cost.linepnt));
  for (int k = 0; k < islands; k++) {
    plotIsland(f, m, d, k, islands == 1 ? d->nefc : d->island_nefc[k]);
    nonzeros += d->solver_nnz[k];
    iterations += d->solver_niter[k];
  }
  const float size[SIZE_LINES] = {(float)(sleeps ? d->nv_awake : m->nv),
                                  (float)(sleeps ? d->nbody_awake : m->nbody),
                                  (float)d->nefc,
                                  (float)sqrt(nonzeros),
                                  (float)d->ncon,
                                  (float)(islands ? iterations / islands : 0)};
  addFrame(&f->sizes, size, SIZE_LINES);
  plotTimes(f, d);
}


//---------------------------------- sensors, energy -----------------------------------------------

// a bar for each number, a color for each run of sensors of one type, in units of the cutoff
void cli_figuresSensors(viewFigures* f, const mjModel* m, const mjData* d) {
  mjvFigure* fig = &f->sensors;
  memset(fig->linepnt, 0, sizeof(fig->linepnt));
  for (int n = 0, line = 0; n < m->nsensor; n++) {
    if (n && m->sensor_type[n] != m->sensor_type[n - 1] && line < SENSOR_LINES - 1) {
      line++;
    }
    const double unit = m->sensor_cutoff[n] > 0 ? m->sensor_cutoff[n] : 1;
    for (int k = 0; k < m->sensor_dim[n] && fig->linepnt[line] + 2 <= mjMAXLINEPNT; k++) {
      const int at = m->sensor_adr[n] + k;
      addPoint(fig, line, at, 0);
      addPoint(fig, line, at, d->sensordata[at] / unit);
    }
  }
}


// potential and kinetic energy, whether or not the model asks for them; mjData stays as it is
void cli_figuresEnergy(viewFigures* f, const mjModel* m, mjData* d) {
  const mjtNum kept[2] = {d->energy[0], d->energy[1]};
  mj_energyPos(m, d);
  mj_energyVel(m, d);
  const float value[3] = {(float)d->energy[0], (float)d->energy[1],
                          (float)(d->energy[0] + d->energy[1])};
  memcpy(d->energy, kept, sizeof(kept));
  addFrame(&f->energy, value, 3);
}
