// Items of the viewer's panels that are the same for every model: name, value, what a change does.
#include "viewrows.h"

enum { ALWAYS = 1, WITH_MODEL, WITH_KEYS };  // when an item may be used

#define OF_VIEW(field) (ptrdiff_t) offsetof(cliView, field)
#define OF_MODEL(field) (ptrdiff_t) offsetof(mjModel, field)
#define SECTION(name, key) \
  { mjITEM_SECTION, name, mjPRESERVE, NO_DATA, key, 0 }
#define BUTTON(name, when, key, command) \
  { mjITEM_BUTTON, name, when, NO_DATA, key, command }
#define FOLD(name) \
  { mjITEM_SEPARATOR, name, mjPRESERVE, NO_DATA, "", 0 }
#define CHECK(name, when, field, key, command) \
  { mjITEM_CHECKINT, name, when, OF_VIEW(field), key, command }
#define NUMBER(name, field, form) \
  { mjITEM_EDITNUM, name, WITH_MODEL, OF_MODEL(field), form, 0 }
#define WHOLE(name, field, form) \
  { mjITEM_EDITINT, name, WITH_MODEL, OF_MODEL(field), form, 0 }
#define CHOICE(name, field, words) \
  { mjITEM_SELECT, name, WITH_MODEL, OF_MODEL(field), words, 0 }
