// The page: loading, frames, time line, and what may be saved or shared.
import { strFromU8, strToU8 } from 'fflate';
import workerText from 'inline:worker.js';
import { Draw } from './draw.js';
import { Editor } from './editor.js';
import { chosen, collect, download, dropped, fetchModel, fromLink, isText, pack, toLink, unpack, unpackModel } from './files.js';
import { Panel } from './panel.js';
import { listen } from './pointer.js';

// the page as it was delivered, for pages to be saved
const delivered = document.documentElement.outerHTML;
const $ = id => document.getElementById(id);
const label = (button, text) => { button.textContent = text; };

// ---- worker

const worker = new Worker(URL.createObjectURL(new Blob([workerText], { type: 'text/javascript' })));
const tell = (type, rest = {}, transfer = []) => worker.postMessage({ type, ...rest }, transfer);
const awaited = new Map();

// a message and the answer of that type
const ask = (type, rest, answer) => new Promise(done => {
  awaited.set(answer, done);
  tell(type, rest);
});

const page = { tell, ask, isRunning: true, speed: 1, camera: null, model: null, frames: 0, files: new Map(), name: 'model.xml', shown: 'model.xml' };
page.draw = new Draw($('view'));
const panel = new Panel($('panel'), page);
page.plots = panel.plots;
const editor = new Editor($('editor'), text => changed(text));
page.editor = editor;
window.cortenforge = page;

const answers = {
  frame: onFrame, model: onModel, loaded: onLoaded, schema: ({ schema }) => { editor.schema = schema; }, picked: picked => { page.picked = picked; },
  trouble: ({ text, isWarning }) => {
    page.trouble = text;
    report(text, !isWarning);
  },
  print: ({ text }) => console.log(text), replayed: onReplayed,
  started: started => {
    page.started = started;
    tell('schema');
    begin();
  },
};
worker.onmessage = ({ data }) => {
  answers[data.type]?.(data);
  awaited.get(data.type)?.(data);
  awaited.delete(data.type);
};
worker.onerror = event => report(`the engine stopped: ${event.message}; reload the page`, true);

// ---- models

// load files; keep: the state, the camera and the text in the editor stay
function load(files, keep = false) {
  page.keepsCamera = keep;
  tell('load', { name: page.name, files: [...files], isFresh: !keep, keep });
}

function open({ files, root }) {
  if (!root) {
    report('there is no model (.xml, .urdf, .mjb) among the files', true);
    return;
  }
  page.files = files;
  page.name = root;
  showFile(root);
  listFiles();
  load(files);
}
page.open = list => open(collect(list));
page.openText = (text, name = 'model.xml') => open({ files: new Map([[name, strToU8(text)]]), root: name });

function showFile(name) {
  page.shown = name;
  editor.text = isText(name) ? strFromU8(page.files.get(name)) : `<!-- ${name} is a binary model -->`;
  $('file').value = name;
}

function listFiles() {
  const names = [...page.files.keys()].filter(isText);
  $('file').hidden = names.length < 2;
  $('file').replaceChildren(...names.map(name => new Option(name)));
  $('file').value = page.shown;
}
$('file').onchange = () => showFile($('file').value);

function changed(text) {
  if (!isText(page.shown)) return;
  const bytes = strToU8(text);
  page.files.set(page.shown, bytes);
  load(new Map([[page.shown, bytes]]), true);
}

function onModel(model) {
  model.enumeration = { mjtLabel: pickEnumeration(model.value, 'mjLABEL_'), mjtFrame: pickEnumeration(model.value, 'mjFRAME_') };
  page.model = model;
  page.draw.take(model);
  if (!page.keepsCamera || !page.camera) page.camera = { ...model.camera };
  if (model.kind === 'new') page.picked = null;
  panel.take(model);
}

const pickEnumeration = (value, start) => Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith(start)));

function onLoaded(loaded) {
  page.loaded = loaded;
  waiting = !page.model;
  report(loaded.text, !loaded.ok);
  if (loaded.ok && page.wanted) {
    Object.assign(page.camera, page.wanted.camera);
    if (page.wanted.recording) replay(page.wanted.recording);
    page.wanted = null;
  }
}

// show a message; places in it, "(model.xml:3:14)", become buttons that go there
function report(text, isBad) {
  const box = $('problems'), pattern = /\(?([^()\s:]+\.\w+):(\d+):(\d+)\)?/g, here = [];
  box.className = isBad ? 'bad' : '';
  box.textContent = text ? '' : `compiled in ${page.loaded?.took.toFixed(1) ?? 0} ms`;
  let at = 0;
  for (let m = pattern.exec(text); m; m = pattern.exec(text)) {
    const [all, name, line, column] = m, file = [...page.files.keys()].find(f => f === name || f.endsWith(`/${name}`) || name.endsWith(`/${f}`));
    const button = Object.assign(document.createElement('button'), { textContent: all, title: 'Go to this place' });
    button.onclick = () => {
      if (file && file !== page.shown) showFile(file);
      editor.goTo(+line, +column);
    };
    box.append(text.slice(at, m.index), button);
    at = m.index + all.length;
    if (!file || file === page.shown) here.push({ line: +line, column: +column });
  }
  if (text) box.append(text.slice(at));
  editor.mark(here, isBad ? 'error' : 'warning', text);
}

