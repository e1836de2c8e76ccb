// Counted warnings of a simulation.
#include <stdio.h>

#include <mujoco/mujoco.h>

// message per warning type; the argument is the warning's info as a count or as bytes
typedef struct {
  const char* text;
  int is_bytes;
} Message;

static const Message messages[mjNWARNING] = {
    [mjWARN_INERTIA] = {"Inertia matrix is too close to singular at DOF %s. Check model.", 0},
    [mjWARN_CONTACTFULL] = {"Too many contacts. The arena memory is full, increase arena memory "
                            "allocation. (ncon = %s)", 0},
    [mjWARN_CNSTRFULL] = {"Insufficient arena memory for the number of constraints generated. "
                          "Increase arena memory allocation above %s bytes.", 1},
    [mjWARN_VGEOMFULL] = {"Pre-allocated visual geom buffer is full. Increase maxgeom above %s.", 0},
    [mjWARN_BADQPOS] = {"Nan, Inf or huge value in QPOS at DOF %s. The simulation is unstable.", 0},
    [mjWARN_BADQVEL] = {"Nan, Inf or huge value in QVEL at DOF %s. The simulation is unstable.", 0},
    [mjWARN_BADQACC] = {"Nan, Inf or huge value in QACC at DOF %s. The simulation is unstable.", 0},
    [mjWARN_BADCTRL] = {"Nan, Inf or huge value in CTRL at ACTUATOR %s. The simulation is unstable.",
                        0},
};

#pragma GCC diagnostic ignored "-Wformat-nonliteral"


const char* mju_warningText(int warning, size_t info) {
  static _Thread_local char text[1000];
  if (warning < 0 || warning >= mjNWARNING) {
    snprintf(text, sizeof(text), "Unknown warning type %d.", warning);
    return text;
  }
  char number[32];
  snprintf(number, sizeof(number), "%zu", info);
  const Message* message = messages + warning;
  snprintf(text, sizeof(text), message->text, message->is_bytes ? mju_writeNumBytes(info) : number);
  return text;
}


// count; only the first of a kind is printed
void mj_warning(mjData* d, int warning, int info) {
  if (warning < 0 || warning >= mjNWARNING) {
    mju_error("mj_warning: invalid warning type %d", warning);
    return;
  }
  mjWarningStat* stat = d->warning + warning;
  stat->lastinfo = info;
  if (stat->number++ == 0) {
    mju_warning("%s Time = %.4f.", mju_warningText(warning, (size_t)info), d->time);
  }
}
