// Plugins: which instance an element uses, how it is configured, what it asks of the model.
//
// An element names an instance of the extension section, or has one of its own that nothing else
// names. An instance learns its registered plugin from the first element that uses it, or from the
// extension section; its values are laid out in the order in which the plugin lists its attributes.
#include "compile/plugins.h"

#include <limits.h>
#include <string.h>

#include "base/assert.h"
#include "compile/phases.h"

//---------------------------------- who may use what ----------------------------------------------

// what a plugin must be able to do for an element, in the words of messages
typedef struct {
  mjtObj type;
  int capability;
  const char *what, *ability;
  bool says_name;  // a message about a missing name says which element it is
} pluginUse;

static const pluginUse plugin_uses[] = {
    {mjOBJ_BODY, mjPLUGIN_PASSIVE, "body", "passive forces", true},
    {mjOBJ_GEOM, mjPLUGIN_SDF, "geom", "sign distance fields", false},
    {mjOBJ_MESH, mjPLUGIN_SDF, "mesh", "signed distance fields", true},
    {mjOBJ_ACTUATOR, mjPLUGIN_ACTUATOR, "actuator", "actuators", true},
    {mjOBJ_SENSOR, mjPLUGIN_SENSOR, "sensor", "sensors", false},
};


static const pluginUse* pluginUseOf(mjtObj type) {
  const pluginUse* use = plugin_uses;
  while (use->type != type) {
    use++;
    CF_ASSERT(use < plugin_uses + sizeof(plugin_uses) / sizeof(plugin_uses[0]));
  }
  return use;
}


_Noreturn static void failNameless(cfDraft* draft, const cfPart* part, const pluginUse* use) {
  if (use->says_name) {
    cfi_fail(draft, part, "neither 'plugin' nor 'instance' is specified for %s '%s', (id = %d)",
             use->what, part->name, part->id);
  }
  cfi_fail(draft, part, "neither 'plugin' nor 'instance' is specified for %s", use->what);
}


//---------------------------------- instances -----------------------------------------------------

// slot of a plugin that the extension section requires; fails where it does not
static int requiredSlot(cfDraft* draft, const cfPart* user, const char* name) {
  const cfVec* slots = &draft->spec->plugins;
  for (int k = 0; k < cfi_countInts(slots); k++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(cfi_ints(slots)[k]);
    if (plugin && !strcmp(plugin->name, name)) {
      return cfi_ints(slots)[k];
    }
  }
  cfi_fail(draft, user, "unrecognized plugin '%s'", name);
}


// the draft of the instance that an element points to, NULL where it only names one
static cfPluginDraft* linkedInstance(cfDraft* draft, const mjsPlugin* link) {
  const cfPartList* list = cfi_parts(draft, mjOBJ_PLUGIN);
  const cfElement* e = link->element ? cfi_element(link->element) : NULL;
  const bool is_here = e && e->head.elemtype == mjOBJ_PLUGIN && e->id >= 0 && e->id < list->count &&
                       list->item[e->id]->origin == e;
  return is_here ? (cfPluginDraft*)list->item[e->id] : NULL;
}


// instance of an element, its slot known
static cfPluginDraft* resolveInstance(cfDraft* draft, const cfPart* user, const mjsPlugin* link) {
  const char *name = cfi_text(link->plugin_name), *instance_name = cfi_text(link->name);
  cfPluginDraft* linked = linkedInstance(draft, link);
  cfPluginDraft* named = (cfPluginDraft*)cfi_findPart(draft, mjOBJ_PLUGIN, instance_name);
  if (!name[0]) {
    if (!named) {
      cfi_fail(draft, user, "unrecognized name '%s' for plugin instance", instance_name);
    }
    name = cfi_text(named->attr.plugin_name);
  }
  const int slot = requiredSlot(draft, user, name);
  cfPluginDraft* instance = linked ? linked : named;
  if (!instance) {
    cfi_fail(draft, user, "unrecognized name '%s' for plugin instance", instance_name);
  }
  const char* own_name = cfi_text(instance->attr.plugin_name);
  if ((own_name[0] && strcmp(own_name, name)) || (instance->user && instance->slot != slot)) {
    cfi_fail(draft, user, "'plugin' attribute does not match that of the instance");
  }
  if (!instance->user) {
    instance->slot = slot;
    instance->user = user;
  }
  return instance;
}