// ---- frames

let waiting = true, last = performance.now(), fps = 0;

function onFrame(frame) {
  waiting = false;
  if (!page.draw.model) return;
  page.draw.update(frame);
  tell('back', { buffer: frame.buffer }, [frame.buffer]);
  page.frame = frame;
  page.frames++;
  $('clock').textContent = `${frame.time.toFixed(2)} s`;
  $('past').min = 1 - frame.past;
  if (document.activeElement !== $('past') || page.isRunning) $('past').value = -frame.scrubbed;
  if (page.isRunning && !frame.isRunning) setRunning(false);
  panel.frame(frame);
}

function writeInfo(took) {
  const f = page.frame;
  const lines = [`${fps.toFixed(0)} pictures/s   ${(100 * f.ratio).toFixed(0)} % of real time`, `step ${(1000 * f.cost).toFixed(0)} µs   picture ${took.toFixed(1)} ms   ${f.ncon} contacts`];
  if (page.picked?.body > 0) lines.push(`selected: ${page.picked.name || `body ${page.picked.body}`}`);
  $('info').textContent = lines.join('\n');
}

function writeLabels() {
  const box = $('labels');
  box.replaceChildren(...page.draw.labels.map(({ text, pos }) => {
    const at = page.draw.project(pos), span = Object.assign(document.createElement('span'), { textContent: text });
    if (at) Object.assign(span.style, { left: `${at[0]}px`, top: `${at[1]}px` });
    else span.hidden = true;
    return span;
  }));
}

function tick(now) {
  const dt = Math.min((now - last) / 1000, 0.25);
  last = now;
  fps += (1 / Math.max(dt, 1e-3) - fps) * 0.05;
  if (!waiting && page.model) {
    waiting = true;
    tell('tick', { dt, isRunning: page.isRunning, speed: page.speed, camera: page.camera });
  }
  if (page.model && page.draw.given) {
    const begin = performance.now();
    page.draw.render(page.camera);
    writeInfo(performance.now() - begin);
    if (page.draw.labels.length || $('labels').firstChild) writeLabels();
  }
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);

// ---- time

function setRunning(isRunning) {
  page.isRunning = isRunning;
  label($('play'), isRunning ? 'Pause' : 'Run');
  $('play').setAttribute('aria-pressed', isRunning);
}
page.setRunning = setRunning;

function scrub(back) {
  setRunning(false);
  tell('scrub', { back });
}
const step = () => {
  setRunning(false);
  tell('step', { count: 1 });
};
$('play').onclick = () => setRunning(!page.isRunning);
$('one').onclick = step;
$('reset').onclick = () => tell('reset', { key: -1 });
$('speed').onchange = () => { page.speed = +$('speed').value; };
$('past').oninput = () => scrub(-$('past').value);

const keys = {
  ' ': () => setRunning(!page.isRunning), Backspace: () => tell('reset', { key: -1 }), ArrowRight: step,
  ArrowLeft: () => scrub(Math.min((page.frame?.past ?? 1) - 1, (page.frame?.scrubbed ?? 0) + 1)),
};
addEventListener('keydown', event => {
  if (event.target.closest('#editor, input, select, button, summary, [role=separator]') || event.ctrlKey || event.metaKey || !keys[event.key]) return;
  keys[event.key]();
  event.preventDefault();
});
listen($('view'), page);

// ---- recordings

async function replay(record) {
  setRunning(false);
  $('badge').hidden = false;
  $('badge').className = '';
  label($('badge'), 'simulating the recording …');
  tell('replay', { record });
}

function onReplayed({ hash, isSame, back }) {
  page.replayed = { hash, isSame };
  $('badge').className = isSame ? 'good' : 'bad';
  label($('badge'), isSame ? `✓ same bits (${hash})` : `other bits than the recording (${hash})`);
  const show = () => {
    if (page.isRunning || back < 0) return;
    tell('scrub', { back: back-- });
    setTimeout(show, 33);
  };
  show();
}

// ---- pictures, films, links, saved pages

$('shot').onclick = () => {
  page.draw.render(page.camera);
  $('view').toBlob(blob => download(blob, 'picture.png'));
};

