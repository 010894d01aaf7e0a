// `npm test`: architecture and types first, then every jest suite; closes with one line that totals them all.
// A few suites that failed are run once more with nothing beside them: what fails then too is a failure, what passes is told
// by name above the last line, as a promise that hangs on the machine's load and wants mending.
// `--long` runs the same suites with the full counts of fuzz and crash rounds; each can be set by its own name.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const long = process.argv.includes('--long');
const rest = process.argv.slice(2).filter((argument) => argument !== '--long');
const scratch = mkdtempSync(join(tmpdir(), 'eas-test-'));
const MOST_RUN_AGAIN = 5;
const MOST_NAMED = 3;
const fullCounts = {
  X12_FUZZ_ROUNDS: '50000',
  HL7V2_FUZZ_ROUNDS: '100000',
  FHIR_FUZZ_ROUNDS: '50000',
  NCPDP_FUZZ_ROUNDS: '50000',
  LARGE_BODY_MEGABYTES: '500',
  CRASH_ROUNDS: '200',
  CONTRACT_RUNS: '20',
  FAULT_STRIDE: '1',
  LOG_REDACTION_FILES: '300',
  JOBS_CRASH_ROUNDS: '40',
  DEAD_ROWS: '100000',
  GRAPH_KILLS: '3',
  WEBHOOK_CRASH_ROUNDS: '12',
  DISTRIBUTED_ROUNDS: '5',
  CONNECTOR_KILLS: '4',
  KEYED_CRASH_ROUNDS: '20',
  BUNDLE_REBUILD_ROUNDS: '100',
  BUNDLE_CRASH_ROUNDS: '50',
  BUNDLE_ZIP64_GIGABYTES: '5',
  REDACTION_CRASH_ROUNDS: '25',
  VAULT_CRASH_ROUNDS: '25',
  RETENTION_CRASH_ROUNDS: '25',
  VAULT_INTERLEAVINGS: '10000',
  VAULT_GATE_ORDERS: '200000',
  FEBRL_EVERY: '1',
  EMBEDDED_MONGO_CRASH_ROUNDS: '100',
  EMBEDDED_MONGO_DIFF_CASES: '100000',
  EMBEDDED_MONGO_PLAN_CASES: '100000',
  EMBEDDED_MONGO_FUZZ_FRAMES: '200000',
};
// `npm test` has compiled the service just now: hosts of services (test/support/global-setup.mjs) need not.
const env = { ...(long ? fullCounts : {}), EAS_TESTS_BUILT: '1', ...process.env };

const run = (args) => spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;

/** What jest tells of each suite; none where it did not come to its end, or failed at something beside the suites. */
function suitesOf(name, args) {
  const report = join(scratch, `${name}.json`);
  const status = run([
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${report}`,
    ...args,
  ]);
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const isExplained = status === 0 || testResults.some((suite) => suite.status === 'failed');
    return isExplained ? testResults : [];
  } catch {
    return [];
  }
}

const namesOfFailed = ({ name, assertionResults }) => {
  const tests = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const others = tests.length > MOST_NAMED ? [`and ${tests.length - MOST_NAMED} others`] : [];
  return [relative(process.cwd(), name), ...tests.slice(0, MOST_NAMED), ...others].join(' › ');
};

const typesStatus = run(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit']);
const lintStatus = run(['node_modules/@biomejs/biome/bin/biome', 'check', '.']);
const gates = [typesStatus, lintStatus];
let passed = gates.filter((status) => status === 0).length;
let failed = gates.length - passed;

const first = suitesOf('all', rest);
const broken = first.filter(({ status }) => status === 'failed');
// More than these did not fail by chance.
const isFew = broken.length > 0 && broken.length <= MOST_RUN_AGAIN;
const again = isFew ? suitesOf('again', ['--runInBand', '--runTestsByPath', ...broken.map(({ name }) => name)]) : [];
for (const suite of first) {
  const last = again.find(({ name }) => name === suite.name) ?? suite;
  if (last !== suite && last.status === 'passed') console.log(`passed only when run again: ${namesOfFailed(suite)}`);
  const failures = last.assertionResults.filter(({ status }) => status === 'failed').length;
  passed += last.assertionResults.filter(({ status }) => status === 'passed').length;
  // A suite that could not even be loaded holds no failed test; it counts as one.
  failed += last.status === 'failed' ? Math.max(failures, 1) : 0;
}
if (first.length === 0) failed += 1;
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
