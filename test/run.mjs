// `npm test`: architecture and types first, then every jest suite; closes with one line that totals them all.
// `--long` runs the same suites with the full counts of fuzz and crash rounds; each can be set by its own name.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const long = process.argv.includes('--long');
const rest = process.argv.slice(2).filter((argument) => argument !== '--long');
const scratch = mkdtempSync(join(tmpdir(), 'eas-test-'));
const report = join(scratch, 'jest.json');
const fullCounts = {
  X12_FUZZ_ROUNDS: '30000',
  CRASH_ROUNDS: '100',
  JOBS_CRASH_ROUNDS: '40',
  DISTRIBUTED_ROUNDS: '5',
  KEYED_CRASH_ROUNDS: '20',
  EMBEDDED_MONGO_CRASH_ROUNDS: '100',
  EMBEDDED_MONGO_DIFF_CASES: '100000',
  EMBEDDED_MONGO_PLAN_CASES: '100000',
  EMBEDDED_MONGO_FUZZ_FRAMES: '200000',
};
const env = { ...(long ? fullCounts : {}), ...process.env };

const run = (args) => spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;

const typesStatus = run(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit']);
const lintStatus = run(['node_modules/@biomejs/biome/bin/biome', 'check', '.']);
const jestStatus = run([
  '--experimental-vm-modules',
  '--no-warnings',
  'node_modules/jest/bin/jest.js',
  '--json',
  `--outputFile=${report}`,
  ...rest,
]);

const gates = [typesStatus, lintStatus];
let passed = gates.filter((status) => status === 0).length;
let failed = gates.length - passed;
try {
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  // A suite that could not even be loaded holds no failed test; it counts as one.
  failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
} catch {
  failed += 1;
}
rmSync(scratch, { recursive: true, force: true });
if (jestStatus !== 0 && failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
