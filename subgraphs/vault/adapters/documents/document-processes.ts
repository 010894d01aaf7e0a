import { type ChildProcess, fork } from 'node:child_process';
import { within } from '../../../../shared/clock/timers.js';
import { compiledFile } from '../../../../shared/threads/compiled-file.js';
import { DocumentFault } from './document-fault.js';
import type { ProcessAnswer, ProcessTask } from './process-messages.js';

export interface ProcessLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Processes at once; further work waits. */
  readonly concurrency: number;
}

/**
 * Runs pieces of work on documents, each in a process of its own that is ended when it takes too long. Threads would not do:
 * one that runs out of memory within a single allocation takes the whole process with it.
 */
export class DocumentProcesses {
  readonly #limits: ProcessLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: ProcessLimits) {
    this.#limits = limits;
  }

  /** @throws DocumentFault */
  async run(task: ProcessTask): Promise<ProcessAnswer> {
    while (this.#running >= this.#limits.concurrency) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#running++;
    try {
      return await this.#inProcess(task);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #inProcess(task: ProcessTask): Promise<ProcessAnswer> {
    const child = fork(compiledFile(import.meta.url, 'process-main.js'), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${this.#limits.memoryMb}`, '--no-warnings'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Nothing of the service's settings and secrets is in reach of what reads foreign files.
      env: {},
    });
    try {
      const answer = await within(this.#limits.timeoutMs, answerOf(child, task));
      if (answer === undefined) throw new DocumentFault('TIMEOUT');
      if (answer.kind === 'fault') throw new DocumentFault(answer.code, answer.missing);
      return answer;
    } finally {
      child.kill('SIGKILL');
    }
  }
}

function answerOf(child: ChildProcess, task: ProcessTask): Promise<ProcessAnswer> {
  const answer = new Promise<ProcessAnswer>((resolve, reject) => {
    child.once('message', (told) => resolve(told as ProcessAnswer));
    child.once('error', () => reject(new DocumentFault('UNREADABLE')));
    // The platform aborts where memory is over.
    child.once('exit', (code, signal) => {
      reject(new DocumentFault(signal === 'SIGABRT' || code === 134 ? 'OUT_OF_MEMORY' : 'UNREADABLE'));
    });
    child.send(task, (error) => {
      if (error !== null) reject(new DocumentFault('UNREADABLE'));
    });
  });
  // Where time is over first, what comes of the process is nobody's to hear.
  answer.catch(() => undefined);
  return answer;
}
