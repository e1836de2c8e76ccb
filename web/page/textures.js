// Textures of a model for three.js.
import * as THREE from 'three';

function rgba(texture, from, count) {
  const { data, channels } = texture, out = new Uint8Array(4 * count);
  for (let k = 0; k < count; k++) {
    const at = (from + k) * channels;
    for (let c = 0; c < 3; c++) out[4 * k + c] = data[at + Math.min(c, channels - 1)];
    out[4 * k + 3] = channels === 4 ? data[at + 3] : 255;
  }
  return out;
}

// six faces, or the same one six times
function cubeTexture(texture) {
  const side = texture.width, faces = [];
  for (let k = 0; k < 6; k++) {
    const first = texture.height === texture.width ? 0 : k;
    const face = new THREE.DataTexture(rgba(texture, first * side * side, side * side), side, side);
    face.needsUpdate = true;
    faces.push(face);
  }
  return new THREE.CubeTexture(faces);
}

export function makeTexture(texture, isFlat, anisotropy) {
  let made;
  if (isFlat) {
    made = new THREE.DataTexture(rgba(texture, 0, texture.width * texture.height), texture.width, texture.height);
    made.wrapS = made.wrapT = THREE.RepeatWrapping;
  } else made = cubeTexture(texture);
  made.magFilter = THREE.LinearFilter;
  made.minFilter = THREE.LinearMipmapLinearFilter;
  made.generateMipmaps = true;
  made.anisotropy = anisotropy;
  made.needsUpdate = true;
  return made;
}
