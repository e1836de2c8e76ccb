// Exchangeable parts on the command line: --preset, --contact-solver, --gain; and which a model
// uses.
#include <stdlib.h>
#include <string.h>

#include <cortenforge/builder.h>
#include <cortenforge/contact.h>
#include <cortenforge/flex.h>
#include <cortenforge/actuator.h>

#include "cli.h"

// one "ACTUATOR=MODEL[:P:P...]"; false if it is not of that form
static bool wishGain(cfSimBuilder* builder, char* text) {
  char* equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    return false;
  }
  *equals = 0;
  char* colon = strchr(equals + 1, ':');
  mjtNum param[mjNGAIN];
  int count = 0;
  while (colon) {
    *colon = 0;
    char* end;
    const mjtNum value = strtod(colon + 1, &end);
    if (end == colon + 1 || (*end && *end != ':') || count == mjNGAIN) {
      return false;
    }
    param[count++] = value;
    colon = *end ? end : NULL;
  }
  cf_withGain(builder, strcmp(text, "*") == 0 ? NULL : text, equals + 1, count ? param : NULL,
              count);
  return true;
}


static bool wishGains(cfSimBuilder* builder, const char* list) {
  char* text = strdup(list);
  bool is_good = text;
  for (char *next, *word = text; word && is_good; word = next) {
    next = strchr(word, ',');
    if (next) {
      *next++ = 0;
    }
    is_good = wishGain(builder, word);
  }
  free(text);
  return is_good;
}


// the model by its file or text; false with a message
static bool wishModel(cfSimBuilder* builder, const char* path) {
  char error[1000];
  if (!path) {
    cf_withModelText(builder, cli_humanoid);
    return true;
  }
  if (!cli_isStream(path)) {
    const bool is_there = cli_isReadable(path, error, sizeof(error));
    cf_withModelFile(builder, path);
    if (!is_there) {
      cli_error("%s", error);
    }
    return is_there;
  }
  const cliStream* stream = cli_readStream(path, error, sizeof(error));
  if (!stream) {
    cli_error("%s", error);
    return false;
  }
  if (stream->is_binary) {
    path = cli_streamFile(path);
    cf_withModelFile(builder, path ? path : "");
  } else {
    cf_withModelText(builder, stream->bytes);
  }
  return path;
}


static const char* const integrator_names[] = {"Euler", "RK4", "implicit", "implicitfast",
                                               "springdamper"};
enum { INTEGRATORS = sizeof(integrator_names) / sizeof(integrator_names[0]) };


const char* cli_integratorName(int integrator) {
  return integrator >= 0 && integrator < INTEGRATORS ? integrator_names[integrator] : "unknown";
}


int cli_findIntegrator(const char* name) {
  char list[200] = "", nearest[64] = "";
  for (int k = 0; k < INTEGRATORS; k++) {
    if (strcmp(name, integrator_names[k]) == 0) {
      return k;
    }
    cli_nearest(name, integrator_names[k], nearest);
    const size_t used = strlen(list);
    snprintf(list + used, sizeof(list) - used, "%s%s", k ? " " : "", integrator_names[k]);
  }
  cli_error("--integrator %s: there is none; there are %s%s%s%s", name, list,
            nearest[0] ? "; did you mean '" : "", nearest, nearest[0] ? "'?" : "");
  return -1;
}


mjModel* cli_loadWith(const char* path, const cliParts* parts, cliExit* code) {
  if (!parts->preset && !parts->solver && !parts->gain && !parts->integrator) {
    return cli_load(path, code);
  }
  const int integrator = parts->integrator ? cli_findIntegrator(parts->integrator) : 0;
  if (integrator < 0) {
    *code = CLI_USAGE;
    return NULL;
  }
  cfSimBuilder* builder = cf_simBuilder();
  *code = CLI_USAGE;
  if (parts->gain && !wishGains(builder, parts->gain)) {
    cli_error("--gain %s: expected ACTUATOR=MODEL[:P:P...],...", parts->gain);
    cf_freeSimBuilder(builder);
    return NULL;
  }
  if (!wishModel(builder, path)) {
    *code = CLI_IO;
    cf_freeSimBuilder(builder);
    return NULL;
  }
  if (parts->preset) {
    cf_withPreset(builder, parts->preset);
  }
  if (parts->solver) {
    cf_withContactSolver(builder, parts->solver, NULL, 0);
  }
  if (parts->integrator) {
    cf_withIntegrator(builder, integrator);
  }
  char error[4000] = "";
  cfSim* sim = cf_build(builder, error, sizeof(error));
  mjModel* m = sim ? mj_copyModel(NULL, cf_simModel(sim)) : NULL;
  *code = m ? CLI_OK : CLI_BAD_MODEL;
  if (!m) {
    // a model that loads without the parts is not to blame
    char ignored[4000];
    mjModel* alone = cli_open(path, ignored, sizeof(ignored), code);
    *code = alone ? CLI_USAGE : *code;
    mj_deleteModel(alone);
    cli_error("%s", error);
  }
  cf_freeSim(sim);
  cf_freeSimBuilder(builder);
  return m;
}


