// Makes one page of the program compiled for browsers, its editor and the cases: node build.mjs BUILD_FOLDER OUTPUT.html
import { createRequire } from 'node:module';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [, , folder, output] = process.argv;
const here = dirname(fileURLToPath(import.meta.url)), cases = join(here, '..', 'cases');
const modules = resolve(folder, 'src/taut/report/viewer');
const { build } = createRequire(join(modules, 'package.json'))('esbuild');

const bundle = async (entry) => (await build({
  entryPoints: [join(here, 'src', entry)], nodePaths: [join(modules, 'node_modules')], bundle: true, minify: true, write: false,
  charset: 'ascii', format: 'iife', target: ['es2020'], legalComments: 'none',
})).outputFiles[0].text;
const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString('base64');

const files = {};
for (const name of readdirSync(cases, { recursive: true }).map(String).sort())
  if (name.endsWith('.yaml') && statSync(join(cases, name)).isFile()) files[name] = readFileSync(join(cases, name), 'utf8');
const wasm = readFileSync(join(folder, 'playground/taut_playground.wasm'));
const worker = readFileSync(join(folder, 'playground/taut_playground.js'), 'utf8') + '\n' + (await bundle('worker.js'));
const script = await bundle('main.js'), style = await bundle('style.css');
if (script.includes('</script') || style.includes('</style')) throw new Error('the bundle would end its own element');
const data = { files: packed(JSON.stringify(files)), wasm: packed(wasm), worker: packed(worker) };

// As in reports nothing may be loaded; scripts may make workers and WebAssembly of what the page holds.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="color-scheme" content="light dark">
<title>taut: playground</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript><p>This page simulates motions and needs JavaScript; it loads nothing from any network.</p></noscript>
<script type="application/json" id="data">${JSON.stringify(data)}</script>
<script>${script}</script>
</body>
</html>
`;
writeFileSync(output, page);
const kB = (n) => `${Math.round(n / 1000)} kB`;
console.log(`${output}: ${kB(page.length)}; WebAssembly ${kB(wasm.length)}, packed ${kB(gzipSync(wasm, { level: 9 }).length)}; ${Object.keys(files).length} models`);