let film = null;
$('film').onclick = () => {
  $('film').setAttribute('aria-pressed', !film);
  if (film) {
    film.stop();
    film = null;
    return;
  }
  const parts = [], type = ['video/mp4;codecs=avc1.42E01E', 'video/webm;codecs=vp9', 'video/webm'].find(t => MediaRecorder.isTypeSupported(t));
  film = new MediaRecorder($('view').captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
  film.ondataavailable = event => parts.push(event.data);
  film.onstop = () => download(new Blob(parts, { type }), type.includes('mp4') ? 'film.mp4' : 'film.webm');
  film.start();
};

page.link = () => `${location.href.split('#')[0]}#xml=${toLink(strFromU8(page.files.get(page.name)))}`;
$('share').onclick = async () => {
  if (page.files.size > 1) {
    report('a link holds one file only; this model has more: use "Save page"', false);
    return;
  }
  const link = page.link();
  try {
    await navigator.clipboard.writeText(link);
    report('the link is in the clipboard', false);
  } catch {
    location.hash = link.split('#')[1];
    report('the link is in the address bar', false);
  }
};

// the page with its model inside, in place of one that it came with: right before the visible part
page.savedPage = () => {
  const text = pack({ name: page.name, files: page.files, camera: page.camera }), middle = delivered.indexOf('<main id="app">');
  const head = delivered.slice(0, middle).replace(/<script type="application\/json"[^]*$/, '');
  return `<!doctype html>\n${head}<script type="application/json" id="cortenforge-model">${text}</script>${delivered.slice(middle)}`;
};
$('save').onclick = () => download(page.savedPage(), 'simulation.html', 'text/html');

// ---- opening

$('open').onclick = () => $('chooser').click();
$('chooser').onchange = async () => page.open(await chosen($('chooser').files));
addEventListener('dragover', event => {
  event.preventDefault();
  $('drop').hidden = false;
});
addEventListener('dragleave', event => { if (!event.relatedTarget) $('drop').hidden = true; });
addEventListener('drop', async event => {
  event.preventDefault();
  $('drop').hidden = true;
  page.open(await dropped(event.dataTransfer));
});

const gallery = JSON.parse($('cortenforge-gallery') ? strFromU8(unpack($('cortenforge-gallery').textContent)) : '{}');
function fillGallery() {
  const groups = new Map();
  $('models').append(new Option('Gallery', ''));
  for (const name of Object.keys(gallery)) {
    const [group] = name.includes('/') ? name.split('/') : ['models'];
    if (!groups.has(group)) {
      groups.set(group, Object.assign(document.createElement('optgroup'), { label: group }));
      $('models').append(groups.get(group));
    }
    groups.get(group).append(new Option(name.split('/').pop().replace(/_/g, ' '), name));
  }
  $('models').onchange = () => {
    const name = $('models').value;
    if (name) page.openText(gallery[name], `${name.split('/').pop()}.xml`);
  };
}
fillGallery();

// ---- appearance

$('theme').onclick = () => {
  const isDark = (document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  document.documentElement.dataset.theme = isDark ? 'light' : 'dark';
};

const split = $('split'), setWidth = share => {
  const width = Math.max(10, Math.min(80, share));
  $('side').style.width = `${width}%`;
  split.setAttribute('aria-valuenow', Math.round(width));
};
split.onpointerdown = event => split.setPointerCapture(event.pointerId);
split.onpointermove = event => { if (split.hasPointerCapture(event.pointerId)) setWidth(100 * event.clientX / innerWidth); };
split.onkeydown = event => {
  const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
  if (step) setWidth(100 * $('side').offsetWidth / innerWidth + step);
};

// ---- beginning

async function moduleOfPage() {
  const inner = $('cortenforge-module');
  if (inner) return WebAssembly.compile(unpack(inner.textContent));
  return WebAssembly.compileStreaming(fetch('cortenforge.wasm'));
}

// what the page shows first: the address names a model or holds one, the page holds one, or a model of the gallery
function begin() {
  const inner = $('cortenforge-model'), hash = new URLSearchParams(location.hash.slice(1)), query = new URLSearchParams(location.search);
  for (const name of ['embed', 'plain']) if (query.has(name) || hash.has(name)) document.body.classList.add(name);
  const model = query.get('model') ?? hash.get('model');
  if (model) fetchModel(model).then(open, error => report(`${model} cannot be loaded: ${error.message}`, true));
  else if (hash.has('xml')) page.openText(fromLink(hash.get('xml')));
  else if (inner) {
    const { name, files, camera, recording } = unpackModel(inner.textContent);
    page.wanted = { camera, recording };
    open({ files, root: name });
  } else page.openText(gallery.humanoid ?? Object.values(gallery)[0], 'humanoid.xml');
}
moduleOfPage().then(module => tell('start', { module }), error => report(`the engine cannot be loaded: ${error.message}`, true));
