// Soft bodies of a simulation: how far their edges are stretched and which solids are inside out.
#include <math.h>
#include <stdlib.h>

#include <cortenforge/flex.h>

#include "cli.h"

// an element of which a solid has six edges
enum { EDGES_MAX = 6 };


static const int* cornersOf(const mjModel* m, int f, int e) {
  return m->flex_elem + m->flex_elemdataadr[f] + e * (m->flex_dim[f] + 1);
}


static const mjtNum* vertexAt(const mjModel* m, const mjData* d, int f, int v) {
  return d->flexvert_xpos + 3 * (m->flex_vertadr[f] + v);
}


// lengths of the lines between all corners of an element; their number
static int measureEdges(mjtNum length[EDGES_MAX], const mjModel* m, const mjData* d, int f, int e) {
  const int* corner = cornersOf(m, f, e);
  int n = 0;
  for (int i = 0; i <= m->flex_dim[f]; i++) {
    for (int j = 0; j < i; j++) {
      length[n++] = mju_dist3(vertexAt(m, d, f, corner[i]), vertexAt(m, d, f, corner[j]));
    }
  }
  return n;
}


// six times the volume of a tetrahedron, negative when it is inside out
static mjtNum measureVolume(const mjModel* m, const mjData* d, int f, int e) {
  const int* corner = cornersOf(m, f, e);
  mjtNum edge[3][3], normal[3];
  for (int k = 0; k < 3; k++) {
    mju_sub3(edge[k], vertexAt(m, d, f, corner[k + 1]), vertexAt(m, d, f, corner[0]));
  }
  mju_cross(normal, edge[0], edge[1]);
  return mju_dot3(normal, edge[2]);
}


static cliElement lookAtElement(const cliSoft* s, const mjModel* m, const mjData* d, int f, int e) {
  cliElement found = {f, e, 0, false};
  mjtNum now[EDGES_MAX], rest[EDGES_MAX];
  const int n = measureEdges(now, m, d, f, e);
  measureEdges(rest, m, s->rest, f, e);
  for (int k = 0; k < n; k++) {
    const double strain = rest[k] > 0 ? now[k] / rest[k] - 1 : 0;
    found.strain = fabs(strain) > fabs(found.strain) || isnan(strain) ? strain : found.strain;
  }
  if (m->flex_dim[f] == 3) {
    found.is_inverted = measureVolume(m, d, f, e) * measureVolume(m, s->rest, f, e) < 0;
  }
  return found;
}


bool cli_softOpen(cliSoft* s, const mjModel* m) {
  *s = (cliSoft){.nflex = (int)m->nflex};
  if (!s->nflex) {
    return true;
  }
  s->rest = mj_makeData(m);
  s->flex = calloc((size_t)s->nflex, sizeof(cliFlexReport));
  if (!s->rest || !s->flex) {
    return false;
  }
  mj_kinematics(m, s->rest);
  mj_comPos(m, s->rest);
  mj_flex(m, s->rest);
  for (int f = 0; f < s->nflex; f++) {
    s->flex[f].worst = (cliElement){f, 0, 0, false};
  }
  return true;
}


void cli_softFree(cliSoft* s) {
  mj_deleteData(s->rest);
  free(s->flex);
}


void cli_softWatch(cliSoft* s, const mjModel* m, const mjData* d, double time) {
  for (int f = 0; f < s->nflex; f++) {
    cliFlexReport* report = s->flex + f;
    report->inverted = 0;
    for (int e = 0; !m->flex_rigid[f] && e < m->flex_elemnum[f]; e++) {
      const cliElement element = lookAtElement(s, m, d, f, e);
      report->inverted += element.is_inverted;
      if (fabs(element.strain) > fabs(report->worst.strain)) {
        report->worst = element;
        report->worst_time = time;
      }
    }
    report->most_inverted =
        report->inverted > report->most_inverted ? report->inverted : report->most_inverted;
  }
}


// what bending, elasticity and the springs of lines hold
static double storedEnergy(const mjModel* m, mjData* d, int f) {
  double energy = cf_flexEnergy(m, d, f);
  if (m->flex_dim[f] == 1 && !m->flex_rigid[f] && !m->flex_interp[f]) {
    for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
      const double longer = d->flexedge_length[e] - m->flexedge_length0[e];
      energy += 0.5 * m->flex_edgestiffness[f] * longer * longer;
    }
  }
  return energy;
}


