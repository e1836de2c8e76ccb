// The page in Chromium, from a file: what a user does, and what comes of it.
//
//   node page.mjs BROWSER FOLDER PROGRAM [SHOTS]
//
// FOLDER has cortenforge.html and cortenforge.wasm; PROGRAM is `cortenforge`, which finds the page; pictures are written
// to SHOTS.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { Engine } from '../../web/page/engine.js';

const [, , executablePath, given, program, shots] = process.argv, folder = path.resolve(given);
const require = createRequire(path.resolve('build/web/npm') + '/');
const puppeteer = require('puppeteer-core'), { zipSync, strToU8 } = require('fflate');
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'cortenforge-page-'));
const PATIENCE = 120000;

let checks = 0;
const failures = [];
function check(what, isTrue, detail = '') {
  checks++;
  if (isTrue) return;
  failures.push(what);
  console.log(`failed: ${what} ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`);
}

const flags = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-dev-shm-usage'];
const browser = await puppeteer.launch({ executablePath, headless: true, protocolTimeout: 300000, args: flags, defaultViewport: shots ? { width: 1200, height: 720 } : { width: 720, height: 420 } });
const page = await browser.newPage();
page.on('pageerror', error => check('no error in the page', false, error.stack?.slice(0, 600)));
page.setDefaultTimeout(PATIENCE);

const frames = async count => {
  const now = await page.evaluate(() => cortenforge.frames);
  await page.waitForFunction(n => cortenforge.frames >= n, {}, now + count);
};
async function visit(url) {
  await page.goto('about:blank');
  await page.goto(url);
  await page.waitForFunction(() => window.cortenforge?.loaded && cortenforge.frames > 2);
}
// call the page's function and wait for the model that it loads
async function loaded(action, ...args) {
  await page.evaluate(() => { cortenforge.loaded = null; });
  await page.evaluate(action, ...args);
  await page.waitForFunction(() => cortenforge.loaded);
  return page.evaluate(() => cortenforge.loaded);
}
const openText = text => loaded(t => cortenforge.openText(t), text);
// replace a part of the text as typing does
const edit = (from, to) => loaded((a, b) => {
  const { view } = cortenforge.editor, at = view.state.doc.toString().indexOf(a);
  view.dispatch({ changes: { from: at, to: at + a.length, insert: b } });
}, from, to);
const problems = () => page.evaluate(() => document.getElementById('problems').textContent);
const values = array => page.evaluate(a => cortenforge.ask('values', { array: a }, 'values').then(m => m.values), array);
const tell = (type, rest = {}) => page.evaluate((t, r) => cortenforge.tell(t, r), type, rest);
const shot = async name => { if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`) }); };

const ball = `<mujoco>
  <option gravity="0 0 0" timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="2 2 0.1" pos="0 0 -1" rgba="0.8 0.8 0.8 1"/>
    <body name="ball"><freejoint/><geom name="shell" size="0.3" rgba="0.9 0.4 0.2 1"/></body>
    <body name="arm" pos="1 0 0"><joint name="hinge" axis="0 1 0" range="-90 90" limited="true"/><geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0"/></body>
  </worldbody>
  <actuator><motor name="turn" joint="hinge" ctrllimited="true" ctrlrange="-2 2"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
</mujoco>`;

async function testStart() {
  await visit(`file://${folder}/cortenforge.html`);
  const schema = await page.evaluate(() => cortenforge.editor.docs.size);
  check('the page starts from a file', await page.evaluate(() => cortenforge.loaded.ok));
  check('the schema of the engine is in the editor', schema > 500, schema);
  await shot('start');
}

// the same steps in node
async function testBits() {
  const text = fs.readFileSync('models/humanoid.xml', 'utf8');
  await openText(text);
  await page.evaluate(() => cortenforge.setRunning(false));
  await frames(2);
  await tell('reset', { key: 0 });
  await tell('step', { count: 300 });
  const inPage = await page.evaluate(() => cortenforge.ask('hash', {}, 'hash').then(m => m.hash));
  const engine = await Engine.start(fs.readFileSync(`${folder}/cortenforge.wasm`));
  engine.put('model.xml', text);
  engine.load('model.xml');
  engine.call.cfw_reset(0);
  engine.call.cfw_step(300);
  check('300 steps have the same bits in Chromium and in node', inPage === engine.hash, [inPage, engine.hash]);
}

