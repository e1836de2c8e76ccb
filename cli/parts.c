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
  char text[2000];
  if (strlen(list) >= sizeof(text)) {
    return false;
  }
  strcpy(text, list);
  for (char *next, *word = text; word; word = next) {
    next = strchr(word, ',');
    if (next) {
      *next++ = 0;
    }
    if (!wishGain(builder, word)) {
      return false;
    }
  }
  return true;
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


mjModel* cli_loadWith(const char* path, const cliParts* parts, cliExit* code) {
  if (!parts->preset && !parts->solver && !parts->gain) {
    return cli_load(path, code);
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
