// Bundles the viewer and writes it as a C++ source: node build.mjs FOLDER_WITH_NODE_MODULES OUTPUT.cpp
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [, , modules, output] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const { build } = createRequire(join(resolve(modules), 'package.json'))('esbuild');

const limit = 300_000; // bytes of code in each page
const bundle = async (entry, loader = {}) => {
  const made = await build({
    entryPoints: [join(here, 'src', entry)],
    nodePaths: [join(resolve(modules), 'node_modules')],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    format: 'iife',
    target: ['es2020'],
    legalComments: 'none',
    loader,
  });
  return made.outputFiles[0].text;
};

const script = await bundle('main.js');
const style = await bundle('style.css');
if (script.includes('</script') || style.includes('</style')) throw new Error('the bundle would end its own element');
if (script.length + style.length > limit) throw new Error(`the viewer has ${script.length + style.length} bytes, more than ${limit}`);

// A text as literals that the compiler joins.
const literal = (text) => {
  const lines = [];
  for (let k = 0; k < text.length; k += 4000) {
    const part = text.slice(k, k + 4000).replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\?\?/g, '?\\?');
    // eslint-disable-next-line no-control-regex
    lines.push('"' + part.replace(/[\x00-\x1f\x7f-\uffff]/g, (c) => {
      const bytes = [...Buffer.from(c, 'utf8')];
      return bytes.map((b) => '\\' + b.toString(8).padStart(3, '0')).join('');
    }) + '"');
  }
  return lines.join('\n    ');
};

writeFileSync(output, `// Made by viewer/build.mjs.
#include <taut/report/viewer_bundle.hpp>

namespace taut {

bool has_viewer() { return true; }

std::string_view viewer_script() {
  static constexpr char text[] =
    ${literal(script)};
  return {text, sizeof text - 1};
}

std::string_view viewer_style() {
  static constexpr char text[] =
    ${literal(style)};
  return {text, sizeof text - 1};
}

}  // namespace taut
`);
console.log(`viewer: ${script.length} bytes of script, ${style.length} of style`);