void cli_softText(FILE* out, const cliSoft* s, const mjModel* m, mjData* d) {
  for (int f = 0; f < s->nflex; f++) {
    const cliFlexReport* report = s->flex + f;
    char name[64];
    cli_nameOf(m, mjOBJ_FLEX, f, name);
    fprintf(out,
            "flex              '%s': energy %.6g J, worst strain %.3g %% (element %d, t = %.4g s)",
            name, storedEnergy(m, d, f), 100 * report->worst.strain, report->worst.element,
            report->worst_time);
    if (m->flex_dim[f] == 3) {
      fprintf(out, ", inverted elements %d, most %d of %d", report->inverted, report->most_inverted,
              m->flex_elemnum[f]);
    }
    fprintf(out, "\n");
  }
}


void cli_softJson(const cliSoft* s, const mjModel* m, mjData* d, cliJson* j) {
  if (!s->nflex) {
    return;
  }
  cli_jsonOpen(j, "flexes", '[');
  for (int f = 0; f < s->nflex; f++) {
    char name[64];
    cli_jsonOpen(j, NULL, '{');
    cli_jsonText(j, "name", cli_nameOf(m, mjOBJ_FLEX, f, name));
    cli_jsonNumber(j, "energy", storedEnergy(m, d, f));
    cli_jsonNumber(j, "worst_strain", s->flex[f].worst.strain);
    cli_jsonInt(j, "worst_element", s->flex[f].worst.element);
    cli_jsonNumber(j, "worst_time", s->flex[f].worst_time);
    cli_jsonInt(j, "inverted", s->flex[f].inverted);
    cli_jsonInt(j, "most_inverted", s->flex[f].most_inverted);
    cli_jsonClose(j, '}');
  }
  cli_jsonClose(j, ']');
}


// ---- trouble

// is the body one that moves a vertex, or a node, of the flex
static bool movesFlex(const mjModel* m, int f, int body) {
  for (int v = 0; v < m->flex_vertnum[f]; v++) {
    if (m->flex_vertbodyid[m->flex_vertadr[f] + v] == body) {
      return true;
    }
  }
  for (int k = 0; k < m->flex_nodenum[f]; k++) {
    if (m->flex_nodebodyid[m->flex_nodeadr[f] + k] == body) {
      return true;
    }
  }
  return false;
}


// does the body move one of the element's corners; all corners follow the nodes of a grid
static bool touchesBody(const mjModel* m, int f, int e, int body) {
  const int* corner = cornersOf(m, f, e);
  bool touches = m->flex_interp[f] != 0;
  for (int k = 0; k <= m->flex_dim[f]; k++) {
    touches |= m->flex_vertbodyid[m->flex_vertadr[f] + corner[k]] == body;
  }
  return touches;
}


bool cli_softWorst(const cliSoft* s, const mjModel* m, const mjData* d, int body,
                   cliElement* worst) {
  bool is_found = false;
  for (int f = 0; f < s->nflex; f++) {
    if (m->flex_rigid[f] || !movesFlex(m, f, body)) {
      continue;
    }
    for (int e = 0; e < m->flex_elemnum[f]; e++) {
      if (!touchesBody(m, f, e, body)) {
        continue;
      }
      const cliElement element = lookAtElement(s, m, d, f, e);
      if (!is_found || fabs(element.strain) > fabs(worst->strain) || isnan(element.strain)) {
        *worst = element;
        is_found = true;
      }
    }
  }
  return is_found;
}


void cli_softDescribe(FILE* out, const mjModel* m, const cliElement* element) {
  const int* corner = cornersOf(m, element->flex, element->element);
  char name[64];
  cli_nameOf(m, mjOBJ_FLEX, element->flex, name);
  fprintf(out, "  soft body: element %d of flex '%s', vertices", element->element, name);
  for (int k = 0; k <= m->flex_dim[element->flex]; k++) {
    fprintf(out, "%s %d", k ? "," : "", corner[k]);
  }
  fprintf(out, ", an edge strained by %.4g %%%s\n", 100 * element->strain,
          element->is_inverted ? ", turned inside out" : "");
}
