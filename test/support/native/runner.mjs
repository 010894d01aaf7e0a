import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Jest's runner gives each suite a virtual machine, into which it loads and compiles the service and its packages again:
// seven seconds of processor time for a suite that starts the service in its process. This one runs the suites of a worker
// in one process, one after the other: the code of the service and of packages is loaded once a worker, the code of
// tests once a suite. Hooks, time limits, filters and reports are jest-circus' own.

const HERE = new URL('./', import.meta.url);
/** A worker that holds more than this after a suite is replaced. */
const MAX_RESIDENT_BYTES = 1_000_000_000;

class Worker {
  #child;
  #settle = null;
  /** Why the process ended, for the suite that runs or the next one; null while it lives. */
  #ended = null;

  constructor(id) {
    this.#child = fork(fileURLToPath(new URL('worker.mjs', HERE)), [], {
      execArgv: ['--enable-source-maps', '--no-warnings', '--import', new URL('hooks-register.mjs', HERE).href],
      env: { ...process.env, JEST_WORKER_ID: String(id) },
      serialization: 'advanced',
    });
    this.#child.on('message', (message) => this.#end(message));
    this.#child.once('exit', (code, signal) => {
      this.#ended = { error: `the process of this suite ended with ${signal ?? code}` };
      this.#end(this.#ended);
    });
  }

  run(job) {
    return new Promise((resolve) => {
      this.#settle = resolve;
      // A failure to send is the end of the process, which answers.
      if (this.#ended === null) this.#child.send(job, () => undefined);
      else this.#end(this.#ended);
    });
  }

  #end(message) {
    this.#settle?.(message);
    this.#settle = null;
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}

// biome-ignore lint/style/noDefaultExport: jest calls what the file exports so.
export default class NativeRunner {
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  /** Runs suites in the given order on as many workers as jest's options say. */
  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const queue = [...tests];
    const count = Math.min(this.#globalConfig.maxWorkers, queue.length);
    const serve = async (id) => {
      let worker = null;
      for (let test = queue.shift(); test !== undefined && !watcher.isInterrupted(); test = queue.shift()) {
        worker ??= new Worker(id);
        await onStart(test);
        const job = { testPath: test.path, globalConfig: this.#globalConfig, config: test.context.config };
        const { result, error, residentBytes } = await worker.run(job);
        if (result === undefined) await onFailure(test, { message: error, stack: error });
        else await onResult(test, result);
        if (result === undefined || residentBytes > MAX_RESIDENT_BYTES) {
          await worker.stop();
          worker = null;
        }
      }
      await worker?.stop();
    };
    await Promise.all(Array.from({ length: count }, (_, index) => serve(index + 1)));
  }
}
