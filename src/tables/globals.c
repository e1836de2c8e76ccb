// Global variables of the C API: callbacks, the table of collision functions, and the names of
// flags.
#include <mujoco/mujoco.h>

// callbacks, all unused at first; handlers stand in base, the collision functions in collision
#define CF_CALLBACK(type, name, doc) type name;
#include "tables/globals.def"


void mj_resetCallbacks(void) {
#define CF_CALLBACK(type, name, doc) name = NULL;
#include "tables/globals.def"
}


// names of flags, one row per flag
#define CF_FLAG(enumeration, name, value, label, preset, key, doc) label,
#include "tables/enums.h"

const char* mjDISABLESTRING[mjNDISABLE] = {
#include "tables/flags_disable.def"
};

const char* mjENABLESTRING[mjNENABLE] = {
#include "tables/flags_enable.def"
};

const char* mjTIMERSTRING[mjNTIMER] = {
#include "tables/flags_timer.def"
};

const char* mjLABELSTRING[mjNLABEL] = {
#include "tables/flags_label.def"
};

const char* mjFRAMESTRING[mjNFRAME] = {
#include "tables/flags_frame.def"
};


// flags of the viewer come with their default and their shortcut key
#undef CF_FLAG
#define CF_FLAG(enumeration, name, value, label, preset, key, doc) {label, preset, key},

const char* mjVISSTRING[mjNVISFLAG][3] = {
#include "tables/flags_vis.def"
};

const char* mjRNDSTRING[mjNRNDFLAG][3] = {
#include "tables/flags_rnd.def"
};

#include "tables/enums_end.h"