void cli_listParts(FILE* out) {
  fprintf(
      out,
      "\nCONTACT SOLVERS, with the parameters that a model can give them (cortenforge:solver_params)\n");
  for (int k = 0; cf_contactSolverAt(k); k++) {
    const cfContactSolver* s = cf_contactSolverAt(k);
    fprintf(out, "  %-16s", s->name);
    for (int p = 0; p < s->nparameter; p++) {
      fprintf(out, "%s%s (%g)", p ? ", " : "", s->parameter[p].name, s->parameter[p].initial);
    }
    fputc('\n', out);
  }
  fprintf(out, "\nMODELS OF ACTUATORS, with their parameters in order and the usual values\n");
  for (int k = 0; cf_gainModelAt(k); k++) {
    const cfGainModel* g = cf_gainModelAt(k);
    fprintf(out, "  %-16s %s\n", g->name, g->text);
    for (int p = 0; p < g->nparameter; p++) {
      const cfGainParameter* q = g->parameter + p;
      fprintf(out, "    %-16s %-8g [%s] %s\n", q->name, q->usual, q->unit, q->text);
    }
  }
  fprintf(out,
          "\nEXAMPLES\n"
          "  cortenforge run model.xml --contact-solver xpbd\n"
          "  cortenforge run model.xml --gain 'hip=series_elastic:60:0.8:0.5,*=fixed:2'\n");
}


static void printGains(const mjModel* m) {
  for (int u = 0; u < m->nu; u++) {
    const cfGainModel* model = cf_actuatorGain(m, u);
    char name[64];
    if (!model) {
      continue;
    }
    printf("gain         %s: %s", cli_nameOf(m, mjOBJ_ACTUATOR, u, name), model->name);
    for (int k = 0; k < model->nparameter; k++) {
      printf("%s%s=%g", k ? " " : ", ", model->parameter[k].name,
             m->actuator_gainprm[mjNGAIN * u + k]);
    }
    putchar('\n');
  }
}


void cli_printParts(const mjModel* m) {
  const cfContactSolver* solver = cf_contactSolver(m);
  printf("contacts     %s", solver->name);
  for (int k = 0; k < solver->nparameter; k++) {
    printf("%s%s=%g", k ? " " : ", ", solver->parameter[k].name,
           cf_contactParameter(m, solver->name, solver->parameter[k].name, mjOBJ_MODEL, 0));
  }
  putchar('\n');
  for (int f = 0; f < m->nflex; f++) {
    char name[64];
    printf("flex         %s: bending %s, elasticity %s\n", cli_nameOf(m, mjOBJ_FLEX, f, name),
           cf_flexBending(m, f), cf_flexElasticity(m, f));
  }
  printGains(m);
}


static void jsonGains(cliJson* j, const mjModel* m) {
  cli_jsonOpen(j, "gains", '[');
  for (int u = 0; u < m->nu; u++) {
    const cfGainModel* model = cf_actuatorGain(m, u);
    if (!model) {
      continue;
    }
    cli_jsonOpen(j, NULL, '{');
    cli_jsonInt(j, "actuator", u);
    cli_jsonText(j, "model", model->name);
    for (int k = 0; k < model->nparameter; k++) {
      cli_jsonNumber(j, model->parameter[k].name, m->actuator_gainprm[mjNGAIN * u + k]);
    }
    cli_jsonClose(j, '}');
  }
  cli_jsonClose(j, ']');
}


void cli_jsonParts(cliJson* j, const mjModel* m) {
  cli_jsonText(j, "contact_solver", cf_contactSolver(m)->name);
  cli_jsonOpen(j, "flexes", '[');
  for (int f = 0; f < m->nflex; f++) {
    cli_jsonOpen(j, NULL, '{');
    cli_jsonText(j, "bending", cf_flexBending(m, f));
    cli_jsonText(j, "elasticity", cf_flexElasticity(m, f));
    cli_jsonClose(j, '}');
  }
  cli_jsonClose(j, ']');
  jsonGains(j, m);
}
