// The second half of `npm run build`: the embedded database's entry points become one file each. Its process and its
// worker are started often and waited for, and Node spends about a millisecond on every module that it loads.
import { build } from 'esbuild';

const FOLDER = 'dist/embedded-mongo';

await build({
  entryPoints: ['child-main', 'worker-main'].map((name) => `${FOLDER}/${name}.js`),
  outdir: FOLDER,
  allowOverwrite: true,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
});