const cfPluginDraft* cfi_usePlugin(cfDraft* draft, const cfPart* user, const mjsPlugin* link) {
  const pluginUse* use = pluginUseOf(user->type);
  if (cfi_isEmptyString(link->plugin_name) && cfi_isEmptyString(link->name)) {
    failNameless(draft, user, use);
  }
  const cfPluginDraft* instance = resolveInstance(draft, user, link);
  const mjpPlugin* plugin = mjp_getPluginAtSlot(instance->slot);
  if (!(plugin->capabilityflags & use->capability)) {
    cfi_fail(draft, user, "plugin '%s' does not support %s", plugin->name, use->ability);
  }
  return instance;
}


//---------------------------------- configuration -------------------------------------------------

const char* cfi_pluginValue(const cfPluginDraft* instance, const char* key) {
  const cfVec *keys = &instance->part.origin->part.plugin.key,
              *values = &instance->part.origin->part.plugin.value;
  for (int k = 0; k < cfi_countStrings(keys); k++) {
    if (!strcmp(cfi_text(cfi_strings(keys) + k), key)) {
      return cfi_text(cfi_strings(values) + k);
    }
  }
  return "";
}


static bool hasAttribute(const mjpPlugin* plugin, const char* key) {
  for (int k = 0; k < plugin->nattribute; k++) {
    if (!strcmp(plugin->attributes[k], key)) {
      return true;
    }
  }
  return false;
}


// keys that the plugin does not know; the first one in the order of the alphabet is named
static void checkKeys(cfDraft* draft, const cfPluginDraft* instance, const mjpPlugin* plugin) {
  const cfVec* keys = &instance->part.origin->part.plugin.key;
  const char* unknown = NULL;
  for (int k = 0; k < cfi_countStrings(keys); k++) {
    const char* key = cfi_text(cfi_strings(keys) + k);
    if (!hasAttribute(plugin, key) && (!unknown || strcmp(key, unknown) < 0)) {
      unknown = key;
    }
  }
  if (unknown) {
    const cfPart* user = instance->user ? instance->user : &instance->part;
    cfi_fail(draft, user, "unrecognized attribute 'plugin:%s' for plugin %s'", unknown,
             plugin->name);
  }
}


// values one behind the other, each with its final zero, empty where none is given
static void layOutValues(cfDraft* draft, cfPluginDraft* instance, const mjpPlugin* plugin) {
  size_t bytes = plugin->nattribute ? 0 : 1;
  for (int k = 0; k < plugin->nattribute; k++) {
    bytes += strlen(cfi_pluginValue(instance, plugin->attributes[k])) + 1;
  }
  if (bytes > INT_MAX / 2) {
    cfi_fail(draft, &instance->part, "configuration of plugin '%s' is too long", plugin->name);
  }
  char* text = (char*)cfi_poolAlloc(&draft->pool, bytes, 1);
  instance->config = text;
  instance->nconfig = (int)bytes;
  for (int k = 0; k < plugin->nattribute; k++) {
    const char* value = cfi_pluginValue(instance, plugin->attributes[k]);
    memcpy(text, value, strlen(value) + 1);
    text += strlen(value) + 1;
  }
}


static void compileInstance(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_PLUGIN);
  cfPluginDraft* instance = (cfPluginDraft*)part;
  if (!instance->user) {
    const char* name = cfi_text(instance->attr.plugin_name);
    if (!name[0]) {
      cfi_fail(draft, part, "plugin instance '%s' (id = %d) has no 'plugin' and is not in use",
               part->name, part->id);
    }
    instance->slot = requiredSlot(draft, part, name);
  }
  const mjpPlugin* plugin = mjp_getPluginAtSlot(instance->slot);
  layOutValues(draft, instance, plugin);
  checkKeys(draft, instance, plugin);
}


void cfi_compilePlugins(cfDraft* draft) {
  cfi_guardList(draft, compileInstance, mjOBJ_PLUGIN);
  const cfPartList* list = cfi_parts(draft, mjOBJ_PLUGIN);
  for (int i = 0; i < list->count; i++) {
    draft->sizes.npluginattr += ((const cfPluginDraft*)list->item[i])->nconfig;
  }
}


//---------------------------------- meshes --------------------------------------------------------

