// The verifier as files that stand alone: `verify.mjs` and what goes with it into every bundle, and the script of the page
// `/verify`. What goes into bundles must be the same bytes on every machine: it depends on the sources and on the one
// version of the bundler that package-lock.json names, and on no path, time or setting of the machine.
import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const into = `${root}dist/verifier`;

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  tsconfigRaw: { compilerOptions: { target: 'es2022', useDefineForClassFields: false } },
};

await mkdir(into, { recursive: true });
await build({
  ...common,
  entryPoints: ['verifier/node/main.ts'],
  outfile: `${into}/verify.mjs`,
  platform: 'node',
  target: 'node20',
  banner: { js: '// Verifies an evidence bundle: node verify.mjs --help' },
});
await build({
  ...common,
  entryPoints: ['verifier/page/main.ts'],
  outfile: `${into}/page.js`,
  platform: 'browser',
  target: ['chrome111', 'firefox115', 'safari16.4'],
});
await Promise.all(
  ['verify.py', 'README.txt'].map((name) => copyFile(`${root}verifier/shipped/${name}`, `${into}/${name}`)),
);
