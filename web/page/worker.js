// The simulation, in a worker. The page asks for a frame, gets what is to be drawn and gives the buffer back.
import { describe } from './describe.js';
import { Engine } from './engine.js';

// milliseconds that steps may take per frame, seconds that the simulation may fall behind before it drops time
const BUDGET = 14, MOST_BEHIND = 0.25;

let e;
const clock = { isRunning: false, speed: 1, behind: 0, wall: 0, simulated: 0, ratio: 0, cost: 0 };
let scrubbed = 0, warned = 0, watched = [], recording = null;
const pool = [];

const say = (type, rest = {}, transfer = []) => postMessage({ type, ...rest }, transfer);

// ---- model

function load({ name, files, isFresh, keep }) {
  const begin = performance.now();
  let kind = '', text = '';
  try {
    if (isFresh) e.call.cfw_dropFiles();
    for (const [file, data] of files ?? []) e.put(file, data);
    kind = e.load(name, keep);
    text = e.message;
  } catch (error) {
    text = explain(error);
  }
  warned = e.call.cfw_warnings();
  if (kind) {
    scrubbed = 0;
    recording = null;
    say('model', { ...describe(e), camera: camera(), kind });
  }
  say('loaded', { ok: !!kind, kind, text, name, took: performance.now() - begin });
}

// errors of the machine, such as memory that is used up, in words
function explain(error) {
  return error instanceof RangeError || /memory/i.test(error.message)
    ? 'the model does not fit into the memory of the page' : `the engine failed: ${error.message}`;
}

function camera() {
  const at = e.at('mjvCamera'), get = name => Array.from(e.field('mjvCamera', at, name));
  const one = ['type', 'fixedcamid', 'trackbodyid', 'distance', 'azimuth', 'elevation'].map(name => [name, get(name)[0]]);
  return { ...Object.fromEntries(one), lookat: get('lookat') };
}

function setCamera(view) {
  const at = e.at('mjvCamera');
  for (const name of ['type', 'fixedcamid', 'trackbodyid', 'distance', 'azimuth', 'elevation']) e.field('mjvCamera', at, name)[0] = view[name];
  e.field('mjvCamera', at, 'lookat').set(view.lookat);
}

// ---- time

function steps(count) {
  if (!e.call.cfw_step(count)) {
    clock.isRunning = false;
    say('trouble', { text: `${e.message}\nthe simulation was reset` });
  }
}

// go on for as long as the page's clock says
function advance(dt) {
  const h = e.field('option', e.at('mjModel') + e.part.option, 'timestep')[0], begin = performance.now();
  clock.behind = Math.min(clock.behind + dt * clock.speed, MOST_BEHIND);
  let done = 0;
  while (clock.behind >= h && clock.isRunning) {
    const most = Math.max(1, Math.min(Math.floor(clock.behind / h), 8));
    steps(most);
    done += most;
    clock.behind -= most * h;
    if (performance.now() - begin > BUDGET) clock.behind = 0;
  }
  if (done) e.call.cfw_remember();
  clock.cost += ((performance.now() - begin) / Math.max(done, 1) - clock.cost) * 0.1;
  clock.wall += dt;
  clock.simulated += done * h;
  if (clock.wall > 0.5) {
    clock.ratio = clock.simulated / clock.wall;
    clock.wall = clock.simulated = 0;
  }
}

// a step leaves the part of the past that the time line was moved into
function leavePast() {
  if (scrubbed) e.call.cfw_rewind(scrubbed);
  scrubbed = 0;
}

// ---- frames

function flex(scene, i, transfer) {
  const first = e.pointed('mjvScene', scene, 'flexfaceadr', i + 1)[i], used = e.pointed('mjvScene', scene, 'flexfaceused', i + 1)[i];
  const cut = (name, width) => e.pointed('mjvScene', scene, name, width * (first + used)).slice(width * first);
  const one = { kind: 'flex', id: i, position: cut('flexface', 9), normal: cut('flexnormal', 9), uv: cut('flextexcoord', 6) };
  transfer.push(one.position.buffer, one.normal.buffer, one.uv.buffer);
  return one;
}

