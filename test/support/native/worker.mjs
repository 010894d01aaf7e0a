import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { setGlobals } from './globals.mjs';

// Runs the suites that the runner sends, one after the other, and answers each with its report.

const require = createRequire(import.meta.url);
/** Not among the exports of jest-circus; its own runner loads it in the same way. */
const ADAPTER = join(dirname(require.resolve('jest-circus/package.json')), 'build', 'jestAdapterInit.js');
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const runtime = { enterTestCode: () => undefined, leaveTestCode: () => undefined };

let suites = 0;

/** A fresh copy of the framework: its state belongs to one suite. */
function freshAdapter() {
  delete require.cache[ADAPTER];
  delete globalThis[EVENT_HANDLERS];
  delete globalThis[TEST_TIMEOUT];
  return require(ADAPTER);
}

function jestObject(config) {
  const mocker = new ModuleMocker(globalThis);
  const timers = new ModernFakeTimers({ config, global: globalThis });
  const jest = {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: (options) => {
      timers.useFakeTimers(options);
      return jest;
    },
    useRealTimers: () => {
      timers.useRealTimers();
      return jest;
    },
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    setTimeout: (ms) => {
      globalThis[TEST_TIMEOUT] = ms;
      return jest;
    },
  };
  const restore = () => {
    mocker.restoreAllMocks();
    timers.dispose();
  };
  return { jest, restore };
}

async function runSuite({ testPath, globalConfig, config }) {
  const start = Date.now();
  const { initialize, runAndTransformResultsToJestFormat } = freshAdapter();
  globalThis[TEST_TIMEOUT] = config.testTimeout;
  const { jest, restore } = jestObject(config);
  await initialize({
    config: { ...config, injectGlobals: false },
    environment: { global: globalThis },
    globalConfig,
    localRequire: require,
    parentProcess: process,
    runtime,
    setGlobalsForRuntime: (globals) => setGlobals({ ...globals, jest }),
    testPath,
  });
  try {
    await import(`${pathToFileURL(testPath).href}?suite=${++suites}`);
    const result = await runAndTransformResultsToJestFormat({ config, globalConfig, testPath });
    const end = Date.now();
    const perfStats = {
      ...result.perfStats,
      start,
      end,
      runtime: end - start,
      slow: end - start > config.slowTestThreshold * 1000,
    };
    return { ...result, perfStats };
  } finally {
    restore();
  }
}

let isPrepared = false;
/** Loads what every suite is given before its first line. */
async function prepare({ setupFiles }) {
  if (isPrepared) return;
  for (const file of setupFiles) await import(pathToFileURL(file).href);
  isPrepared = true;
}

// The runner is gone, whichever way it ended.
process.once('disconnect', () => process.exit(0));

process.on('message', async (job) => {
  const environment = { ...process.env };
  let answer;
  try {
    await prepare(job.config);
    answer = { result: await runSuite(job) };
  } catch (error) {
    answer = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.send({ ...answer, residentBytes: process.memoryUsage.rss() });
});
