// Lines of several solvers over time as an SVG file, values on a logarithmic scale.
#ifndef CF_BENCH_SOLVERPLOT_H
#define CF_BENCH_SOLVERPLOT_H

#include <math.h>
#include <stdio.h>

enum { PLOT_WIDTH = 640, PLOT_HEIGHT = 300, PLOT_LEFT = 60, PLOT_RIGHT = 130, PLOT_EDGE = 30 };

typedef struct {
  FILE* file;
  double end;          // of the time axis, s
  int lowest, decade;  // exponent of the lowest value, decades shown
} solverPlot;


static inline double plotX(const solverPlot* plot, double t) {
  return PLOT_LEFT + t / plot->end * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}


static inline double plotY(const solverPlot* plot, double value) {
  const double part = (log10(fmax(value, 1e-30)) - plot->lowest) / plot->decade;
  return PLOT_HEIGHT - PLOT_EDGE - fmin(fmax(part, 0), 1) * (PLOT_HEIGHT - 2 * PLOT_EDGE);
}


// axes and title; false if the file cannot be written
static inline int openPlot(solverPlot* plot, const char* path, const char* title, double end,
                           int lowest, int highest) {
  *plot = (solverPlot){fopen(path, "w"), end, lowest, highest - lowest};
  if (!plot->file) {
    return 0;
  }
  fprintf(plot->file,
          "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' "
          "font-size='11'>\n<rect width='%d' height='%d' fill='white'/>\n"
          "<text x='%d' y='18' font-size='13'>%s</text>\n",
          PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT, PLOT_LEFT, title);
  for (int e = lowest; e <= highest; e++) {
    const double y = plotY(plot, pow(10, e));
    fprintf(plot->file, "<path d='M%d %.1fH%d' stroke='#ddd'/><text x='8' y='%.1f'>1e%d</text>\n",
            PLOT_LEFT, y, PLOT_WIDTH - PLOT_RIGHT, y + 4, e);
  }
  for (int k = 0; k <= 5; k++) {
    fprintf(plot->file, "<text x='%.1f' y='%d'>%g s</text>\n", plotX(plot, end * k / 5) - 8,
            PLOT_HEIGHT - 10, end * k / 5);
  }
  return 1;
}


// the pairs of a trace as one line, with its name at the side
static inline void plotTrace(const solverPlot* plot, FILE* trace, int number, const char* name) {
  static const char* const color[] = {"#1f77b4", "#2ca02c", "#d62728", "#9467bd"};
  double t, value, last = -1;
  rewind(trace);
  fprintf(plot->file, "<polyline fill='none' stroke='%s' stroke-width='1.5' points='",
          color[number % 4]);
  while (fscanf(trace, "%lf %lf", &t, &value) == 2) {
    if (t - last > plot->end / 150) {
      fprintf(plot->file, "%.1f,%.1f ", plotX(plot, t), plotY(plot, value));
      last = t;
    }
  }
  fprintf(plot->file, "'/>\n<text x='%d' y='%d' fill='%s'>%s</text>\n", PLOT_WIDTH - PLOT_RIGHT + 8,
          50 + 18 * number, color[number % 4], name);
}


static inline void closePlot(const solverPlot* plot) {
  fprintf(plot->file, "</svg>\n");
  fclose(plot->file);
}

#endif  // CF_BENCH_SOLVERPLOT_H