// edges and vertices of a flex, which are shown where its skin is not
function edges(scene, i, used, transfer) {
  const isShown = name => e.field('mjvScene', scene, name)[0], hasSkin = isShown('flexskinopt') && used;
  const at = name => e.pointed('mjvScene', scene, name, i + 1)[i];
  const v0 = 3 * at('flexvertadr'), nvert = at('flexvertnum'), e0 = 2 * at('flexedgeadr'), nedge = at('flexedgenum');
  const vert = e.pointed('mjvScene', scene, 'flexvert', v0 + 3 * nvert);
  const edge = e.pointed('mjvScene', scene, 'flexedge', e0 + 2 * nedge);
  const segments = new Float32Array(!hasSkin && isShown('flexedgeopt') ? 6 * nedge : 0);
  for (let k = 0; k < segments.length / 3; k++) for (let c = 0; c < 3; c++) segments[3 * k + c] = vert[v0 + 3 * edge[e0 + k] + c];
  const points = !hasSkin && isShown('flexvertopt') ? vert.slice(v0) : new Float32Array(0);
  transfer.push(segments.buffer, points.buffer);
  return { id: i, segments, points };
}

function skin(scene, i, transfer) {
  const faces = e.pointed('mjvScene', scene, 'skinfacenum', i + 1)[i], v0 = e.pointed('mjvScene', scene, 'skinvertadr', i + 1)[i];
  const count = e.pointed('mjvScene', scene, 'skinvertnum', i + 1)[i], m = name => e.array('model', name);
  const vert = e.pointed('mjvScene', scene, 'skinvert', 3 * (v0 + count)), normals = e.pointed('mjvScene', scene, 'skinnormal', 3 * (v0 + count));
  const face = m('skin_face'), f0 = 3 * m('skin_faceadr')[i], t0 = m('skin_texcoordadr')[i], texcoord = m('skin_texcoord');
  const one = { kind: 'skin', id: i, position: new Float32Array(9 * faces), normal: new Float32Array(9 * faces), uv: t0 >= 0 ? new Float32Array(6 * faces) : null };
  for (let k = 0; k < 3 * faces; k++) {
    const corner = face[f0 + k];
    for (let c = 0; c < 3; c++) {
      one.position[3 * k + c] = vert[3 * (v0 + corner) + c];
      one.normal[3 * k + c] = normals[3 * (v0 + corner) + c];
    }
    if (one.uv) for (let c = 0; c < 2; c++) one.uv[2 * k + c] = texcoord[2 * (t0 + corner) + c];
  }
  transfer.push(one.position.buffer, one.normal.buffer);
  if (one.uv) transfer.push(one.uv.buffer);
  return one;
}

function softThings(scene, transfer) {
  const count = name => e.field('mjvScene', scene, name)[0], soft = [], ropes = [];
  for (let i = 0; i < count('nflex'); i++) {
    soft.push(flex(scene, i, transfer));
    ropes.push(edges(scene, i, soft[i].position.length, transfer));
  }
  for (let i = 0; i < count('nskin'); i++) soft.push(skin(scene, i, transfer));
  return { soft, edges: ropes };
}

function copyGeoms(scene, count) {
  const { size } = e.struct.mjvGeom, bytes = count * size;
  let buffer = pool.pop();
  if (!buffer || buffer.byteLength < bytes) buffer = new ArrayBuffer(2 * Math.max(bytes, 64 * size));
  new Uint8Array(buffer).set(e.bytes(e.address('mjvScene', scene, 'geoms'), bytes));
  return buffer;
}

function frame() {
  if (!e.call.cfw_scene()) say('trouble', { text: e.message });
  const scene = e.at('mjvScene'), one = name => e.field('mjvScene', scene, name)[0], count = one('ngeom'), nlight = one('nlight');
  const part = (name, struct, items) => e.bytes(scene + e.struct.mjvScene.field[name][0], items * e.struct[struct].size).slice().buffer;
  const transfer = [], buffer = copyGeoms(scene, count), rendering = e.field('mjvScene', scene, 'flags'), v = e.value;
  const { soft, edges: ropes } = softThings(scene, transfer);
  const message = {
    buffer, count, nlight, lights: part('lights', 'mjvLight', nlight), camera: part('camera', 'mjvGLCamera', 1), soft, edges: ropes,
    flags: { shadow: rendering[v.mjRND_SHADOW], reflection: rendering[v.mjRND_REFLECTION], haze: rendering[v.mjRND_HAZE], fog: rendering[v.mjRND_FOG], skybox: rendering[v.mjRND_SKYBOX] },
    time: e.field('scalars', e.at('mjData'), 'time')[0], ncon: e.field('scalars', e.at('mjData'), 'ncon')[0], past: e.call.cfw_past(), scrubbed,
    ratio: clock.ratio, cost: clock.cost, isRunning: clock.isRunning, memory: e.memory.buffer.byteLength,
    ctrl: e.array('data', 'ctrl').slice(), qpos: e.array('data', 'qpos').slice(), watched: watched.map(measure),
  };
  say('frame', message, [buffer, message.lights, message.camera, ...transfer]);
  const warnings = e.call.cfw_warnings();
  if (warnings !== warned) say('trouble', { text: e.warning, isWarning: true });
  warned = warnings;
}