async function testEditing() {
  await openText(ball);
  await page.evaluate(() => cortenforge.setRunning(true));
  await page.waitForFunction(() => cortenforge.frame.time > 0.2);
  const before = await page.evaluate(() => cortenforge.frame.time);
  const kept = await edit('rgba="0.9 0.4 0.2 1"', 'rgba="0.2 0.4 0.9 1"');
  await frames(2);
  const after = await page.evaluate(() => cortenforge.frame.time);
  check('an edit keeps the state', kept.ok && kept.kind === 'kept' && after >= before, [kept, before, after]);
  const bad = await edit('timestep=', 'timestop=');
  const text = await problems();
  check('an error names attribute and place', !bad.ok && /timestop/.test(text) && /model\.xml:2:\d+/.test(text), text);
  await shot('error');
  await page.click('#problems button');
  const line = await page.evaluate(() => {
    const { state } = cortenforge.editor.view, { head } = state.selection.main;
    return [state.doc.lineAt(head).number, state.sliceDoc(head, head + 8), document.activeElement.className];
  });
  check('a click on the place goes there', line[0] === 2 && line[1] === '<option ' && /cm-content/.test(line[2]), line);
  const { time } = await page.evaluate(() => cortenforge.frame);
  await page.waitForFunction(t => cortenforge.frame.time > t, {}, time);
  check('the last good model runs on', true);
  check('the error ends with its cause', (await edit('timestop=', 'timestep=')).ok && !/timestop/.test(await problems()));
  check('other variables begin anew', (await edit('<body name="arm"', '<body name="more"><freejoint/><geom size="0.1" pos="0 0 2"/></body>\n    <body name="arm"')).kind === 'new');
}

// where a body is in the picture, from the upper left corner of the page
async function onPage(body) {
  const pos = (await values('xpos')).slice(3 * body, 3 * body + 3), box = await (await page.$('#view')).boundingBox();
  const at = await page.evaluate(p => cortenforge.draw.project(p), pos);
  return [box.x + at[0], box.y + at[1]];
}

async function testPointer() {
  await openText(ball);
  await page.evaluate(() => cortenforge.setRunning(true));
  await frames(3);
  const [x, y] = await onPage(1);
  await page.evaluate(() => { cortenforge.picked = null; });
  await page.mouse.click(x, y, { count: 2 });
  await page.waitForFunction(() => cortenforge.picked);
  check('a double click selects', (await page.evaluate(() => cortenforge.picked.name)) === 'ball', await page.evaluate(() => cortenforge.picked));
  const before = (await values('qpos')).slice(0, 3);
  await page.keyboard.down('Control');
  await page.mouse.move(x, y);
  await page.mouse.down({ button: 'right' });
  for (let k = 1; k <= 8; k++) {
    await page.mouse.move(x, y - 12 * k);
    await frames(1);
  }
  await frames(10);
  await shot('pull');
  await page.mouse.up({ button: 'right' });
  await page.keyboard.up('Control');
  const pulled = (await values('qpos')).slice(0, 3);
  check('pulling upwards moves the body upwards', pulled[2] - before[2] > 0.02, [before, pulled]);
  await frames(2);
  check('a body that was let go has no force', (await values('xfrc_applied')).every(f => f === 0));
  const azimuth = await page.evaluate(() => cortenforge.camera.azimuth);
  await page.mouse.move(x, y + 150);
  await page.mouse.down();
  await page.mouse.move(x + 100, y + 150);
  await page.mouse.up();
  check('a drag turns the camera', (await page.evaluate(() => cortenforge.camera.azimuth)) < azimuth - 5);
  const speed = (await values('qvel'))[0];
  await tell('push', { body: 1, velocity: [3, 0, 0] });
  check('a push changes the velocity by what was asked', Math.abs((await values('qvel'))[0] - speed - 3) < 0.05, await values('qvel'));
}