void cfi_linkMeshPlugins(cfDraft* draft) {
  const cfPartList* meshes = cfi_parts(draft, mjOBJ_MESH);
  for (int i = 0; i < meshes->count; i++) {
    cfMeshDraft* mesh = (cfMeshDraft*)meshes->item[i];
    const mjsPlugin* link = &mesh->attr.plugin;
    const double* scale = mesh->attr.scale;
    if (!link->active || mesh->file[0]) {
      continue;
    }
    if (cfi_isEmptyString(link->plugin_name) && cfi_isEmptyString(link->name)) {
      failNameless(draft, &mesh->part, pluginUseOf(mjOBJ_MESH));
    }
    if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) {
      cfi_fail(draft, &mesh->part,
               "attribute scale is not compatible with SDFs in mesh '%s', (id = %d)",
               mesh->part.name, mesh->part.id);
    }
    mesh->plugin = cfi_usePlugin(draft, &mesh->part, link);
    mesh->attr.needsdf = 0;
  }
}


//---------------------------------- the model -----------------------------------------------------

static int instanceId(const cfPluginDraft* instance) {
  return instance ? instance->part.id : -1;
}


// who uses which instance
static void fillUsers(cfDraft* draft) {
  mjModel* m = draft->model;
  for (int i = 0; i < m->nbody; i++) {
    m->body_plugin[i] = instanceId(cfi_bodyAt(draft, i)->plugin);
  }
#define CF_FILL_USERS(size, array, object, name)                                                 \
  for (int i = 0; i < m->size; i++) {                                                            \
    m->array[i] =                                                                                \
        instanceId(((const cf##name##Draft*)cfi_parts(draft, mjOBJ_##object)->item[i])->plugin); \
  }
  CF_FILL_USERS(ngeom, geom_plugin, GEOM, Geom)
  CF_FILL_USERS(nu, actuator_plugin, ACTUATOR, Actuator)
  CF_FILL_USERS(nsensor, sensor_plugin, SENSOR, Sensor)
#undef CF_FILL_USERS
}


static void fillConfig(cfDraft* draft) {
  mjModel* m = draft->model;
  int adr = 0;
  for (int i = 0; i < m->nplugin; i++) {
    const cfPluginDraft* instance = (const cfPluginDraft*)cfi_parts(draft, mjOBJ_PLUGIN)->item[i];
    m->plugin[i] = instance->slot;
    m->plugin_attradr[i] = adr;
    memcpy(m->plugin_attr + adr, instance->config, (size_t)instance->nconfig);
    adr += instance->nconfig;
  }
}


// a count that a plugin gives; its errors end the compilation
static int askedCount(cfDraft* draft, const cfPart* part, int count, mjtSize total,
                      const char* what) {
  if (count < 0 || total + count > INT_MAX / 2) {
    cfi_fail(draft, part, "plugin asks for %d numbers of %s", count, what);
  }
  return count;
}


// numbers of state that each instance wants
static void fillStates(cfDraft* draft) {
  mjModel* m = draft->model;
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin->nstate) {
      mju_error("`nstate` is null for plugin at slot %d", m->plugin[i]);
    }
    const cfPart* part = cfi_parts(draft, mjOBJ_PLUGIN)->item[i];
    const int nstate =
        askedCount(draft, part, plugin->nstate(m, i), m->npluginstate, "plugin state");
    m->plugin_stateadr[i] = (int)m->npluginstate;
    m->plugin_statenum[i] = nstate;
    m->npluginstate += nstate;
  }
}


// numbers that each sensor of a plugin gives; true where there is such a sensor
static bool sizeSensors(cfDraft* draft) {
  mjModel* m = draft->model;
  bool has_sensor = false;
  for (int i = 0; i < m->nsensor; i++) {
    cfSensorDraft* sensor = (cfSensorDraft*)cfi_parts(draft, mjOBJ_SENSOR)->item[i];
    if (!sensor->plugin) {
      continue;
    }
    const mjpPlugin* plugin = mjp_getPluginAtSlot(sensor->plugin->slot);
    if (!plugin->nsensordata) {
      mju_error("`nsensordata` is null for plugin at slot %d", sensor->plugin->slot);
    }
    const int dim = plugin->nsensordata(m, sensor->plugin->part.id, i);
    sensor->attr.dim = askedCount(draft, &sensor->part, dim, 0, "sensor data");
    has_sensor = true;
  }
  return has_sensor;
}


void cfi_fillPlugins(cfDraft* draft) {
  fillUsers(draft);
  fillConfig(draft);
  fillStates(draft);
  if (sizeSensors(draft)) {
    cfi_placeSensors(draft, draft->model);
  }
}
