// `npm run check`: types, lint, and the rules of the architecture. `-- --figures` also prints the size and shape of the
// code, `-- --figures --list` the places behind the figures.
import { spawnSync } from 'node:child_process';

const STEPS = [
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit'],
  ['node_modules/typescript/bin/tsc', '-p', 'console/tsconfig.json'],
  ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  ['node_modules/jest/bin/jest.js', '--silent', 'test/architecture'],
];
const failed = STEPS.filter((step) => spawnSync(process.execPath, step, { stdio: 'inherit' }).status !== 0);
if (process.argv.includes('--figures')) await import('./figures.mjs');
process.exitCode = failed.length === 0 ? 0 : 1;