async function testControls() {
  await openText(ball);
  await page.evaluate(() => cortenforge.setRunning(false));
  await frames(2);
  await page.evaluate(() => {
    const slider = document.querySelector('#panel input[aria-label=turn]');
    slider.value = 1.5;
    slider.oninput();
  });
  check('a slider sets its control', Math.abs((await values('ctrl'))[0] - 1.5) < 0.02, await values('ctrl'));
  await page.evaluate(() => {
    const slider = document.querySelector('#panel input[aria-label=hinge]');
    slider.value = 0.7;
    slider.oninput();
  });
  check('a slider sets its joint', Math.abs((await values('qpos'))[7] - 0.7) < 0.02, await values('qpos'));
  await tell('reset', { key: -1 });
  for (let k = 0; k < 5; k++) await tell('step', { count: 10 });
  await frames(2);
  const end = await page.evaluate(() => [cortenforge.frame.time, cortenforge.frame.past]);
  await page.evaluate(() => {
    const past = document.getElementById('past');
    past.value = -3;
    past.oninput();
  });
  await frames(2);
  const back = await page.evaluate(() => cortenforge.frame.time);
  check('the time line goes back', Math.abs(end[0] - 0.1) < 1e-9 && end[1] === 6 && Math.abs(back - 0.04) < 1e-9, [end, back]);
  await page.evaluate(() => cortenforge.setRunning(true));
  check('a sensor can be plotted, an unknown name not', await page.evaluate(() => cortenforge.plots.add('angle') && cortenforge.plots.add('qvel[1]') && !cortenforge.plots.add('angles')));
  await frames(8);
  check('plots get points', await page.evaluate(() => cortenforge.plots.list.every(plot => plot.points.length > 2)));
  await shot('plots');
}

async function testKeyboard() {
  await page.evaluate(() => {
    cortenforge.setRunning(true);
    document.getElementById('view').focus();
  });
  await page.keyboard.press('Space');
  check('space pauses', await page.evaluate(() => !cortenforge.isRunning && document.getElementById('play').textContent === 'Run'));
  await frames(2);
  await page.keyboard.press('Backspace');
  await page.keyboard.press('ArrowRight');
  await frames(2);
  check('backspace resets and the right arrow makes a step', Math.abs(await page.evaluate(() => cortenforge.frame.time) - 0.002) < 1e-12);
  const azimuth = await page.evaluate(() => cortenforge.camera.azimuth);
  await page.keyboard.down('Shift');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.up('Shift');
  check('shift and arrows turn the camera', (await page.evaluate(() => cortenforge.camera.azimuth)) !== azimuth);
  const visited = new Set();
  await page.evaluate(() => document.body.focus());
  for (let k = 0; k < 60; k++) {
    await page.keyboard.press('Tab');
    visited.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className.split(' ')[0]));
  }
  const wanted = ['models', 'open', 'share', 'save', 'theme', 'view', 'play', 'one', 'reset', 'speed', 'past', 'shot', 'film', 'split'];
  check('the Tab key reaches every control', wanted.every(id => visited.has(id)), wanted.filter(id => !visited.has(id)));
  const tree = await page.accessibility.snapshot(), nameless = [];
  const walk = node => {
    if (['button', 'slider', 'combobox', 'textbox', 'checkbox'].includes(node.role) && !node.name) nameless.push(node.role);
    node.children?.forEach(walk);
  };
  walk(tree);
  check('every control has a name for screen readers', !nameless.length, nameless);
}

