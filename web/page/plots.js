// Plots of anything by name: sensors, energy, contacts, and every array of numbers of mjData.
const POINTS = 400;

export class Plots {
  constructor(page) {
    this.page = page;
    this.list = [];
  }

  // names that can be plotted: sensors first
  names(model) {
    const { sensors, n } = model, all = new Map();
    for (const { name, at, dim } of sensors) for (let k = 0; k < dim; k++) all.set(dim > 1 ? `${name}[${k}]` : name, { array: 'sensordata', index: at + k });
    all.set('energy (potential)', { array: 'energy', index: 0 });
    all.set('energy (kinetic)', { array: 'energy', index: 1 });
    all.set('contacts', { array: 'ncon', index: 0 });
    all.set('constraint rows', { array: 'nefc', index: 0 });
    for (const joint of model.joints) all.set(`joint ${joint.name}`, { array: 'qpos', index: joint.at });
    if (n.nu) model.actuators.forEach(({ name }, index) => all.set(`force of ${name}`, { array: 'actuator_force', index }));
    return all;
  }

  take(model, box) {
    this.all = this.names(model);
    this.arrays = new Set(model.arrays.map(([name]) => name));
    this.list = this.list.filter(plot => this.all.has(plot.name));
    this.box = box;
    const input = Object.assign(document.createElement('input'), { type: 'text', placeholder: 'sensor, energy, qvel[2], …', ariaLabel: 'Add a plot' });
    const options = Object.assign(document.createElement('datalist'), { id: 'plot-names' });
    for (const name of [...this.all.keys(), ...model.arrays.map(([array]) => `${array}[0]`)]) options.append(Object.assign(document.createElement('option'), { value: name }));
    input.setAttribute('list', options.id);
    input.onchange = () => {
      this.add(input.value.trim());
      input.value = '';
    };
    box.append(input, options);
    this.list.forEach(plot => this.show(plot));
    this.watch();
  }

  add(name) {
    const parts = /^(\w+)\[(\d+)\]$/.exec(name);
    const source = this.all.get(name) ?? (parts && this.arrays.has(parts[1]) ? { array: parts[1], index: +parts[2] } : null);
    if (!source || this.list.some(plot => plot.name === name)) return false;
    const plot = { name, ...source, points: [] };
    this.all.set(name, source);
    this.list.push(plot);
    this.show(plot);
    this.watch();
    this.box.open = true;
    return true;
  }

  show(plot) {
    const box = Object.assign(document.createElement('div'), { className: 'plot' }), head = document.createElement('div');
    plot.canvas = Object.assign(document.createElement('canvas'), { width: 420, height: 120 });
    plot.canvas.setAttribute('role', 'img');
    plot.value = document.createElement('output');
    const close = Object.assign(document.createElement('button'), { textContent: '×', ariaLabel: `Remove the plot of ${plot.name}` });
    close.onclick = () => {
      box.remove();
      this.list = this.list.filter(other => other !== plot);
      this.watch();
    };
    head.append(plot.name, plot.value, close);
    box.append(head, plot.canvas);
    this.box.append(box);
  }

  watch() {
    this.page.tell('watch', { list: this.list.map(({ array, index }) => ({ array, index })) });
  }

  frame({ time, watched }) {
    if (watched.length !== this.list.length) return;
    this.list.forEach((plot, k) => {
      const { points } = plot, last = points.at(-1);
      if (last && time < last[0]) points.length = 0;
      if (last && time === last[0]) return;
      points.push([time, watched[k]]);
      if (points.length > POINTS) points.shift();
      plot.value.textContent = watched[k].toPrecision(4);
      plot.canvas.setAttribute('aria-label', `${plot.name}: ${watched[k].toPrecision(4)}`);
      this.draw(plot);
    });
  }

  draw({ canvas, points }) {
    const g = canvas.getContext('2d'), { width, height } = canvas, values = points.map(point => point[1]).filter(Number.isFinite);
    const low = Math.min(...values), high = Math.max(...values), t0 = points[0][0], t1 = points.at(-1)[0];
    const x = t => width * (t1 > t0 ? (t - t0) / (t1 - t0) : 1), y = v => 6 + (height - 12) * (high > low ? (high - v) / (high - low) : 0.5);
    const style = getComputedStyle(document.documentElement);
    g.clearRect(0, 0, width, height);
    g.strokeStyle = style.getPropertyValue('--accent') && getComputedStyle(canvas).color;
    g.fillStyle = getComputedStyle(canvas).color;
    g.lineWidth = 2;
    g.beginPath();
    points.forEach(([t, v]) => g.lineTo(x(t), y(v)));
    g.stroke();
    g.font = '18px sans-serif';
    if (values.length) g.fillText(`${low.toPrecision(3)} … ${high.toPrecision(3)}`, 4, height - 4);
  }
}
