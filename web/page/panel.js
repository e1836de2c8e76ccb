// The settings beside the picture: what is shown, cameras, keyframes, controls, joints, plots.
import { Plots } from './plots.js';

const MOST_OPEN = 12;  // sliders up to which a section is open at first

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export class Panel {
  // page: tell(type, message), draw, and the state of the page
  constructor(box, page) {
    this.box = box;
    this.page = page;
    this.open = {};
    this.plots = new Plots(page);
  }

  section(title, isOpen) {
    const details = element('details', { open: this.open[title] ?? isOpen }, element('summary', { textContent: title }));
    details.ontoggle = () => { this.open[title] = details.open; };
    this.box.append(details);
    return details;
  }

  check(box, title, isOn, change, doc = '') {
    const input = element('input', { type: 'checkbox', checked: isOn });
    input.onchange = () => change(input.checked);
    box.append(element('label', { title: doc }, input, title));
  }

  slider(box, name, [low, high], value, change) {
    const input = element('input', { type: 'range', min: low, max: high, step: (high - low) / 400 || 0.01, value, ariaLabel: name });
    const output = element('output', { textContent: Number(value).toFixed(2) });
    input.oninput = () => {
      output.textContent = Number(input.value).toFixed(2);
      change(+input.value);
    };
    input.ondblclick = () => {
      input.value = Math.min(high, Math.max(low, 0));
      input.oninput();
    };
    box.append(element('label', { title: `${name}; double click returns it to 0` }, element('span', { textContent: name }), input, output));
    return { input, output };
  }

  // write the numbers of the simulation into sliders that the user does not hold
  follow(list, values) {
    list?.forEach(({ input, output, at }) => {
      if (document.activeElement === input && input.matches(':active')) return;
      input.value = values[at];
      output.textContent = values[at].toFixed(2);
    });
  }

  take(model) {
    this.box.textContent = '';
    this.model = model;
    this.controls = this.joints = null;
    this.show(model);
    this.groups();
    if (model.n.ncam) this.cameras(model);
    if (model.n.nkey) this.keys(model);
    if (model.n.nu) this.sliders(model);
    if (model.joints.length) this.joint(model);
    this.plots.take(model, this.section('Plots', false));
  }

  show({ flag, value }) {
    const { draw, tell } = this.page, shown = this.section('Show', false);
    this.visual ??= {};
    for (const { index, label, preset, doc } of flag.visual) {
      this.check(shown, label, this.visual[index] ?? !!preset, on => {
        this.visual[index] = on;
        tell('option', { struct: 'mjvOption', name: 'flags', index, value: on ? 1 : 0 });
      }, doc);
    }
    const rendering = this.section('Picture', false);
    this.check(rendering, 'Shadows', draw.options.shadows, on => { draw.options.shadows = on; });
    this.check(rendering, 'Mirrors', draw.options.reflection, on => { draw.options.reflection = on; });
    this.check(rendering, 'Studio', draw.options.studio, on => { draw.options.studio = on; }, 'light and background for models that bring none of their own');
    const fog = flag.rendering.find(f => f.index === value.mjRND_FOG);
    this.check(rendering, 'Fog', this.fog ?? !!fog.preset, on => {
      this.fog = on;
      tell('option', { struct: 'mjvScene', name: 'flags', index: value.mjRND_FOG, value: on ? 1 : 0 });
    });
    this.choice(rendering, 'Labels', 'label', 'mjtLabel');
    this.choice(rendering, 'Frames', 'frame', 'mjtFrame');
  }

  // labels and frames, by the names of their enumerations
  choice(box, title, name, enumeration) {
    const select = element('select', { ariaLabel: title }), { tell } = this.page;
    for (const [key, value] of Object.entries(this.model.enumeration[enumeration])) {
      if (!/^mjN/.test(key)) select.append(element('option', { value, textContent: key.replace(/^mj[A-Z]+_/, '').toLowerCase() }));
    }
    select.value = this[name] ?? 0;
    select.onchange = () => {
      this[name] = select.value;
      tell('option', { struct: 'mjvOption', name, index: 0, value: +select.value });
    };
    box.append(element('label', {}, element('span', { textContent: title }), select));
  }

  groups() {
    const box = this.section('Groups', false), { tell } = this.page;
    this.shownGroups ??= {};
    for (const [title, name] of [['Geoms', 'geomgroup'], ['Sites', 'sitegroup']]) {
      for (let k = 0; k < 6; k++) {
        this.check(box, `${title} ${k}`, this.shownGroups[name + k] ?? k < 3, on => {
          this.shownGroups[name + k] = on;
          tell('option', { struct: 'mjvOption', name, index: k, value: on ? 1 : 0 });
        });
      }
    }
  }

  cameras({ cameras, value }) {
    const box = this.section('Cameras', false), { page } = this;
    ['free', ...cameras].forEach((name, k) => {
      const button = element('button', { textContent: name || `camera ${k - 1}` });
      button.onclick = () => Object.assign(page.camera, { type: k ? value.mjCAMERA_FIXED : value.mjCAMERA_FREE, fixedcamid: k - 1 });
      box.append(button);
    });
  }

  keys({ keys }) {
    const box = this.section('Keyframes', true), { tell } = this.page;
    keys.forEach((name, key) => {
      const button = element('button', { textContent: name || `key ${key}` });
      button.onclick = () => tell('reset', { key });
      box.append(button);
    });
  }

  sliders({ actuators, n }) {
    const box = this.section('Controls', n.nu <= MOST_OPEN), { tell } = this.page;
    this.controls = actuators.map(({ name, range }, index) => ({ ...this.slider(box, name, range, 0, value => tell('control', { index, value })), at: index }));
  }

  joint({ joints }) {
    const box = this.section('Joints', false), { tell } = this.page;
    this.joints = joints.map(({ name, range, at }) => ({ ...this.slider(box, name, range, 0, value => tell('joint', { index: at, value })), at }));
  }

  frame(frame) {
    this.follow(this.controls, frame.ctrl);
    this.follow(this.joints, frame.qpos);
    this.plots.frame(frame);
  }
}