#define SHORT(group, field, form) \
  { mjITEM_EDITFLOAT, #field, WITH_MODEL, OF_MODEL(group.field), form, 0 }

static const viewRow file_rows[] = {
    SECTION("File", "AF"),
    BUTTON("Save xml", WITH_MODEL, "", DO_SAVE_XML),
    BUTTON("Save mjb", WITH_MODEL, "", DO_SAVE_MJB),
    BUTTON("Print model", WITH_MODEL, "CM", DO_PRINT_MODEL),
    BUTTON("Print data", WITH_MODEL, "CD", DO_PRINT_DATA),
    BUTTON("Write key", WITH_MODEL, "CK", DO_WRITE_KEY),
    BUTTON("Screenshot", WITH_MODEL, "CP", DO_SCREENSHOT),
    BUTTON("Quit", ALWAYS, "CQ", DO_QUIT),
};

static const viewRow option_rows[] = {
    SECTION("Option", "AO"),
    CHECK("Help", ALWAYS, help, " #290", 0),
    CHECK("Info", WITH_MODEL, info, " #291", 0),
    CHECK("Profiler", WITH_MODEL, profiler, " #292", 0),
    CHECK("Sensor", WITH_MODEL, sensors, " #293", 0),
    CHECK("Energy", WITH_MODEL, energy, " #297", 0),
    CHECK("Fullscreen", ALWAYS, fullscreen, " #294", DO_FULLSCREEN),
    CHECK("Vertical Sync", ALWAYS, vsync, "", DO_VSYNC),
    {mjITEM_SELECT, "Spacing", ALWAYS, OF_VIEW(spacing), "Tight\nWide", DO_THEME},
    {mjITEM_SELECT, "Color", ALWAYS, OF_VIEW(color), "Default\nOrange\nWhite\nBlack", DO_THEME},
    {mjITEM_SELECT, "Font", ALWAYS, OF_VIEW(font), "50 %\n100 %\n150 %\n200 %\n250 %\n300 %",
     DO_THEME},
};

static const viewRow simulation_rows[] = {
    SECTION("Simulation", "AS"),
    {mjITEM_RADIO, "", WITH_MODEL, OF_VIEW(sim.run), "Pause\nRun", DO_RUN},
    BUTTON("Reset", WITH_MODEL, " #259", DO_RESET),
    BUTTON("Reload", WITH_MODEL, "CL", DO_RELOAD),
    BUTTON("Align", WITH_MODEL, "CA", DO_ALIGN),
    BUTTON("Copy state", WITH_MODEL, "CC", DO_COPY_STATE),
    {mjITEM_SLIDERINT, "Key", WITH_KEYS, OF_VIEW(sim.key), "0 1", DO_LOAD_KEY},
    BUTTON("Load key", WITH_KEYS, "", DO_LOAD_KEY),
    BUTTON("Save key", WITH_KEYS, "", DO_SAVE_KEY),
    {mjITEM_SLIDERNUM, "Noise scale", WITH_MODEL, OF_VIEW(sim.noise_scale), "0 1", 0},
    {mjITEM_SLIDERNUM, "Noise rate", WITH_MODEL, OF_VIEW(sim.noise_rate), "0 4", 0},
    {mjITEM_SLIDERINT, "History", WITH_MODEL, OF_VIEW(sim.scrub), "-1 0", DO_SCRUB},
};

static const viewRow watch_rows[] = {
    SECTION("Watch", "AW"),
    {mjITEM_EDITTXT, "Field", WITH_MODEL, OF_VIEW(field), "", 0},
    {mjITEM_EDITINT, "Index", WITH_MODEL, OF_VIEW(index), "1", 0},
    {mjITEM_STATIC, "Value", WITH_MODEL, NO_DATA, " ", 0},
};

static const viewRow physics_rows[] = {
    SECTION("Physics", "AP"),
    CHOICE("Integrator", opt.integrator, "Euler\nRK4\nimplicit\nimplicitfast\nspringdamper"),
    CHOICE("Cone", opt.cone, "Pyramidal\nElliptic"),
    CHOICE("Jacobian", opt.jacobian, "Dense\nSparse\nAuto"),
    CHOICE("Solver", opt.solver, "PGS\nCG\nNewton"),
    FOLD("Algorithmic Parameters"),
    NUMBER("Timestep", opt.timestep, "1 0 1"),
    WHOLE("Iterations", opt.iterations, "1 0 1000"),
    NUMBER("Tolerance", opt.tolerance, "1 0 1"),
    WHOLE("LS Iter", opt.ls_iterations, "1 0 100"),
    NUMBER("LS Tol", opt.ls_tolerance, "1 0 0.1"),
    WHOLE("Noslip Iter", opt.noslip_iterations, "1 0 1000"),
    NUMBER("Noslip Tol", opt.noslip_tolerance, "1 0 1"),
    WHOLE("CCD Iter", opt.ccd_iterations, "1 0 1000"),
    NUMBER("CCD Tol", opt.ccd_tolerance, "1 0 1"),
    NUMBER("Sleep Tol", opt.sleep_tolerance, "1 0 1"),
    WHOLE("SDF Iter", opt.sdf_iterations, "1 1 20"),
    WHOLE("SDF Init", opt.sdf_initpoints, "1 1 100"),
    FOLD("Physical Parameters"),
    NUMBER("Gravity", opt.gravity, "3"),
    NUMBER("Wind", opt.wind, "3"),
    NUMBER("Magnetic", opt.magnetic, "3"),
    NUMBER("Density", opt.density, "1"),
    NUMBER("Viscosity", opt.viscosity, "1"),
    NUMBER("Imp Ratio", opt.impratio, "1"),
    FOLD("Contact Override"),
    NUMBER("Margin", opt.o_margin, "1"),
    NUMBER("Sol Imp", opt.o_solimp, "5"),
    NUMBER("Sol Ref", opt.o_solref, "2"),
    NUMBER("Friction", opt.o_friction, "5"),
};

// decoration is called as in MJCF
static const viewRow visual_rows[] = {
    SECTION("Visualization", "AV"),
    FOLD("Headlight"),
    {mjITEM_RADIO, "Active", WITH_MODEL, OF_MODEL(vis.headlight.active), "Off\nOn", 0},
    SHORT(vis.headlight, ambient, "3"),
    SHORT(vis.headlight, diffuse, "3"),
    SHORT(vis.headlight, specular, "3"),
    FOLD("Free Camera"),
    {mjITEM_RADIO, "Orthographic", WITH_MODEL, OF_MODEL(vis.global.orthographic), "No\nYes", 0},
    SHORT(vis.global, fovy, "1"),
    NUMBER("center", stat.center, "3"),
    SHORT(vis.global, azimuth, "1"),
    SHORT(vis.global, elevation, "1"),
    BUTTON("Align", WITH_MODEL, "", DO_ALIGN),
    FOLD("Global"),
    NUMBER("extent", stat.extent, "1"),
    {mjITEM_RADIO, "Inertia", WITH_MODEL, OF_MODEL(vis.global.ellipsoidinertia), "Box\nEllipsoid",
     0},
    {mjITEM_RADIO, "BVH active", WITH_MODEL, OF_MODEL(vis.global.bvactive), "False\nTrue", 0},
    FOLD("Map"),
    SHORT(vis.map, stiffness, "1"),
    SHORT(vis.map, stiffnessrot, "1"),
    SHORT(vis.map, force, "1"),
    SHORT(vis.map, torque, "1"),
    SHORT(vis.map, alpha, "1"),
    SHORT(vis.map, fogstart, "1"),
    SHORT(vis.map, fogend, "1"),
    SHORT(vis.map, znear, "1"),
    SHORT(vis.map, zfar, "1"),
    SHORT(vis.map, haze, "1"),
    SHORT(vis.map, shadowclip, "1"),
    SHORT(vis.map, shadowscale, "1"),
    FOLD("Scale"),
    NUMBER("meansize", stat.meansize, "1"),
    SHORT(vis.scale, forcewidth, "1"),
    SHORT(vis.scale, contactwidth, "1"),
    SHORT(vis.scale, contactheight, "1"),
    SHORT(vis.scale, connect, "1"),
    SHORT(vis.scale, com, "1"),
    SHORT(vis.scale, camera, "1"),
    SHORT(vis.scale, light, "1"),
    SHORT(vis.scale, selectpoint, "1"),
    SHORT(vis.scale, jointlength, "1"),
    SHORT(vis.scale, jointwidth, "1"),
    SHORT(vis.scale, actuatorlength, "1"),
    SHORT(vis.scale, actuatorwidth, "1"),
    SHORT(vis.scale, framelength, "1"),
    SHORT(vis.scale, framewidth, "1"),
    SHORT(vis.scale, constraint, "1"),
    SHORT(vis.scale, slidercrank, "1"),
    SHORT(vis.scale, frustum, "1"),
    FOLD("RGBA"),
    SHORT(vis.rgba, fog, "4"),
    SHORT(vis.rgba, haze, "4"),
    SHORT(vis.rgba, force, "4"),
    SHORT(vis.rgba, inertia, "4"),
    SHORT(vis.rgba, joint, "4"),
    SHORT(vis.rgba, actuator, "4"),
    SHORT(vis.rgba, actuatornegative, "4"),
    SHORT(vis.rgba, actuatorpositive, "4"),
    SHORT(vis.rgba, com, "4"),
    SHORT(vis.rgba, camera, "4"),
    SHORT(vis.rgba, light, "4"),
    SHORT(vis.rgba, selectpoint, "4"),
    SHORT(vis.rgba, connect, "4"),
    SHORT(vis.rgba, contactpoint, "4"),
    SHORT(vis.rgba, contactforce, "4"),
    SHORT(vis.rgba, contactfriction, "4"),
    SHORT(vis.rgba, contacttorque, "4"),
    SHORT(vis.rgba, contactgap, "4"),
    SHORT(vis.rgba, rangefinder, "4"),
    SHORT(vis.rgba, constraint, "4"),
    SHORT(vis.rgba, slidercrank, "4"),
    SHORT(vis.rgba, crankbroken, "4"),
    SHORT(vis.rgba, frustum, "4"),
    SHORT(vis.rgba, bv, "4"),
    SHORT(vis.rgba, bvactive, "4"),
};

#define TABLE(rows) \
  { rows, (int)(sizeof(rows) / sizeof(rows[0])) }
const viewTable cli_rowsFixed[VIEW_FIXED] = {TABLE(file_rows), TABLE(option_rows),
                                             TABLE(simulation_rows), TABLE(watch_rows)};
const viewTable cli_rowsPhysics = TABLE(physics_rows), cli_rowsVisual = TABLE(visual_rows);
