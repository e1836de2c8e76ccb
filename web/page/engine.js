// The engine as a WebAssembly module: memory, files, and views of its arrays by name. Needs no DOM: runs in a page, in a
// worker and in node. Offsets, types and enumerations come from the module, which has them from its tables.
const decoder = new TextDecoder(), encoder = new TextEncoder();

// error numbers of WASI
const NO_FILE = 44, NO_DESCRIPTOR = 8, NO_FUNCTION = 52;

// what the C library asks of its host: a clock and two streams for messages; there is no file system
function host(memory, print) {
  const view = () => new DataView(memory().buffer);
  const line = ['', '', ''];
  return {
    clock_time_get(id, precision, at) {
      const now = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    fd_write(fd, parts, count, written) {
      const v = view();
      let total = 0;
      for (let k = 0; k < count; k++) {
        const at = v.getUint32(parts + 8 * k, true), length = v.getUint32(parts + 8 * k + 4, true);
        line[fd] += decoder.decode(new Uint8Array(memory().buffer, at, length));
        total += length;
      }
      const lines = line[fd].split('\n');
      line[fd] = lines.pop();
      lines.forEach(text => print(text));
      v.setUint32(written, total, true);
      return 0;
    },
    fd_fdstat_get(fd, at) {
      new Uint8Array(memory().buffer, at, 24).fill(0);
      view().setUint8(at, 2);
      return fd < 3 ? 0 : NO_DESCRIPTOR;
    },
    environ_get: () => 0,
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    sched_yield: () => 0,
    proc_exit(code) {
      throw new Error(`the engine ended with status ${code}`);
    },
  };
}

// every function that the module imports; those of files say that there are none
function imports(module, memory, print) {
  const known = host(memory, print), all = {};
  for (const { name } of WebAssembly.Module.imports(module)) {
    const missing = name.startsWith('path_') ? NO_FILE : name.startsWith('fd_') ? NO_DESCRIPTOR : NO_FUNCTION;
    all[name] = known[name] ?? (() => missing);
  }
  return { wasi_snapshot_preview1: all };
}

// views of memory by the C type of the elements; pointers are 32 bits wide
const views = {
  char: Uint8Array, mjtByte: Uint8Array, int: Int32Array, float: Float32Array, mjtNum: Float64Array, double: Float64Array,
  mjtSize: BigInt64Array, uint64_t: BigUint64Array, size_t: Uint32Array, uintptr_t: Uint32Array,
};

export class Engine {
  // source: bytes or a compiled module
  static async start(source, print = () => {}) {
    const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
    const engine = new Engine();
    const instance = await WebAssembly.instantiate(module, imports(module, () => engine.memory, print));
    engine.call = instance.exports;
    engine.memory = instance.exports.memory;
    engine.call._initialize();
    engine.call.cfw_start();
    const layout = JSON.parse(engine.take(engine.call.cfw_layout()));
    engine.struct = layout.struct;
    engine.flag = layout.flag;
    engine.part = layout.part;
    engine.enumeration = layout.enumeration;
    engine.value = Object.assign({}, ...Object.values(layout.enumeration));
    return engine;
  }

  // ---- memory

  bytes(at, count) {
    return new Uint8Array(this.memory.buffer, at, count);
  }

  text(at) {
    const all = new Uint8Array(this.memory.buffer);
    return decoder.decode(all.subarray(at, all.indexOf(0, at)));
  }

  // a text that the module allocated
  take(at) {
    const text = this.text(at);
    this.call.cfw_free(at);
    return text;
  }

  // call a function with the address of a copy of text or bytes
  with(data, use) {
    const bytes = typeof data === 'string' ? encoder.encode(data + '\0') : data;
    const at = this.call.cfw_malloc(bytes.length || 1);
    if (!at) throw new Error(`no memory for ${bytes.length} bytes`);
    this.bytes(at, bytes.length).set(bytes);
    try {
      return use(at);
    } finally {
      this.call.cfw_free(at);
    }
  }

  // ---- files, models and states

  put(name, data) {
    const bytes = typeof data === 'string' ? encoder.encode(data) : data;
    const failed = this.with(name, n => this.with(bytes, b => this.call.cfw_putFile(n, b, bytes.length)));
    if (failed) throw new Error(`no memory for the file ${name} of ${bytes.length} bytes`);
  }

  // 'new', 'kept' (the state of the model before goes on) or '' with a message
  load(name, keep = false) {
    return ['', 'new', 'kept'][this.with(name, n => this.call.cfw_load(n, keep ? 1 : 0))];
  }

  saveModel() {
    return this.with(new Uint8Array(4), count => {
      const at = this.call.cfw_saveModel(count), n = new Int32Array(this.memory.buffer, count, 1)[0];
      const copy = this.bytes(at, n).slice();
      this.call.cfw_free(at);
      return copy;
    });
  }

  get state() {
    const bytes = 8 * this.call.cfw_stateSize(), at = this.call.cfw_malloc(bytes);
    this.call.cfw_getState(at);
    const copy = new Float64Array(this.bytes(at, bytes).slice().buffer);
    this.call.cfw_free(at);
    return copy;
  }

  set state(numbers) {
    if (numbers.length !== this.call.cfw_stateSize()) throw new Error('a state of another model');
    this.with(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at => this.call.cfw_setState(at));
  }

  get message() {
    return this.text(this.call.cfw_message());
  }

  get warning() {
    return this.text(this.call.cfw_warning());
  }

  get hash() {
    return [1, 0].map(half => (this.call.cfw_hash(half) >>> 0).toString(16).padStart(8, '0')).join('');
  }

  get version() {
    return this.text(this.call.cfw_version());
  }

  schema() {
    return JSON.parse(this.take(this.call.cfw_schema()));
  }

  // ---- views by name; valid until memory grows

  // address of a struct of the simulation
  at(name) {
    return this.with(name, n => this.call.cfw_struct(n));
  }

  // one of the sizes of the model, such as 'nq'
  size(name) {
    return Number(this.field('sizes', this.at('mjModel'), name)[0]);
  }

  // an array of 'model' or 'data'
  array(owner, name) {
    const View = views[this.struct[owner].field[name][1]];
    return this.with(name, n => this.with(new Uint8Array(4), c => {
      const at = this.call.cfw_array(owner === 'data' ? 1 : 0, n, c);
      return at ? new View(this.memory.buffer, at, new Int32Array(this.memory.buffer, c, 1)[0]) : new View(0);
    }));
  }

  // values of a member that is stored in a struct itself
  field(struct, base, name) {
    const [offset, type, count] = this.struct[struct].field[name];
    return new views[type](this.memory.buffer, base + offset, Math.max(1, count));
  }

  // array that a member of a struct points to
  pointed(struct, base, name, count) {
    const [offset, type] = this.struct[struct].field[name];
    const at = new Uint32Array(this.memory.buffer, base + offset, 1)[0];
    return new views[type.replace('*', '')](this.memory.buffer, at, count);
  }

  // address that a member of a struct holds
  address(struct, base, name) {
    return new Uint32Array(this.memory.buffer, base + this.struct[struct].field[name][0], 1)[0];
  }

  name(type, id) {
    return this.text(this.call.cfw_name(this.value[type], id));
  }

  names(type, count) {
    return Array.from({ length: count }, (_, id) => this.name(type, id));
  }
}