// a number of the data by the name and index of its array
function measure({ array, index }) {
  if (e.struct.data.field[array]) return e.array('data', array)[index] ?? NaN;
  return e.struct.scalars.field[array] ? Number(e.field('scalars', e.at('mjData'), array)[index] ?? NaN) : NaN;
}

// ---- recordings

const numbers = text => new Float64Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);

// simulate a recording again and compare the bits of its end; the inputs are rows of ctrl, one per step
function replay({ record }) {
  const ctrl = numbers(record.ctrl), nu = e.size('nu');
  e.state = numbers(record.state);
  for (let k = 0; k < record.steps; k++) {
    if (nu) e.array('data', 'ctrl').set(ctrl.subarray(nu * k, nu * (k + 1)));
    steps(1);
    if (k % record.stride === record.stride - 1 || k === record.steps - 1) e.call.cfw_remember();
  }
  recording = { hash: e.hash };
  const back = e.call.cfw_past() - 1;
  scrubbed = back;
  e.call.cfw_scrub(back);
  say('replayed', { hash: recording.hash, isSame: recording.hash === record.hash, back });
}

// ---- what the page may ask

const acts = {
  load,
  tick(m) {
    setCamera(m.camera);
    clock.speed = m.speed;
    if (m.isRunning) leavePast();
    clock.isRunning = m.isRunning;
    if (clock.isRunning) advance(m.dt);
    frame();
  },
  back({ buffer }) {
    if (pool.length < 3) pool.push(buffer);
  },
  step({ count }) {
    leavePast();
    steps(count);
    e.call.cfw_remember();
  },
  reset({ key }) {
    e.call.cfw_reset(key);
    clock.behind = scrubbed = 0;
  },
  scrub({ back }) {
    clock.isRunning = false;
    scrubbed = back;
    e.call.cfw_scrub(back);
  },
  control({ index, value }) {
    e.array('data', 'ctrl')[index] = value;
  },
  joint({ index, value }) {
    leavePast();
    e.array('data', 'qpos')[index] = value;
    e.call.cfw_forward();
  },
  pick(m) {
    setCamera(m.camera);
    e.call.cfw_scene();
    const body = e.call.cfw_pick(m.aspect, m.x, m.y);
    say('picked', { body, name: body >= 0 ? e.name('mjOBJ_BODY', body) : '' });
  },
  grip({ kind }) {
    e.call.cfw_grip(kind);
  },
  drag({ action, dx, dy }) {
    e.call.cfw_drag(e.value[action], dx, dy);
  },
  push({ body, velocity }) {
    leavePast();
    e.call.cfw_push(body, ...velocity);
    e.call.cfw_remember();
  },
  option({ struct, name, index, value }) {
    e.field(struct, e.at(struct), name)[index] = value;
  },
  watch({ list }) {
    watched = list;
  },
  hash() {
    say('hash', { hash: e.hash, time: e.field('scalars', e.at('mjData'), 'time')[0] });
  },
  values({ array }) {
    say('values', { values: Array.from(e.array('data', array)) });
  },
  schema() {
    say('schema', { schema: e.schema() });
  },
  replay,
};

onmessage = async ({ data }) => {
  if (data.type === 'start') {
    const begin = performance.now();
    try {
      e = await Engine.start(data.module, text => say('print', { text }));
      say('started', { took: performance.now() - begin, version: e.version });
    } catch (error) {
      say('trouble', { text: `the engine cannot be started: ${error.message}` });
    }
    return;
  }
  try {
    if (e) acts[data.type](data);
  } catch (error) {
    clock.isRunning = false;
    say('trouble', { text: explain(error) });
  }
};
