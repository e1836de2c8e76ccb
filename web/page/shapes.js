// Geometries of unit size, by the names of mjtGeom, and those of meshes and height fields.
import * as THREE from 'three';

function withCap(geometry, value) {
  const n = geometry.attributes.position.count;
  return geometry.setAttribute('cap', new THREE.BufferAttribute(new Float32Array(n).fill(value), 1));
}

// one geometry out of several, without indices and with all attributes that the shader reads
export function join(parts) {
  const flat = parts.map(part => (part.index ? part.toNonIndexed() : part)), out = new THREE.BufferGeometry();
  const total = flat.reduce((sum, part) => sum + part.attributes.position.count, 0);
  for (const [name, size] of [['position', 3], ['normal', 3], ['uv', 2], ['cap', 1]]) {
    const data = new Float32Array(total * size);
    let at = 0;
    for (const part of flat) {
      if (part.attributes[name]) data.set(part.attributes[name].array, at);
      at += part.attributes.position.count * size;
    }
    out.setAttribute(name, new THREE.BufferAttribute(data, size));
  }
  return out;
}

// cylinders of three.js lie along y, ours along z
const upright = geometry => geometry.rotateX(Math.PI / 2);
const tube = (open, top = 1, bottom = 1, height = 2) => upright(new THREE.CylinderGeometry(top, bottom, height, 32, 1, open));
const ball = () => join([upright(new THREE.SphereGeometry(1, 40, 24))]);
const halfBall = side => withCap(
  upright(new THREE.SphereGeometry(1, 32, 12, 0, 2 * Math.PI, side > 0 ? 0 : Math.PI / 2, Math.PI / 2)), side);

// shaft of two thirds and a head of one third, `head` times as thick; half a unit long, as MuJoCo draws it
const arrow = head => join([tube(false, 1, 1, 1 / 3).translate(0, 0, 1 / 6), tube(false, 0, head, 1 / 6).translate(0, 0, 5 / 12)]);

const points = list => join([new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(list), 3))]);

function triangle() {
  const geometry = points([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  geometry.attributes.normal.array.set([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  return geometry;
}

function boxEdges() {
  const list = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const [a, b] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {
      for (const end of [-1, 1]) {
        const p = [0, 0, 0];
        p[axis] = end;
        p[(axis + 1) % 3] = a;
        p[(axis + 2) % 3] = b;
        list.push(...p);
      }
    }
  }
  return points(list);
}

export const shapes = {
  mjGEOM_PLANE: () => join([new THREE.PlaneGeometry(2, 2)]),
  mjGEOM_SPHERE: ball,
  mjGEOM_ELLIPSOID: ball,
  mjGEOM_CAPSULE: () => join([withCap(tube(true), 0), halfBall(1), halfBall(-1)]),
  mjGEOM_CYLINDER: () => join([tube(false)]),
  mjGEOM_BOX: () => join([new THREE.BoxGeometry(2, 2, 2)]),
  mjGEOM_ARROW: () => arrow(1.75),
  mjGEOM_ARROW1: () => arrow(1),
  mjGEOM_ARROW2: () => join([tube(false, 1, 1, 2 / 3), tube(false, 0, 1.75, 1 / 6).translate(0, 0, 5 / 12),
    tube(false, 1.75, 0, 1 / 6).translate(0, 0, -5 / 12)]),
  mjGEOM_LINE: () => points([0, 0, 0, 0, 0, 1]),
  mjGEOM_LINEBOX: boxEdges,
  mjGEOM_TRIANGLE: triangle,
};

export function meshGeometry(mesh) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(mesh.position, 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(mesh.normal, 3));
  if (mesh.uv) geometry.setAttribute('uv', new THREE.BufferAttribute(mesh.uv, 2));
  return join([geometry]);
}

// surface, four sides and bottom; sizes are half widths in x and y, the height, and the thickness below
export function heightField({ rows, cols, size, data }) {
  const p = [], uv = [];
  const corner = (r, c, z) => {
    p.push((2 * c / (cols - 1) - 1) * size[0], (2 * r / (rows - 1) - 1) * size[1], z ?? data[r * cols + c] * size[2]);
    uv.push(c / (cols - 1), r / (rows - 1));
  };
  const quad = (a, b, c, d) => [a, b, c, a, c, d].forEach(([r, k, z]) => corner(r, k, z));
  for (let r = 0; r + 1 < rows; r++)
    for (let c = 0; c + 1 < cols; c++) quad([r, c], [r, c + 1], [r + 1, c + 1], [r + 1, c]);
  const bottom = -size[3], last = [rows - 1, cols - 1];
  for (let c = 0; c + 1 < cols; c++) {
    quad([0, c, bottom], [0, c + 1, bottom], [0, c + 1], [0, c]);
    quad([last[0], c + 1, bottom], [last[0], c, bottom], [last[0], c], [last[0], c + 1]);
  }
  for (let r = 0; r + 1 < rows; r++) {
    quad([r + 1, 0, bottom], [r, 0, bottom], [r, 0], [r + 1, 0]);
    quad([r, last[1], bottom], [r + 1, last[1], bottom], [r + 1, last[1]], [r, last[1]]);
  }
  quad([0, 0, bottom], [last[0], 0, bottom], [last[0], last[1], bottom], [0, last[1], bottom]);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(p), 3));
  geometry.setAttribute('uv', new THREE.BufferAttribute(new Float32Array(uv), 2));
  geometry.computeVertexNormals();
  return join([geometry]);
}

// a ring from where an infinite ground ends up to the horizon, most opaque in between
export function hazeRing(share, rgb) {
  const sides = 60, corner = Math.atan2(1, share), p = [], color = [], index = [];
  const height = Math.SQRT1_2 * share * Math.sin(corner) / Math.sin(0.75 * Math.PI - corner);
  [[0, 0], [height, 1], [1, 0]].forEach(([z, alpha], ring) => {
    for (let k = 0; k <= sides; k++) {
      const angle = 2 * Math.PI * k / sides, radius = 1 - share * (1 - z), q = ring * (sides + 1) + k;
      p.push(Math.cos(angle) * radius, Math.sin(angle) * radius, z);
      color.push(...rgb, alpha);
      if (ring && k) index.push(q - 1, q, q - sides - 1, q - 1, q - sides - 1, q - sides - 2);
    }
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(p, 3));
  geometry.setAttribute('color', new THREE.Float32BufferAttribute(color, 4));
  geometry.setIndex(index);
  return geometry;
}
