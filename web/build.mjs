// Join the page into one file, build/web/cortenforge.html: scripts and styles, the module, and models of the gallery.
//
//   node web/build.mjs        from the root of the project; packages under build/web/npm (tools/setup.sh web)
//
// Prints the sizes of its parts.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';

const packages = path.resolve('build/web/npm'), source = path.resolve('web/page'), target = 'build/web';
const { build } = createRequire(`${packages}/`)('esbuild');

// the sources are not beside their packages
const options = { bundle: true, minify: true, write: false, format: 'iife', target: 'es2022', legalComments: 'none', nodePaths: [`${packages}/node_modules`] };
const used = {};
async function bundle(file, plugins = []) {
  const result = await build({ ...options, metafile: true, entryPoints: [path.join(source, file)], plugins });
  Object.assign(used, result.metafile.inputs);
  return result.outputFiles[0].text;
}

// copyright lines of the packages that a bundle contains, and the licence that they share
function notices(inputs) {
  const names = new Set(Object.keys(inputs).map(file => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]).filter(Boolean));
  const lines = [...names].sort().map(name => {
    const root = `${packages}/node_modules/${name}`, { version, license } = JSON.parse(fs.readFileSync(`${root}/package.json`, 'utf8'));
    if (license !== 'MIT') throw new Error(`${name} has the licence ${license}: its text must go with the page`);
    const text = fs.readFileSync(`${root}/LICENSE`, 'utf8');
    return `${name} ${version}: ${/copyright.*/i.exec(text.replace(/^.*MIT License.*$/m, ''))[0]}`;
  });
  const mit = fs.readFileSync(`${packages}/node_modules/fflate/LICENSE`, 'utf8').replace(/^[^]*?(?=Permission is hereby)/, '');
  return `This page contains Qhull, libccd, libspng, zlib, wasi-libc and musl (docs/licenses.md), and under the MIT licence\n${lines.join('\n')}\n\n${mit.trim()}`;
}

// models without other files, by their path below models/
function gallery(folder = 'models', out = {}) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.isDirectory() - b.isDirectory() || (a.name < b.name ? -1 : 1))) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) gallery(name, out);
    else if (name.endsWith('.xml')) {
      const text = fs.readFileSync(name, 'utf8');
      if (!/\bfile\w*\s*=|<include/.test(text) && /<worldbody/.test(text)) out[path.relative('models', name).replace(/\.xml$/, '')] = text;
    }
  }
  return out;
}

const worker = await bundle('worker.js');
const inline = {
  name: 'inline',
  setup(b) {
    b.onResolve({ filter: /^inline:/ }, args => ({ path: args.path, namespace: 'inline' }));
    b.onLoad({ filter: /.*/, namespace: 'inline' }, () => ({ contents: worker, loader: 'text' }));
  },
};
const app = await bundle('app.js', [inline]);
const css = fs.readFileSync(`${source}/style.css`, 'utf8'), html = fs.readFileSync(`${source}/index.html`, 'utf8');
const module = fs.readFileSync(`${target}/cortenforge.wasm`), models = JSON.stringify(gallery());
const packed = data => zlib.gzipSync(data, { level: 9 }).toString('base64');
const inner = (id, data) => `<script type="text/plain" id="${id}">${packed(data)}</script>\n`;

const page = html.replace('<link rel="stylesheet" href="style.css">', () => `<!--\n${notices(used)}\n-->\n<style>${css}</style>`)
  .replace('<script src="app.js"></script>', () => `${inner('cortenforge-gallery', models)}${inner('cortenforge-module', module)}<script>${app.replace(/<\/script/g, '<\\/script')}</script>`);
fs.writeFileSync(`${target}/cortenforge.html`, page);

const brotli = data => zlib.brotliCompressSync(data).length, kB = n => `${(n / 1000).toFixed(0)} kB`;
const sizes = { module: brotli(module), app: brotli(app) + brotli(css) + brotli(html), page: Buffer.byteLength(page) };
fs.writeFileSync(`${target}/sizes.json`, JSON.stringify(sizes));
console.log(`built: ${target}/cortenforge.html, ${kB(sizes.page)} (module ${kB(sizes.module)} and app ${kB(sizes.app)} with brotli, ${Object.keys(JSON.parse(models)).length} models)`);
