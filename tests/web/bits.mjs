// Bits: models and states of the WebAssembly module are those of a native build.
//
//   node bits.mjs MODULE GOLDEN NATIVE      run from the root of the project
//
// GOLDEN: tests/data/determinism/golden.txt; NATIVE: output of web_sweep for some files, with 100 steps.
import fs from 'node:fs';
import path from 'node:path';
import { Engine } from '../../web/page/engine.js';

const [, , moduleFile, goldenFile, nativeFile] = process.argv;
const STEPS = 100, GOLDEN_STEPS = 500;

// the scenes of tests/determinism/scenes.h, with solver and cone where they differ from the file
const scenes = {
  humanoid_cg_elliptic: ['humanoid', 'mjSOL_CG', 'mjCONE_ELLIPTIC'], stack_cg: ['stack', 'mjSOL_CG', 'mjCONE_PYRAMIDAL'],
  terrain_pgs: ['terrain', 'mjSOL_PGS', 'mjCONE_PYRAMIDAL'], grasp_pgs: ['grasp', 'mjSOL_PGS', 'mjCONE_ELLIPTIC'],
};

// a number in [0, 1) for actuator i in step k, as cf_noise
function noise(i, k) {
  let x = (Math.imul(2654435761, Math.floor(k / 10) + 1) + Math.imul(40503, i + 1)) >>> 0;
  x ^= x >>> 15;
  x = Math.imul(x, 2246822519) >>> 0;
  x ^= x >>> 13;
  return (x >>> 8) / 16777216;
}

// FNV-1a of 64 bits, in four parts of 16
function hashBytes(bytes) {
  let [a, b, c, d] = [0x2325, 0x8422, 0x9ce4, 0xcbf2];
  for (const byte of bytes) {
    a ^= byte;
    // times 2^40 + 0x1b3
    const p = a * 0x1b3, q = b * 0x1b3 + (p >>> 16), r = c * 0x1b3 + (q >>> 16) + ((a & 0xff) << 8);
    const s = d * 0x1b3 + (r >>> 16) + (a >>> 8) + ((b & 0xff) << 8);
    [a, b, c, d] = [p & 0xffff, q & 0xffff, r & 0xffff, s & 0xffff];
  }
  return [d, c, b, a].map(x => x.toString(16).padStart(4, '0')).join('');
}

const files = (folder, out = []) => {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) files(name, out);
    else if (fs.statSync(name).size < 8e6) out.push(name);
  }
  return out;
};

const engine = await Engine.start(fs.readFileSync(moduleFile));
for (const name of [...files('models'), ...files('tests/data')]) engine.put(name, fs.readFileSync(name));

// step from the first keyframe with reproducible controls; false where the engine ends a step with an error
function drive(steps) {
  engine.call.cfw_reset(engine.size('nkey') ? 0 : -1);
  const nu = engine.size('nu'), limited = engine.array('model', 'actuator_ctrllimited').slice();
  const range = engine.array('model', 'actuator_ctrlrange').slice();
  for (let k = 0; k < steps; k++) {
    if (nu && k % 10 === 0) {
      const ctrl = engine.array('data', 'ctrl');
      for (let i = 0; i < nu; i++) {
        const [low, high] = limited[i] ? [range[2 * i], range[2 * i + 1]] : [-1, 1];
        ctrl[i] = low + (high - low) * noise(i, k);
      }
    }
    if (!engine.call.cfw_step(1)) return false;
  }
  return true;
}

const differences = [];

function golden(line) {
  const [name, expected] = line.split(' '), [file, solver, cone] = scenes[name] ?? [name];
  if (!engine.load(`models/${file}.xml`)) {
    differences.push(`${name}: ${engine.message}`);
    return;
  }
  const option = engine.at('mjModel') + engine.part.option;
  if (solver) engine.field('option', option, 'solver')[0] = engine.value[solver];
  if (cone) engine.field('option', option, 'cone')[0] = engine.value[cone];
  drive(GOLDEN_STEPS);
  if (engine.hash !== expected) differences.push(`${name}: ${engine.hash} instead of ${expected}`);
}

function native(line) {
  const [name, model, state] = line.split(' ');
  if (!engine.load(name)) {
    if (model !== 'refused') differences.push(`${name}: refused, ${engine.message}`);
    return;
  }
  const bytes = hashBytes(engine.saveModel());
  if (bytes !== model) differences.push(`${name}: model ${bytes} instead of ${model}`);
  const hash = drive(STEPS) ? engine.hash : 'error';
  if (hash !== state) differences.push(`${name}: state ${hash} instead of ${state} ${engine.message}`);
}

const lines = file => fs.readFileSync(file, 'utf8').trim().split('\n').filter(line => !line.startsWith('libm '));
const scenesGiven = lines(goldenFile), modelsGiven = lines(nativeFile);
scenesGiven.forEach(golden);
modelsGiven.forEach(native);
differences.forEach(text => console.log(text));
console.log(`${scenesGiven.length} scenes and ${modelsGiven.length} models, ${differences.length} differences from the native build`);
process.exit(differences.length || !scenesGiven.length || modelsGiven.length < 200 ? 1 : 0);
