// Files of models: from drops, archives, links and addresses, and into links and saved pages.
import { gunzipSync, gzipSync, strFromU8, strToU8, unzipSync } from 'fflate';

export const isText = name => /\.(xml|urdf|mjcf|txt|csv)$/i.test(name);
const isModel = name => /\.(xml|urdf|mjb)$/i.test(name);

// ---- bytes as text

export function toBase64(bytes) {
  let text = '';
  for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
  return btoa(text);
}

export const fromBase64 = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
export const unpack = text => gunzipSync(fromBase64(text.trim()));

// text of a model in an address, and back
export const toLink = text => toBase64(gzipSync(strToU8(text), { level: 9 })).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
export const fromLink = code => strFromU8(gunzipSync(fromBase64(code.replace(/-/g, '+').replace(/_/g, '/'))));

// ---- drops

async function readEntry(entry, path) {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [[path + file.name, new Uint8Array(await file.arrayBuffer())]];
  }
  const reader = entry.createReader(), all = [];
  for (;;) {
    const part = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!part.length) break;
    all.push(...part);
  }
  return (await Promise.all(all.map(child => readEntry(child, `${path}${entry.name}/`)))).flat();
}

// files of a drop, folders included
export async function dropped(transfer) {
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length) return (await Promise.all(entries.map(entry => readEntry(entry, '')))).flat();
  return chosen(transfer.files);
}

export const chosen = files => Promise.all([...files].map(async file => [file.webkitRelativePath || file.name, new Uint8Array(await file.arrayBuffer())]));

// archives are opened; the model is the scene if there is one, otherwise the model nearest to the top
export function collect(list) {
  const all = new Map();
  for (const [name, bytes] of list) {
    if (!/\.(zip|mjz)$/i.test(name)) all.set(name, bytes);
    else for (const [inner, data] of Object.entries(unzipSync(bytes))) if (!inner.endsWith('/')) all.set(inner, data);
  }
  const depth = name => name.split('/').length, names = [...all.keys()].filter(isModel).sort((a, b) => depth(a) - depth(b) || a.localeCompare(b));
  const included = new Set();
  for (const name of names) {
    if (!isText(name)) continue;
    for (const [, file] of strFromU8(all.get(name)).matchAll(/<(?:include|model)\b[^>]*\bfile\s*=\s*["']([^"']+)["']/g)) included.add(join(folder(name), file));
  }
  const roots = names.filter(name => !included.has(name));
  const root = roots.find(name => /(^|\/)scene[^/]*\.xml$/i.test(name)) ?? roots[0] ?? names[0];
  return { files: all, root };
}

const folder = name => name.slice(0, name.lastIndexOf('/') + 1);

function join(base, name) {
  const parts = [];
  for (const part of (base + name).split('/')) {
    if (part === '..') parts.pop();
    else if (part && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

// ---- addresses

// github:owner/repository/path, or any address
function address(model) {
  const parts = /^github:([^/]+)\/([^/@]+)(?:@([^/]+))?\/(.+)$/.exec(model);
  return parts ? `https://raw.githubusercontent.com/${parts[1]}/${parts[2]}/${parts[3] ?? 'HEAD'}/${parts[4]}` : model;
}

async function fetchBytes(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

// files that a model names: included models, and assets in the folders that its compiler element names
function named(text) {
  const compiler = [...text.matchAll(/<compiler\b[^>]*>/g)].map(m => m[0]).join(' ');
  const dir = name => (new RegExp(`\\b${name}\\s*=\\s*["']([^"']*)["']`).exec(compiler)?.[1] ?? '').replace(/([^/])$/, '$1/');
  const asset = dir('assetdir'), mesh = dir('meshdir') || asset, texture = dir('texturedir') || asset, list = [];
  for (const [element, tag] of text.matchAll(/<(\w+)\b[^>]*>/g)) {
    for (const [, attribute, file] of element.matchAll(/\b(file\w*)\s*=\s*["']([^"']+)["']/g)) {
      const place = tag === 'include' || tag === 'model' ? '' : tag === 'texture' ? texture : mesh;
      if (attribute.startsWith('file')) list.push([place + file, tag === 'include' || tag === 'model']);
    }
  }
  return list;
}

// a model and everything it names
export async function fetchModel(model) {
  const url = address(model), base = folder(url), files = new Map(), root = url.slice(base.length);
  const visit = async (name, isText) => {
    if (files.has(name)) return;
    files.set(name, null);
    const bytes = await fetchBytes(new URL(name, new URL(base, location.href)).href);
    files.set(name, bytes);
    if (isText) await Promise.all(named(strFromU8(bytes)).map(([file, inner]) => visit(join(inner ? folder(name) : '', file), inner)));
  };
  await visit(root, /\.(xml|urdf)$/i.test(root));
  return { files, root };
}

// ---- saved pages

// what a page holds of a model: files, and where the simulation was
export function pack({ name, files, ...rest }) {
  const packed = Object.fromEntries([...files].map(([file, bytes]) => [file, toBase64(bytes)]));
  return JSON.stringify({ name, files: packed, ...rest }).replace(/</g, '\\u003c');
}

export function unpackModel(text) {
  const model = JSON.parse(text);
  return { ...model, files: new Map(Object.entries(model.files).map(([file, data]) => [file, fromBase64(data)])) };
}

export function download(data, name, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
