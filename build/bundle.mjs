// The second step of a build: bundles what starts often into few files. Node spends about a millisecond on every module
// that it loads, and the service has more than sixteen hundred.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** Where build.mjs has the compiled files written. */
const into = process.env.BUILD_INTO ?? 'dist';

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
  entryPoints: ['child-main', 'worker-main'].map((name) => `${into}/embedded-mongo/launch/${name}.js`),
  outdir: `${into}/embedded-mongo/launch`,
  allowOverwrite: true,
});

/** `npm start`, every role and every command: a file such as `dist/app/main.js` keeps its name and only leads to a bundle. */
const BUNDLED = `${into}/bundled`;
const STARTED = ['main.js', ...(await filesIn('commands')), ...(await filesIn('data'))];
await rm(BUNDLED, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: STARTED.map((file) => `${into}/app/${file}`),
  outdir: BUNDLED,
  outbase: `${into}/app`,
  // Late imports stay in files apart: the database starts while the rest loads.
  splitting: true,
  // Names of classes are names of models and of graph types.
  keepNames: true,
  plugins: [{ name: 'keep module addresses', setup: keepModuleUrls }],
});
for (const file of STARTED) {
  const up = file.includes('/') ? '../..' : '..';
  await writeFile(`${into}/app/${file}`, `export * from '${up}/bundled/${file}';\n`);
}

async function filesIn(folder) {
  const files = await readdir(`${into}/app/${folder}`);
  return files.filter((file) => file.endsWith('.js')).map((file) => `${folder}/${file}`);
}

/** Modules find packages and the programs that they start by their own address, so they keep it. */
function keepModuleUrls({ onLoad }) {
  onLoad({ filter: /\.js$/ }, async ({ path }) => {
    const isOurs = path.startsWith(`${resolve(into)}/`) || path.startsWith(`${resolve(into)}\\`);
    if (!isOurs) return undefined;
    const text = await readFile(path, 'utf8');
    if (!text.includes('import.meta.url')) return undefined;
    const from = relative(resolve(BUNDLED), path).replaceAll('\\', '/');
    const address = `new URL(${JSON.stringify(from)}, import.meta.url).href`;
    return { contents: text.replaceAll('import.meta.url', address), resolveDir: dirname(path) };
  });
}