async function testFiles() {
  const included = strToU8('<mujoco><worldbody><geom name="inner" size="0.2"/></worldbody></mujoco>');
  const scene = strToU8('<mujoco><include file="parts/inner.xml"/><worldbody><light pos="0 0 3"/></worldbody></mujoco>');
  const archive = Buffer.from(zipSync({ 'robot/scene.xml': scene, 'robot/parts/inner.xml': included })).toString('base64');
  const zip = await loaded(data => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(data), c => c.charCodeAt(0))], 'robot.zip'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, archive);
  check('a dropped archive opens its scene', zip.ok && zip.name === 'robot/scene.xml', zip);
  check('files of a model can be chosen', await page.evaluate(() => !document.getElementById('file').hidden && document.getElementById('file').options.length === 2));
  await page.evaluate(() => {
    const file = document.getElementById('file');
    file.value = 'robot/parts/inner.xml';
    file.onchange();
  });
  const bad = await edit('size="0.2"', 'size="-0.2"');
  check('errors in included files are found', !bad.ok && (await problems()).length > 10, await problems());
  check('a file that is no model is refused in words', await page.evaluate(() => {
    cortenforge.open([['readme.txt', new Uint8Array(3)]]);
    return /no model/.test(document.getElementById('problems').textContent);
  }));
  const huge = await openText('<mujoco><worldbody><replicate count="2000000000" offset="0 0 1"><geom size="1"/></replicate></worldbody></mujoco>');
  check('a model without bounds ends in a message', !huge.ok && huge.text.length > 10, huge);
  check('and the page lives on', (await openText(ball)).ok);
}

async function testSaving() {
  const text = ball.replace('name="ball"', 'name="saved"');
  await openText(text);
  await page.evaluate(() => { cortenforge.camera.azimuth = 12.5; });
  const saved = path.join(temporary, 'simulation.html');
  fs.writeFileSync(saved, await page.evaluate(() => cortenforge.savedPage()));
  const link = await page.evaluate(() => cortenforge.link());
  for (const [what, url] of [['saved page', `file://${saved}`], ['link', link]]) {
    await visit(url);
    check(`a ${what} has its model`, await page.evaluate(t => cortenforge.editor.text === t && cortenforge.loaded.ok, text));
    if (what === 'saved page') {
      check('and its camera', (await page.evaluate(() => cortenforge.camera.azimuth)) === 12.5);
      const again = await page.evaluate(() => cortenforge.savedPage());
      check('saving it once more gives the same page', again === fs.readFileSync(saved, 'utf8'), [again.length, fs.statSync(saved).size]);
    }
  }
}

// a recording of inputs, made in node
async function testRecording() {
  const engine = await Engine.start(fs.readFileSync(`${folder}/cortenforge.wasm`)), steps = 60;
  engine.put('model.xml', ball);
  engine.load('model.xml');
  const state = engine.state, ctrl = new Float64Array(steps);
  for (let k = 0; k < steps; k++) {
    ctrl[k] = Math.sin(k / 5);
    engine.array('data', 'ctrl')[0] = ctrl[k];
    engine.call.cfw_step(1);
  }
  const base64 = numbers => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('base64');
  const recording = { steps, stride: 4, state: base64(state), ctrl: base64(ctrl), hash: engine.hash };
  const html = fs.readFileSync(`${folder}/cortenforge.html`, 'utf8');
  for (const [hash, isSame] of [[engine.hash, true], ['0123456789abcdef', false]]) {
    const model = JSON.stringify({ name: 'model.xml', files: { 'model.xml': Buffer.from(ball).toString('base64') }, recording: { ...recording, hash } });
    const file = path.join(temporary, `recording-${isSame}.html`);
    fs.writeFileSync(file, html.replace('<main id="app">', () => `<script type="application/json" id="cortenforge-model">${model}</script><main id="app">`));
    await visit(`file://${file}`);
    await page.waitForFunction(() => cortenforge.replayed);
    const badge = await page.evaluate(() => document.getElementById('badge').textContent);
    check(`a recording with ${isSame ? 'its' : 'another'} hash says so`, /same bits/.test(badge) === isSame, badge);
  }
  await shot('recording');
}

