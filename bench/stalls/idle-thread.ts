import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The same monitor on an idle thread: its stalls come from the machine. */
const code = `
  const { parentPort } = require('node:worker_threads');
  const histogram = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  parentPort.on('message', () => {
    parentPort.postMessage(histogram.count === 0 ? 0 : Math.max(0, histogram.max / 1e6 - 10));
    histogram.reset();
  });
`;

export class IdleThread {
  private readonly worker = new Worker(code, { eval: true });

  /** The longest stall since the last reading. */
  async read(): Promise<number> {
    this.worker.postMessage('');
    const [stallMs] = (await once(this.worker, 'message')) as [number];
    return stallMs;
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
