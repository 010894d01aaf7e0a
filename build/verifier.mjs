// The third step of a build: makes the verifier's single files, `verify.mjs` for every bundle and the script of the page
// `/verify`. Every machine must make the same bytes for a bundle: they depend on the sources and on the bundler's version
// in package-lock.json, never on a path, a time or a setting of the machine.
import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where build.mjs has the files written. */
const into = `${process.env.BUILD_INTO ?? `${root}dist`}/verifier`;

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