// `cortenforge view --web`: included files, assets in folders of their own, and the embedded model
async function testCommand() {
  const env = { ...process.env };
  delete env.DISPLAY;
  delete env.WAYLAND_DISPLAY;
  for (const model of ['models/frames/include.xml', 'models/assets/mesh_files.xml', 'models/robots/mesh_quadruped.xml', undefined]) {
    const file = path.join(temporary, 'view.html');
    execFileSync(program, ['view', '--web', file, ...(model ? [model] : [])], { env });
    await visit(`file://${file}`);
    check(`view --web ${model ?? ''} shows the model`, await page.evaluate(name => cortenforge.loaded.ok && cortenforge.name.endsWith(name), path.basename(model ?? 'humanoid.xml')), await problems());
  }
}

// `cortenforge run --html`: the page comes to the bits of the native run
async function testRun() {
  for (const options of [['--ctrl', 'wave', '--time', '1'], ['models/stack.xml', '--key', 'throw', '--time', '0.5'], ['models/car.xml', '--ctrl', 'noise', '--time', '0.7']]) {
    const file = path.join(temporary, 'run.html');
    const summary = JSON.parse(execFileSync(program, ['run', ...options, '--html', file, '--hash', '--json', '--quiet'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    await visit(`file://${file}`);
    await page.waitForFunction(() => cortenforge.replayed);
    const { hash, isSame } = await page.evaluate(() => cortenforge.replayed);
    check(`run ${options.join(' ')} has the same bits in the page`, isSame && hash === summary.state_hash, [hash, summary.state_hash]);
  }
  await shot('run');
}

// numbers of colors in the picture, and of draws
const look = () => page.evaluate(() => {
  cortenforge.draw.render(cortenforge.camera);
  const view = document.getElementById('view'), small = Object.assign(document.createElement('canvas'), { width: 96, height: 64 });
  small.getContext('2d').drawImage(view, 0, 0, 96, 64);
  const { data } = small.getContext('2d').getImageData(0, 0, 96, 64), colors = new Set();
  for (let k = 0; k < data.length; k += 4) colors.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
  return { colors: colors.size, calls: cortenforge.draw.calls };
});

async function testGallery() {
  await page.setViewport(shots ? { width: 1200, height: 720 } : { width: 240, height: 160 });
  await visit(`file://${folder}/cortenforge.html?embed`);
  const names = await page.evaluate(() => [...document.querySelectorAll('#models option')].map(o => o.value).filter(Boolean));
  check('the gallery has our models', names.length > 150, names.length);
  const drawn = new Set(['humanoid', 'soft/flag', 'soft/rope', 'visual/everything', 'assets/materials', 'assets/mesh_builtin', 'composites/skinned_cable', 'terrain', 'tendons/wrap_sphere', 'sensors/rangefinders']);
  check('the models to be drawn are in the gallery', [...drawn].every(name => names.includes(name)), [...drawn].filter(name => !names.includes(name)));
  for (const name of names) {
    const result = await loaded(n => {
      const models = document.getElementById('models');
      models.value = n;
      models.onchange();
    }, name);
    check(`${name} loads`, result.ok, result.text);
    if (!drawn.has(name)) continue;
    await frames(2);
    const { colors, calls } = await look();
    check(`${name} is drawn`, colors > 60 && calls >= 1 && calls < 120, { colors, calls });
    await shot(name.replace('/', '_'));
  }
}

const tests = { testStart, testBits, testEditing, testPointer, testControls, testKeyboard, testFiles, testSaving, testRecording, testCommand, testRun, testGallery };
const only = process.env.CF_ONLY;
for (const [name, test] of Object.entries(tests)) {
  if (only && name !== only && name !== 'testStart') continue;
  const begin = Date.now();
  try {
    await test();
  } catch (error) {
    check(name, false, error.stack);
  }
  if (process.env.CF_TIMES) console.log(`${name} ${Date.now() - begin} ms`);
}
await browser.close();
fs.rmSync(temporary, { recursive: true });
console.log(`page: ${checks} checks in Chromium, ${failures.length} failed`);
process.exit(failures.length ? 1 : 0);
