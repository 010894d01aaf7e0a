// `npm test`: types, lint and every jest suite. The closing lines name each reason for a skipped test and total the rest.
// A few failed suites run once more, alone: the report then says which of them depend on the machine's load. They still
// count as failed.
// `--long` runs the same suites with the full counts of fuzz and crash rounds; a variable of its name sets each count.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const long = process.argv.includes('--long');
const rest = process.argv.slice(2).filter((argument) => argument !== '--long');
const scratch = mkdtempSync(join(tmpdir(), 'eas-test-'));
const MAX_SUITES_RUN_AGAIN = 5;
const MAX_TESTS_NAMED = 3;
const fullCounts = {
  X12_FUZZ_ROUNDS: '50000',
  HL7V2_FUZZ_ROUNDS: '100000',
  FHIR_FUZZ_ROUNDS: '50000',
  NCPDP_FUZZ_ROUNDS: '50000',
  CONTAINER_ROUNDS: '10000',
  LARGE_BODY_MEGABYTES: '500',
  CRASH_ROUNDS: '200',
  DATABASE_KILLS: '20',
  CHAOS_ROUNDS: '10',
  EMBEDDED_MONGO_SECANTUS_DOCUMENTS: '10000',
  EMBEDDED_MONGO_SECANTUS_CASES: '2000',
  FAILOVER_STEP_DOWNS: '1000',
  CONTRACT_RUNS: '20',
  FAULT_STRIDE: '1',
  MAP_CRASHES: '120',
  TYPE_FUZZ_ROUNDS: '5000',
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
  EMBEDDED_MONGO_FULL_DISK_WRITES: '60',
  EMBEDDED_MONGO_DIFF_CASES: '100000',
  EMBEDDED_MONGO_PLAN_CASES: '100000',
  EMBEDDED_MONGO_FUZZ_FRAMES: '200000',
};
// The command of `npm test` has just compiled the service for the hosts of services (test/support/global-setup.mjs).
const env = { ...(long ? fullCounts : {}), EAS_TESTS_BUILT: '1', ...process.env };

const run = (args) => spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;

/** Runs jest. @returns its report of each suite; an empty list when jest itself failed. */
function suitesOf(name, args) {
  const report = join(scratch, `${name}.json`);
  const status = run(['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...args]);
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const isExplained = status === 0 || testResults.some((suite) => suite.status === 'failed');
    return isExplained ? testResults : [];
  } catch {
    return [];
  }
}

const testsOf = (suites, wanted) =>
  suites.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === wanted));

function describeFailed({ name, assertionResults }) {
  const tests = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  const others = tests.length > MAX_TESTS_NAMED ? [`and ${tests.length - MAX_TESTS_NAMED} others`] : [];
  return [relative(process.cwd(), name), ...tests.slice(0, MAX_TESTS_NAMED), ...others].join(' › ');
}

/** Runs failed suites once more, alone, and names those that pass then: they depend on the machine's load. */
function reportLoadDependent(broken) {
  if (broken.length === 0 || broken.length > MAX_SUITES_RUN_AGAIN) return;
  const again = suitesOf('again', ['--runInBand', '--runTestsByPath', ...broken.map(({ name }) => name)]);
  for (const suite of broken) {
    const isGreen = again.some(({ name, status }) => name === suite.name && status === 'passed');
    if (isGreen) console.log(`passes only alone, mend it: ${describeFailed(suite)}`);
  }
}

/** Prints each reason once with its count. @returns the number of skipped tests that give no reason. */
function reportSkipped(skipped) {
  const counts = new Map();
  for (const { fullName } of skipped) {
    const reason = /\[skipped: ([^\]]+)\]/.exec(fullName)?.[1] ?? `no reason given: ${fullName}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  for (const [reason, count] of counts) console.log(`skipped ${count}: ${reason}`);
  return skipped.filter(({ fullName }) => !fullName.includes('[skipped: ')).length;
}

const gates = [
  run(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit']),
  run(['node_modules/@biomejs/biome/bin/biome', 'check', '.']),
];
// A pattern of names skips what it does not match.
const isWhole = !rest.some((argument) => /^(-t|--testNamePattern)/.test(argument));
const suites = suitesOf('all', rest);
const broken = suites.filter(({ status }) => status === 'failed');
reportLoadDependent(broken);
const skipped = testsOf(suites, 'pending');
const passed = testsOf(suites, 'passed').length + gates.filter((status) => status === 0).length;
// A suite that jest could not load has no failed test; it counts as one, and so does a run without a report.
const failed =
  gates.filter((status) => status !== 0).length +
  broken.reduce((sum, suite) => sum + Math.max(testsOf([suite], 'failed').length, 1), 0) +
  (suites.length === 0 ? 1 : 0) +
  (isWhole ? reportSkipped(skipped) : 0);
rmSync(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
