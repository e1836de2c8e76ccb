// Texts of the viewer: help, what is known about the state, states and cameras as MJCF.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

const char cli_help_texts[] =
    "Play / pause\n"
    "Step back / forward\n"
    "Faster / slower\n"
    "Reset\n"
    "Load the model again\n"
    "Free camera\n"
    "Next / previous camera\n"
    "Frames, labels\n"
    "Orbit\n"
    "Pan\n"
    "Zoom\n"
    "Select\n"
    "Select parent\n"
    "Look at point\n"
    "Track body\n"
    "Rotate body\n"
    "Move body\n"
    "Left / right panel\n"
    "Help, info\n"
    "Profiler, sensors, energy\n"
    "Full screen\n"
    "Picture to a file\n"
    "State to clipboard / file\n"
    "Another model\n"
    "Shortcuts of a panel\n"
    "Fold or open all\n"
    "Quit";
const char cli_help_keys[] =
    "Space\n"
    "Left / right arrow\n"
    "+  -\n"
    "Backspace\n"
    "Ctrl L\n"
    "Esc\n"
    "]  [\n"
    "F6, F7\n"
    "Left drag\n"
    "[Shift] right drag\n"
    "Wheel, middle drag\n"
    "Double click\n"
    "Page up\n"
    "Right double click\n"
    "Ctrl right double click\n"
    "Ctrl [Shift] drag\n"
    "Ctrl [Shift] right drag\n"
    "Tab / shift Tab\n"
    "F1, F2\n"
    "F3, F4, F8\n"
    "F5\n"
    "Ctrl P\n"
    "Ctrl C / Ctrl K\n"
    "Drop a file\n"
    "Hold right button\n"
    "Double click on title\n"
    "Ctrl Q";


__attribute__((format(printf, 4, 5))) static void append(char* text, int size, int* used,
                                                         const char* format, ...) {
  va_list arguments;
  if (*used >= size - 1) {
    return;
  }
  va_start(arguments, format);
  const int n = vsnprintf(text + *used, (size_t)(size - *used), format, arguments);
  va_end(arguments);
  *used = n < 0 || *used + n > size - 1 ? size - 1 : *used + n;
}


// an attribute with numbers that read back to the same bits
static void writeNumbers(FILE* out, const char* name, const mjtNum* x, mjtSize n) {
  if (n) {
    fprintf(out, "\n  %s=\"", name);
    for (mjtSize k = 0; k < n; k++) {
      fprintf(out, "%s%.17g", k ? " " : "", x[k]);
    }
    fputs("\"", out);
  }
}


char* cli_textKey(const mjModel* m, const mjData* d) {
  cfTextFile text;
  if (!cfi_textOpen(&text)) {
    return NULL;
  }
  FILE* out = text.file;
  fputs("<key", out);
  writeNumbers(out, "time", &d->time, 1);
  writeNumbers(out, "qpos", d->qpos, m->nq);
  writeNumbers(out, "qvel", d->qvel, m->nv);
  writeNumbers(out, "act", d->act, m->na);
  writeNumbers(out, "ctrl", d->ctrl, m->nu);
  writeNumbers(out, "mpos", d->mocap_pos, 3 * m->nmocap);
  writeNumbers(out, "mquat", d->mocap_quat, 4 * m->nmocap);
  fputs("\n/>\n", out);
  return cfi_textClose(&text);
}


char* cli_textCamera(const mjvScene* scn) {
  const mjvGLCamera *a = scn->camera, *b = scn->camera + 1;
  mjtNum forward[3], up[3], right[3];
  char* text = NULL;
  mju_f2n(forward, a->forward, 3);
  mju_f2n(up, a->up, 3);
  mju_cross(right, forward, up);
  const int n =
      asprintf(&text, "<camera pos=\"%.3f %.3f %.3f\" xyaxes=\"%.3f %.3f %.3f %.3f %.3f %.3f\"/>\n",
               0.5 * (a->pos[0] + b->pos[0]), 0.5 * (a->pos[1] + b->pos[1]),
               0.5 * (a->pos[2] + b->pos[2]), right[0], right[1], right[2], up[0], up[1], up[2]);
  return n < 0 ? NULL : text;
}


// the solver's last word: the larger of what islands have left, as a power of ten
static double solverError(const mjData* d, int islands, int* iterations) {
  double worst = 0;
  *iterations = 0;
  for (int k = 0; k < islands; k++) {
    const int n = d->solver_niter[k] < mjNSOLVER ? d->solver_niter[k] : mjNSOLVER;
    *iterations += d->solver_niter[k];
    if (n) {
      const mjSolverStat* last = d->solver + k * mjNSOLVER + n - 1;
      const double low = fmin(last->improvement, last->gradient);
      worst = fmax(worst, low > 0 ? low : fmax(last->improvement, last->gradient));
    }
  }
  return log10(fmax(mjMINVAL, worst));
}


void cli_textInfo(const cliView* v, char* title, char* content, int size) {
  const mjModel* m = v->sim.m;
  const mjData* d = v->sim.d;
  const mjTimerStat* timer = d->timer + (v->sim.run ? mjTIMER_STEP : mjTIMER_FORWARD);
  const int islands = d->nisland < 1 ? 1 : (d->nisland < mjNISLAND ? d->nisland : mjNISLAND);
  int left = 0, right = 0, iterations;
  const double error = solverError(d, islands, &iterations);
  append(title, size, &left, "Time\nSize\nCPU\nSolver\nFPS\nMemory");
  append(content, size, &right, "%-9.3f\n%d  (%d con)\n%.3f\n%.1f  (%d it)\n%.*f\n%.1f%% of %s",
         d->time, d->nefc, d->ncon, timer->duration / (timer->number > 0 ? timer->number : 1),
         error, iterations, v->rate < 1 ? 1 : 0, v->rate,
         100 * (double)d->maxuse_arena / (double)d->narena, mju_writeNumBytes((size_t)d->narena));
  if (m->opt.enableflags & mjENBL_ENERGY) {
    append(title, size, &left, "\nEnergy");
    append(content, size, &right, "\n%.3f", d->energy[0] + d->energy[1]);
  }
  if (m->opt.enableflags & mjENBL_FWDINV) {
    append(title, size, &left, "\nFwdInv");
    append(content, size, &right, "\n%.1f %.1f", log10(fmax(mjMINVAL, d->solver_fwdinv[0])),
           log10(fmax(mjMINVAL, d->solver_fwdinv[1])));
  }
  if (!(m->opt.disableflags & mjDSBL_ISLAND) && d->nisland > 0) {
    append(title, size, &left, "\nIslands");
    append(content, size, &right, "\n%d", d->nisland);
  }
}
