// What the page needs to know of a model before it draws frames of it: copies of arrays, names and settings.

// corners of a mesh, three numbers each, with normals and texture coordinates
function mesh(a, i) {
  const faces = a.mesh_facenum[i], f0 = a.mesh_faceadr[i], v0 = a.mesh_vertadr[i], n0 = a.mesh_normaladr[i], t0 = a.mesh_texcoordadr[i];
  const position = new Float32Array(9 * faces), normal = new Float32Array(9 * faces), uv = t0 >= 0 ? new Float32Array(6 * faces) : null;
  for (let k = 0; k < 3 * faces; k++) {
    const v = 3 * (v0 + a.mesh_face[3 * f0 + k]), n = 3 * (n0 + a.mesh_facenormal[3 * f0 + k]);
    for (let c = 0; c < 3; c++) {
      position[3 * k + c] = a.mesh_vert[v + c];
      normal[3 * k + c] = a.mesh_normal[n + c];
    }
    if (uv) for (let c = 0; c < 2; c++) uv[2 * k + c] = a.mesh_texcoord[2 * (t0 + a.mesh_facetexcoord[3 * f0 + k]) + c];
  }
  return { position, normal, uv, hull: hull(a, i) };
}

// convex hull of a mesh: graph of vertices and faces as mjModel describes it; flat normals
function hull(a, i) {
  const at = a.mesh_graphadr[i], v0 = a.mesh_vertadr[i];
  if (at < 0) return null;
  const vertices = a.mesh_graph[at], faces = a.mesh_graph[at + 1], first = at + 2 + 3 * vertices + 3 * faces;
  const position = new Float32Array(9 * faces), normal = new Float32Array(9 * faces);
  for (let f = 0; f < faces; f++) {
    const p = [0, 1, 2].map(k => Array.from(a.mesh_vert.subarray(3 * (v0 + a.mesh_graph[first + 3 * f + k])).subarray(0, 3)));
    const [u, w] = [1, 2].map(k => p[k].map((x, c) => x - p[0][c]));
    const n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]], length = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; k++) {
      position.set(p[k], 9 * f + 3 * k);
      normal.set(n.map(x => x / length), 9 * f + 3 * k);
    }
  }
  return { position, normal, uv: null };
}

function meshes(e, count) {
  const names = ['mesh_facenum', 'mesh_faceadr', 'mesh_vertadr', 'mesh_normaladr', 'mesh_texcoordadr', 'mesh_face', 'mesh_facenormal',
    'mesh_facetexcoord', 'mesh_vert', 'mesh_normal', 'mesh_texcoord', 'mesh_graphadr', 'mesh_graph'];
  const a = Object.fromEntries(names.map(name => [name, e.array('model', name)]));
  return Array.from({ length: count }, (_, i) => mesh(a, i));
}

function textures(e, count) {
  const m = name => e.array('model', name), all = m('tex_data');
  return Array.from({ length: count }, (_, i) => {
    const [type, width, height, channels] = ['tex_type', 'tex_width', 'tex_height', 'tex_nchannel'].map(name => m(name)[i]);
    const at = Number(m('tex_adr')[i]);
    return { type, width, height, channels, data: all.slice(at, at + width * height * channels) };
  });
}

function hfields(e, count) {
  const m = name => e.array('model', name);
  return Array.from({ length: count }, (_, i) => {
    const rows = m('hfield_nrow')[i], cols = m('hfield_ncol')[i], at = m('hfield_adr')[i];
    return { rows, cols, size: Array.from(m('hfield_size').slice(4 * i, 4 * i + 4)), data: m('hfield_data').slice(at, at + rows * cols) };
  });
}

function materials(e, n) {
  const roles = n.nmat ? e.array('model', 'mat_texid').length / n.nmat : 0, ids = e.array('model', 'mat_texid'), rgb = e.value.mjTEXROLE_RGB;
  return {
    texture: Array.from({ length: n.nmat }, (_, i) => ids[roles * i + rgb]), repeat: e.array('model', 'mat_texrepeat').slice(),
    uniform: e.array('model', 'mat_texuniform').slice(),
  };
}

function settings(e) {
  const model = e.at('mjModel');
  const visual = name => Array.from(e.field('visual', model + e.part.visual, name));
  const one = name => visual(name)[0];
  return {
    fovy: one('global.fovy'), znear: one('map.znear'), zfar: one('map.zfar'), hazeShare: one('map.haze'), haze: visual('rgba.haze'),
    fog: visual('rgba.fog').slice(0, 3), fogstart: one('map.fogstart'), fogend: one('map.fogend'),
  };
}

// joints that one number moves, with their range
function joints(e, count) {
  const type = e.array('model', 'jnt_type'), limited = e.array('model', 'jnt_limited'), range = e.array('model', 'jnt_range'), at = e.array('model', 'jnt_qposadr');
  const all = e.names('mjOBJ_JOINT', count).map((name, i) => {
    const isHinge = type[i] === e.value.mjJNT_HINGE, reach = isHinge ? Math.PI : 1;
    return { name: name || `joint ${i}`, at: at[i], isSingle: isHinge || type[i] === e.value.mjJNT_SLIDE, unit: isHinge ? 'rad' : 'm',
      range: limited[i] ? [range[2 * i], range[2 * i + 1]] : [-reach, reach] };
  });
  return all.filter(joint => joint.isSingle);
}

function actuators(e, count) {
  const limited = e.array('model', 'actuator_ctrllimited'), range = e.array('model', 'actuator_ctrlrange');
  return e.names('mjOBJ_ACTUATOR', count).map((name, i) => ({
    name: name || `actuator ${i}`, range: limited[i] ? [range[2 * i], range[2 * i + 1]] : [-1, 1],
  }));
}

function sensors(e, count) {
  const at = e.array('model', 'sensor_adr'), dim = e.array('model', 'sensor_dim');
  return e.names('mjOBJ_SENSOR', count).map((name, i) => ({ name: name || `sensor ${i}`, at: at[i], dim: dim[i] }));
}

export function describe(e) {
  const sizes = ['nq', 'nv', 'na', 'nu', 'nbody', 'ngeom', 'njnt', 'nkey', 'ncam', 'nlight', 'nmesh', 'ntex', 'nmat', 'nhfield', 'nsensor', 'nskin', 'nflex'];
  const n = Object.fromEntries(sizes.map(name => [name, e.size(name)]));
  return {
    n, layout: { geom: e.struct.mjvGeom, light: e.struct.mjvLight, camera: e.struct.mjvGLCamera },
    value: e.value, geomTypes: e.enumeration.mjtGeom, flag: e.flag,
    arrays: Object.entries(e.struct.data.field).filter(([, f]) => f[1] === 'mjtNum').map(([name, f]) => [name, f[3], f[4]]),
    timestep: e.field('option', e.at('mjModel') + e.part.option, 'timestep')[0],
    extent: e.field('statistic', e.at('mjModel') + e.part.statistic, 'extent')[0],
    look: settings(e), textures: textures(e, n.ntex), hfields: hfields(e, n.nhfield), meshes: meshes(e, n.nmesh), materials: materials(e, n),
    actuators: actuators(e, n.nu), joints: joints(e, n.njnt), sensors: sensors(e, n.nsensor),
    bodies: e.names('mjOBJ_BODY', n.nbody), keys: e.names('mjOBJ_KEY', n.nkey), cameras: e.names('mjOBJ_CAMERA', n.ncam),
  };
}
