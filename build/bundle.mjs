// The second half of `npm run build`: what is started often and waited for becomes few files. Node spends about a
// millisecond on every module that it loads: the service has more than sixteen hundred of its own.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const common = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
};

/** The embedded database's process and its worker. */
await build({
  ...common,
  entryPoints: ['child-main', 'worker-main'].map((name) => `dist/embedded-mongo/${name}.js`),
  outdir: 'dist/embedded-mongo',
  allowOverwrite: true,
});

/** `npm start` and every role: `dist/app/main.js` keeps its name and only leads there. */
const BUNDLED = 'dist/bundled';
await rm(BUNDLED, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ['dist/app/main.js'],
  outdir: BUNDLED,
  // What is imported late stays apart: the database starts while the rest is loaded.
  splitting: true,
  // Names of classes are names of models and of graph types.
  keepNames: true,
  plugins: [{ name: 'where modules were', setup: keepModuleUrls }],
});
await writeFile('dist/app/main.js', "import '../bundled/main.js';\n");

/** Modules find their neighbours (packages, programs that they start) by their own address, so they keep it. */
function keepModuleUrls({ onLoad }) {
  onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
    const text = await readFile(path, 'utf8');
    if (!text.includes('import.meta.url')) return undefined;
    const from = relative(resolve(BUNDLED), path).replaceAll('\\', '/');
    const address = `new URL(${JSON.stringify(from)}, import.meta.url).href`;
    return { contents: text.replaceAll('import.meta.url', address), resolveDir: dirname(path) };
  });
}
