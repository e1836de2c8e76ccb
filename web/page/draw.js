// Drawing of an mjvScene by three.js: one instanced mesh per shape, texture and kind of transparency, a shadow map of the
// first lamp that throws shadows, one mirror, sky and haze. Geoms arrive as the bytes of mjvGeom; where their members are,
// and what their numbers mean, comes with the model.
import * as THREE from 'three';
import { MAX_LIGHT, fragment, skyFragment, skyVertex, vertex } from './shaders.js';
import { hazeRing, heightField, join, meshGeometry, shapes } from './shapes.js';
import { makeTexture } from './textures.js';

// numbers per instance: three rows of the pose, color, material, size, repetition of the texture
const ROW = 0, COLOR = 12, MATERIAL = 16, SIZE = 20, REPEAT = 24, STRIDE = 26;
const SHADOW_SIZE = 2048;
const NOTHING_BELOW = new THREE.Vector4(0, 0, 0, 1);

const vector = (view, at) => [0, 4, 8].map(k => view.getFloat32(at + k, true));

export class Draw {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true, powerPreference: 'high-performance' });
    THREE.ColorManagement.enabled = false;
    this.gl.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.gl.setClearColor(0x000000, 1);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.01, 100);
    this.camera.matrixAutoUpdate = this.camera.matrixWorldAutoUpdate = false;
    this.groups = new Map();
    this.labels = [];
    this.options = { shadows: true, reflection: true, studio: true };
    this.makeUniforms();
    this.makeSky();
  }

  makeUniforms() {
    const v3 = () => new THREE.Vector3();
    const light = () => ({ pos: v3(), dir: v3(), ambient: v3(), diffuse: v3(), specular: v3(), attenuation: v3(), spot: new THREE.Vector2(), directional: 0 });
    const depth = new THREE.DepthTexture(SHADOW_SIZE, SHADOW_SIZE, THREE.FloatType);
    this.shadow = new THREE.WebGLRenderTarget(SHADOW_SIZE, SHADOW_SIZE, { depthTexture: depth });
    this.mirror = new THREE.WebGLRenderTarget(4, 4, { samples: 4 });
    this.shared = {
      lights: { value: Array.from({ length: MAX_LIGHT }, light) }, nlight: { value: 0 }, caster: { value: -1 },
      eye: { value: v3() }, sky: { value: v3() }, ground: { value: v3() }, fogColor: { value: v3() }, fogRange: { value: new THREE.Vector2() },
      below: { value: NOTHING_BELOW.clone() }, casting: { value: false }, hasShadow: { value: false }, shadowMap: { value: null },
      shadowTexel: { value: 1 / SHADOW_SIZE }, shadowMatrix: { value: new THREE.Matrix4() }, hasMirror: { value: false }, mirror: { value: null },
    };
  }

  makeSky() {
    const uniforms = {
      cube: { value: null }, hasCube: { value: false }, top: { value: new THREE.Vector3() }, bottom: { value: new THREE.Vector3() },
      inverseView: { value: new THREE.Matrix4() },
    };
    const material = new THREE.ShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: skyVertex, fragmentShader: skyFragment, depthWrite: false, uniforms });
    this.sky = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.sky.frustumCulled = false;
    this.sky.renderOrder = -1;
    const haze = new THREE.MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, side: THREE.DoubleSide });
    this.haze = new THREE.Mesh(new THREE.BufferGeometry(), haze);
    this.haze.frustumCulled = false;
    this.haze.renderOrder = 1.5;
    this.scene.add(this.sky, this.haze);
  }

  // ---- a model: its meshes, textures and materials

  take(model) {
    for (const g of this.groups.values()) {
      if (!g.mesh) continue;
      this.scene.remove(g.mesh);
      g.mesh.geometry.dispose();
      g.mesh.material.dispose();
    }
    this.groups.clear();
    this.looks = {};
    this.textures?.forEach(texture => texture.dispose());
    this.model = model;
    this.geometries = new Map();
    const { value } = model;
    this.typeName = [];
    for (const name of Object.keys(model.geomTypes)) this.typeName[value[name]] = name;
    this.isFlatTexture = texture => texture.type === value.mjTEXTURE_2D;
    const anisotropy = this.gl.capabilities.getMaxAnisotropy();
    this.textures = model.textures.map(t => makeTexture(t, this.isFlatTexture(t), anisotropy));
    this.stride = model.layout.geom.size / 4;
    this.at = Object.fromEntries(Object.entries(model.layout.geom.field).map(([name, f]) => [name, f[0] / 4]));
    this.takeSky();
  }

  // the sky of the model, or a gradient where it has none
  takeSky() {
    const { model } = this, u = this.sky.material.uniforms;
    const sky = model.textures.findIndex(t => t.type === model.value.mjTEXTURE_SKYBOX);
    u.hasCube.value = sky >= 0;
    u.cube.value = sky >= 0 ? this.textures[sky] : null;
    this.isStudio = model.n.nlight === 0;
    this.haze.geometry.dispose();
    this.haze.geometry = hazeRing(model.look.hazeShare, model.look.haze.slice(0, 3));
    this.shared.fogColor.value.fromArray(model.look.fog);
    this.background();
  }

  background() {
    const u = this.sky.material.uniforms, { studio } = this.options;
    u.top.value.fromArray(studio ? [0.58, 0.68, 0.8] : [0, 0, 0]);
    u.bottom.value.fromArray(studio ? [0.93, 0.93, 0.92] : [0, 0, 0]);
  }

  geometry(name, type, dataid) {
    const isMesh = name === 'mjGEOM_MESH' || name === 'mjGEOM_SDF', isField = name === 'mjGEOM_HFIELD';
    const key = isMesh || isField ? `${name}:${dataid}` : name;
    if (!this.geometries.has(key)) {
      // meshes are numbered in twos, the hull after the mesh
      const made = isMesh ? this.meshOrHull(dataid) : isField ? heightField(this.model.hfields[dataid]) : shapes[name]?.();
      this.geometries.set(key, made);
    }
    return this.geometries.get(key);
  }

  meshOrHull(dataid) {
    const mesh = this.model.meshes[dataid >> 1];
    return mesh && meshGeometry((dataid & 1) && mesh.hull ? mesh.hull : mesh);
  }

  // ---- groups of geoms that are drawn together

  group(type, dataid, matid, texcoord, isTransparent) {
    const name = this.typeName[type], { materials } = this.model;
    const hasData = name === 'mjGEOM_MESH' || name === 'mjGEOM_SDF' || name === 'mjGEOM_HFIELD';
    const texture = matid >= 0 ? materials.texture[matid] : -1;
    const key = `${type},${hasData ? dataid : 0},${texture},${texcoord},${isTransparent}`;
    let g = this.groups.get(key);
    if (g) return g;
    const base = name && this.geometry(name, type, dataid);
    if (!base) g = { isEmpty: true };
    else {
      const isLine = name === 'mjGEOM_LINE' || name === 'mjGEOM_LINEBOX';
      const mapping = texture < 0 ? 0 : texcoord ? 2 : this.isFlatTexture(this.model.textures[texture]) ? 1 : 3;
      const twoSided = name === 'mjGEOM_PLANE' || name === 'mjGEOM_HFIELD' || name === 'mjGEOM_TRIANGLE';
      const material = this.material({ texture, mapping, isTransparent, twoSided, isLine });
      const mesh = isLine ? new THREE.LineSegments(new THREE.BufferGeometry(), material) : new THREE.Mesh(new THREE.BufferGeometry(), material);
      g = { name, room: 0, count: 0, base, mesh, mapping, hasData, casts: !isTransparent && !isLine && name !== 'mjGEOM_PLANE' };
      mesh.frustumCulled = false;
      mesh.renderOrder = isTransparent ? 2 : 1;
      this.scene.add(mesh);
      this.reserve(g, 4);
    }
    this.groups.set(key, g);
    return g;
  }

  material({ texture, mapping, isTransparent, twoSided, isLine }) {
    return new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3, vertexShader: vertex, fragmentShader: fragment, transparent: isTransparent, depthWrite: !isTransparent,
      side: twoSided ? THREE.DoubleSide : THREE.FrontSide,
      uniforms: {
        ...this.shared, mapping: { value: mapping }, isLine: { value: !!isLine },
        map: { value: mapping === 1 || mapping === 2 ? this.textures[texture] : null }, cube: { value: mapping === 3 ? this.textures[texture] : null },
      },
    });
  }

  reserve(g, room) {
    const before = g.data, geometry = new THREE.InstancedBufferGeometry();
    g.room = room;
    g.data = new Float32Array(STRIDE * room);
    if (before) g.data.set(before.subarray(0, STRIDE * g.count));
    for (const name of ['position', 'normal', 'uv', 'cap']) geometry.setAttribute(name, g.base.attributes[name]);
    g.buffer = new THREE.InstancedInterleavedBuffer(g.data, STRIDE);
    g.buffer.setUsage(THREE.DynamicDrawUsage);
    const names = { iRow0: ROW, iRow1: ROW + 4, iRow2: ROW + 8, iColor: COLOR, iMaterial: MATERIAL, iSize: SIZE };
    for (const [name, at] of Object.entries(names)) geometry.setAttribute(name, new THREE.InterleavedBufferAttribute(g.buffer, 4, at));
    geometry.setAttribute('iRepeat', new THREE.InterleavedBufferAttribute(g.buffer, 2, REPEAT));
    g.mesh.geometry.dispose();
    g.mesh.geometry = geometry;
  }

  // ---- a frame of the worker

  update(frame) {
    const geoms = { ints: new Int32Array(frame.buffer), reals: new Float32Array(frame.buffer), bytes: new Uint8Array(frame.buffer) };
    const { value } = this.model;
    for (const g of this.groups.values()) g.count = 0;
    this.labels = [];
    this.plane = null;
    this.isGroundInfinite = false;
    for (let k = 0; k < frame.count; k++) {
      const s = k * this.stride, type = geoms.ints[s + this.at.type];
      if (geoms.bytes[4 * (s + this.at.label)]) this.keepLabel(geoms, s);
      if (type === value.mjGEOM_FLEX || type === value.mjGEOM_SKIN) this.keepLook(geoms, s);
      else if (type !== value.mjGEOM_LABEL && type !== value.mjGEOM_NONE) this.place(geoms, s);
    }
    frame.edges.forEach(edges => this.placeEdges(edges));
    for (const g of this.groups.values()) {
      if (g.isSoft) g.mesh.visible = false;
      else if (!g.isEmpty) {
        g.mesh.geometry.instanceCount = g.count;
        g.mesh.visible = g.count > 0;
        g.buffer.clearUpdateRanges();
        g.buffer.addUpdateRange(0, STRIDE * g.count);
        g.buffer.needsUpdate = true;
      }
    }
    frame.soft.forEach(one => this.placeSoft(one));
    this.lamps(frame);
    this.keepCamera(frame);
    this.flags = frame.flags;
  }

  keepLabel({ bytes, reals }, s) {
    const from = 4 * (s + this.at.label), end = bytes.indexOf(0, from);
    this.labels.push({ text: new TextDecoder().decode(bytes.subarray(from, end)), pos: Array.from(reals.subarray(s + this.at.pos, s + this.at.pos + 3)) });
  }

  // color and material of a soft thing, whose corners come apart
  keepLook({ ints, reals }, s) {
    const { at, model } = this, matid = ints[s + at.matid];
    const kind = ints[s + at.type] === model.value.mjGEOM_FLEX ? 'flex' : 'skin';
    this.looks[kind + ints[s + at.objid]] = {
      rgba: Array.from(reals.slice(s + at.rgba, s + at.rgba + 4)), radius: reals[s + at.size],
      material: [reals[s + at.emission], reals[s + at.specular], reals[s + at.shininess], 0],
      texture: matid >= 0 && ints[s + at.texcoord] ? model.materials.texture[matid] : -1,
    };
  }

  next(g) {
    if (g.count === g.room) this.reserve(g, 2 * g.room);
    return STRIDE * g.count++;
  }

  // one geom as an instance of its group
  place({ ints, reals }, s) {
    const { at } = this, { materials, look, extent } = this.model, alpha = reals[s + at.rgba + 3], matid = ints[s + at.matid];
    if (alpha <= 0) return;
    const g = this.group(ints[s + at.type], ints[s + at.dataid], matid, ints[s + at.texcoord], alpha < 1);
    if (g.isEmpty) return;
    const o = this.next(g), d = g.data, isUniform = matid >= 0 && materials.uniform[matid];
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) d[o + 4 * r + c] = reals[s + at.mat + 3 * r + c];
      d[o + 4 * r + 3] = reals[s + at.pos + r];
      d[o + SIZE + r] = g.hasData ? 1 : reals[s + at.size + r];
    }
    for (let c = 0; c < 4; c++) d[o + COLOR + c] = reals[s + at.rgba + c];
    ['emission', 'specular', 'shininess'].forEach((name, k) => { d[o + MATERIAL + k] = reals[s + at[name]]; });
    d[o + MATERIAL + 3] = 0;
    d[o + SIZE + 3] = isUniform ? 1 : 0;
    for (let c = 0; c < 2; c++) {
      const size = reals[s + at.size + c];
      d[o + REPEAT + c] = g.mapping === 1 ? materials.repeat[2 * matid + c] / (size > 0 && !isUniform ? size : 1) : 1;
    }
    if (g.name === 'mjGEOM_PLANE') {
      // a plane without a size reaches as far as the camera sees
      for (let c = 0; c < 2; c++) if (!(reals[s + at.size + c] > 0)) d[o + SIZE + c] = 2.1 * look.zfar * extent;
      d[o + SIZE + 2] = 1;
      this.isGroundInfinite ||= reals[s + at.size] <= 0;
    }
    if (g.name === 'mjGEOM_LINEBOX' || g.name === 'mjGEOM_LINE') d[o + SIZE + 3] = 0;
    this.keepMirror(g, reals, s, o, alpha);
  }

  // the first plane or box that reflects is the mirror: its surface in the direction of its z axis
  keepMirror(g, reals, s, o, alpha) {
    const { at } = this, reflectance = reals[s + at.reflectance], isBox = g.name === 'mjGEOM_BOX';
    if (this.plane || !(reflectance > 0) || alpha < 1 || !(isBox || g.name === 'mjGEOM_PLANE')) return;
    const normal = new THREE.Vector3(reals[s + at.mat + 2], reals[s + at.mat + 5], reals[s + at.mat + 8]);
    const point = new THREE.Vector3().fromArray(reals, s + at.pos).addScaledVector(normal, isBox ? reals[s + at.size + 2] : 0);
    this.plane = { normal, offset: normal.dot(point), data: g.data, group: g, at: o + MATERIAL + 3, reflectance };
  }

  // tubes and balls of a flex that is shown by its edges or vertices
  placeEdges({ id, segments, points }) {
    const look = this.looks['flex' + id], { value } = this.model;
    if (!look || !(look.radius > 0)) return;
    const put = (type, x, y, z, from, half) => {
      const g = this.group(type, -1, -1, 0, look.rgba[3] < 1), o = this.next(g), d = g.data;
      [0, 1, 2].forEach(r => {
        d.set([x.getComponent(r), y.getComponent(r), z.getComponent(r), from.getComponent(r)], o + 4 * r);
      });
      d.set([...look.rgba, ...look.material, look.radius, look.radius, half, 0, 1, 1], o + COLOR);
    };
    const [X, Y, Z] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(v => new THREE.Vector3(...v));
    for (let k = 0; k < segments.length; k += 6) {
      const a = new THREE.Vector3().fromArray(segments, k), b = new THREE.Vector3().fromArray(segments, k + 3);
      const z = b.clone().sub(a), half = z.length() / 2;
      z.normalize();
      const x = new THREE.Vector3().crossVectors(Math.abs(z.z) < 0.9 ? Z : X, z).normalize();
      put(value.mjGEOM_CAPSULE, x, new THREE.Vector3().crossVectors(z, x), z, a.add(b).multiplyScalar(0.5), half);
    }
    for (let k = 0; k < points.length; k += 3) put(value.mjGEOM_SPHERE, X, Y, Z, new THREE.Vector3().fromArray(points, k), look.radius);
  }

  // flexes and skins: corners that change with every frame
  placeSoft(one) {
    const key = one.kind + one.id, look = this.looks[key];
    if (!look || !one.position.length) return;
    let g = this.groups.get(key);
    if (!g) {
      const isTransparent = look.rgba[3] < 1;
      const material = this.material({ texture: look.texture, mapping: look.texture >= 0 && one.uv ? 2 : 0, isTransparent, twoSided: true });
      g = { isSoft: true, casts: !isTransparent, mesh: new THREE.Mesh(new THREE.BufferGeometry(), material) };
      g.mesh.frustumCulled = false;
      g.mesh.renderOrder = isTransparent ? 2 : 1;
      this.groups.set(key, g);
      this.scene.add(g.mesh);
    }
    const { attributes } = g.mesh.geometry;
    if (attributes.position?.array.length !== one.position.length) this.makeSoft(g, one, look);
    else {
      for (const name of ['position', 'normal', 'uv']) {
        if (!one[name]) continue;
        attributes[name].array.set(one[name]);
        attributes[name].needsUpdate = true;
      }
    }
    g.mesh.geometry.attributes.iColor.array.set(look.rgba);
    g.mesh.geometry.attributes.iColor.needsUpdate = true;
    g.mesh.visible = true;
  }

  makeSoft(g, one, look) {
    const n = one.position.length / 3, geometry = new THREE.InstancedBufferGeometry();
    const put = (name, array, size) => geometry.setAttribute(name, new THREE.BufferAttribute(array, size));
    put('position', one.position, 3);
    put('normal', one.normal, 3);
    put('uv', one.uv ?? new Float32Array(2 * n), 2);
    put('cap', new Float32Array(n), 1);
    const values = { iRow0: [1, 0, 0, 0], iRow1: [0, 1, 0, 0], iRow2: [0, 0, 1, 0], iColor: look.rgba, iMaterial: look.material, iSize: [1, 1, 1, 0], iRepeat: [1, 1] };
    for (const [name, list] of Object.entries(values)) {
      geometry.setAttribute(name, new THREE.InstancedBufferAttribute(new Float32Array(list), list.length));
    }
    geometry.instanceCount = 1;
    g.mesh.geometry.dispose();
    g.mesh.geometry = geometry;
  }

  // ---- light

  lamps(frame) {
    const { size, field: f } = this.model.layout.light, n = Math.min(frame.nlight, MAX_LIGHT), { value } = this.model, s = this.shared;
    const isStudio = this.isStudio && this.options.studio;
    s.nlight.value = n;
    s.caster.value = -1;
    for (let k = 0; k < n; k++) {
      const v = new DataView(frame.lights, k * size), l = s.lights.value[k];
      for (const name of ['pos', 'dir', 'ambient', 'diffuse', 'specular', 'attenuation']) l[name].fromArray(vector(v, f[name][0]));
      const type = v.getInt32(f.type[0], true), isSpot = type === value.mjLIGHT_SPOT, cutoff = v.getFloat32(f.cutoff[0], true);
      l.directional = type === value.mjLIGHT_DIRECTIONAL ? 1 : 0;
      l.spot.set(isSpot && cutoff < 180 ? Math.cos(cutoff * Math.PI / 180) : -2, isSpot ? v.getFloat32(f.exponent[0], true) : 0);
      if (!v.getUint8(f.headlight[0]) && v.getUint8(f.castshadow[0]) && s.caster.value < 0) s.caster.value = k;
    }
    s.sky.value.setScalar(0);
    s.ground.value.setScalar(0);
    this.background();
    if (isStudio) this.studio(n);
  }

  // for models without lights: a key light that throws shadows, a fill light from the other side, light from the sky and
  // from the ground; the headlight that models have by default is dimmed
  studio(n) {
    const s = this.shared, all = s.lights.value;
    for (let k = 0; k < n; k++) for (const name of ['ambient', 'diffuse', 'specular']) all[k][name].multiplyScalar(0.35);
    [[[-0.45, 0.5, -1], 0.62, 0.4], [[0.8, -0.4, -0.35], 0.16, 0]].forEach(([dir, diffuse, specular], k) => {
      const l = all[Math.min(n + k, MAX_LIGHT - 1)];
      l.directional = 1;
      l.dir.fromArray(dir).normalize();
      l.ambient.setScalar(0);
      l.diffuse.setScalar(diffuse);
      l.specular.setScalar(specular);
    });
    s.sky.value.set(0.28, 0.29, 0.31);
    s.ground.value.set(0.14, 0.135, 0.13);
    s.caster.value = Math.min(n, MAX_LIGHT - 1);
    s.nlight.value = Math.min(n + 2, MAX_LIGHT);
  }

  castShadows() {
    const s = this.shared, k = s.caster.value;
    s.hasShadow.value = false;
    if (k < 0 || !this.options.shadows || !this.flags.shadow) return;
    const l = s.lights.value[k], reach = 1.2 * this.model.extent, dir = l.dir.clone().normalize();
    const from = l.directional ? new THREE.Vector3(...this.lookat).addScaledVector(dir, -3 * reach) : l.pos;
    const up = Math.abs(dir.z) > 0.99 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
    const pose = new THREE.Matrix4().lookAt(from, from.clone().add(dir), up).setPosition(from), projection = new THREE.Matrix4();
    if (l.directional) projection.makeOrthographic(-reach, reach, reach, -reach, 0, 8 * reach);
    else {
      const half = 0.1 * Math.tan(Math.min(80 * Math.PI / 180, Math.acos(Math.max(-1, l.spot.x))));
      projection.makePerspective(-half, half, half, -half, 0.1, 20 * reach);
    }
    s.shadowMatrix.value.multiplyMatrices(projection, pose.invert());
    s.casting.value = true;
    s.shadowMap.value = s.mirror.value = null;
    this.renderOnly(g => g.casts, this.shadow, new THREE.Camera());
    s.casting.value = false;
    s.hasShadow.value = true;
    s.shadowMap.value = this.shadow.depthTexture;
  }

  // draw into a target what a condition holds for, without sky and haze
  renderOnly(condition, target, camera) {
    const hidden = [];
    const hide = mesh => {
      if (mesh.visible) hidden.push(mesh);
      mesh.visible = false;
    };
    for (const g of this.groups.values()) if (g.mesh && !condition(g)) hide(g.mesh);
    hide(this.haze);
    if (target === this.shadow) hide(this.sky);
    this.gl.setRenderTarget(target);
    this.gl.clear();
    this.gl.render(this.scene, camera);
    this.gl.setRenderTarget(null);
    hidden.forEach(mesh => { mesh.visible = true; });
  }

  // the scene as the mirror shows it, in a picture of its own
  reflect() {
    const s = this.shared, { plane } = this;
    s.hasMirror.value = false;
    if (!plane || !this.options.reflection || !this.flags.reflection || plane.normal.dot(s.eye.value) < plane.offset) return;
    const { x, y, z } = plane.normal, w = plane.offset;
    const turn = new THREE.Matrix4().set(
      1 - 2 * x * x, -2 * x * y, -2 * x * z, 2 * w * x, -2 * x * y, 1 - 2 * y * y, -2 * y * z, 2 * w * y,
      -2 * x * z, -2 * y * z, 1 - 2 * z * z, 2 * w * z, 0, 0, 0, 1);
    const camera = this.camera.clone(), eye = s.eye.value.clone();
    camera.matrixWorld.premultiply(turn);
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
    camera.matrixAutoUpdate = camera.matrixWorldAutoUpdate = false;
    s.eye.value.applyMatrix4(turn);
    s.below.value.set(x, y, z, -w - 1e-4 * this.model.extent);
    s.mirror.value = null;
    const { width, height } = this.canvas, skyView = this.sky.material.uniforms.inverseView.value, before = skyView.clone();
    if (this.mirror.width !== width || this.mirror.height !== height) this.mirror.setSize(width, height);
    skyView.copy(camera.matrixWorld);
    // mirrored triangles turn the other way; the pose of the mesh is not read by the shader
    for (const g of this.groups.values()) g.mesh?.scale.setX(-1);
    this.renderOnly(g => g !== plane.group || g.count > 1, this.mirror, camera);
    for (const g of this.groups.values()) g.mesh?.scale.setX(1);
    skyView.copy(before);
    s.eye.value.copy(eye);
    s.below.value.copy(NOTHING_BELOW);
    s.hasMirror.value = true;
    s.mirror.value = this.mirror.texture;
    plane.group.data[plane.at] = plane.reflectance;
    plane.group.buffer.needsUpdate = true;
  }

  // ---- camera

  // cameras of the model come with the frame
  keepCamera(frame) {
    const f = this.model.layout.camera.field, v = new DataView(frame.camera);
    const number = name => v.getFloat32(f[name][0], true);
    this.given = {
      pos: vector(v, f.pos[0]), forward: vector(v, f.forward[0]), up: vector(v, f.up[0]),
      near: number('frustum_near'), far: number('frustum_far'), top: number('frustum_top'), bottom: number('frustum_bottom'),
      center: number('frustum_center'),
    };
  }

  aim(view) {
    const cam = this.camera, { look, extent, value } = this.model, isGiven = view.type !== value.mjCAMERA_FREE;
    let { pos, forward, up } = this.given;
    if (!isGiven) {
      const a = view.azimuth * Math.PI / 180, e = view.elevation * Math.PI / 180;
      forward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
      up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
      pos = view.lookat.map((x, k) => x - view.distance * forward[k]);
    }
    const F = new THREE.Vector3(...forward), U = new THREE.Vector3(...up), R = new THREE.Vector3().crossVectors(F, U);
    cam.matrixWorld.makeBasis(R, U, F.clone().negate()).setPosition(...pos);
    cam.matrixWorldInverse.copy(cam.matrixWorld).invert();
    cam.matrix.copy(cam.matrixWorld);
    const near = look.znear * extent, far = 2.2 * look.zfar * extent, aspect = this.canvas.width / this.canvas.height;
    const { given } = this, slope = view.type === value.mjCAMERA_FIXED ? given.top / given.near : Math.tan(look.fovy * Math.PI / 360);
    cam.fov = 2 * Math.atan(slope) * 180 / Math.PI;
    cam.aspect = aspect;
    cam.near = near;
    cam.far = far;
    cam.updateProjectionMatrix();
    this.shared.eye.value.set(...pos);
    this.sky.material.uniforms.inverseView.value.copy(cam.matrixWorld);
    const wide = 0.7 * look.zfar * extent, hasSky = this.sky.material.uniforms.hasCube.value;
    this.haze.visible = this.isGroundInfinite && pos[2] > 0 && hasSky && this.flags.haze;
    this.haze.position.set(pos[0], pos[1], 0);
    this.haze.scale.set(wide, wide, pos[2]);
    this.lookat = isGiven ? pos.map((x, k) => x + forward[k] * extent) : view.lookat;
    this.shared.fogRange.value.set(look.fogstart * extent, this.flags.fog ? look.fogend * extent : 0);
    this.sky.visible = this.flags.skybox || !hasSky;
  }

  // place of a point in the picture, from the upper left corner in pixels of the page; NULL behind the camera
  project(pos) {
    const p = new THREE.Vector4(...pos, 1).applyMatrix4(this.camera.matrixWorldInverse).applyMatrix4(this.camera.projectionMatrix);
    return p.w > 0 ? [(0.5 + 0.5 * p.x / p.w) * this.canvas.clientWidth, (0.5 - 0.5 * p.y / p.w) * this.canvas.clientHeight] : null;
  }

  render(view) {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight, ratio = Math.min(devicePixelRatio, 2);
    if (!w || !h) return;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.gl.setPixelRatio(ratio);
      this.gl.setSize(w, h, false);
    }
    this.aim(view);
    this.castShadows();
    this.reflect();
    this.gl.render(this.scene, this.camera);
    this.calls = this.gl.info.render.calls;
  }
}
