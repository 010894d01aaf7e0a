import { type ChildProcess, fork } from 'node:child_process';
import { within } from '../../../../../shared/clock/timers.js';
import { fault, problem } from '../../../../../shared/errors/problem.js';
import { compiledFile } from '../../../../../shared/threads/compiled-file.js';
import type { DocumentRedactor, TextExtractor } from '../../ports.js';
import { isReadable } from '../text/readable-types.js';
import {
  DocumentFault,
  type DocumentFaultCode,
  type ProcessAnswer,
  type ProcessTask,
  processAnswer,
} from './messages.js';

interface ProcessLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Concurrent processes; further tasks wait. */
  readonly concurrency: number;
}

/**
 * Runs each task on a document in its own process, and kills the process after the timeout.
 * A thread would not do: one that runs out of memory within a single allocation ends the whole process.
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
    const child = fork(compiledFile(import.meta.url, 'main.js'), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${this.#limits.memoryMb}`, '--no-warnings'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // The process that reads untrusted files gets none of the service's settings and secrets.
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
    child.once('message', (message) => {
      const parsed = processAnswer.safeParse(message);
      if (parsed.success) resolve(parsed.data);
      else reject(new DocumentFault('UNREADABLE'));
    });
    child.once('error', () => reject(new DocumentFault('UNREADABLE')));
    // V8 aborts the process when it runs out of memory.
    child.once('exit', (code, signal) => {
      reject(new DocumentFault(signal === 'SIGABRT' || code === 134 ? 'OUT_OF_MEMORY' : 'UNREADABLE'));
    });
    child.send(task, (error) => {
      if (error !== null) reject(new DocumentFault('UNREADABLE'));
    });
  });
  // After a timeout the caller is gone, and a late failure needs no handler.
  answer.catch(() => undefined);
  return answer;
}

interface ExtractLimits {
  readonly maxPages: number;
  readonly maxCharacters: number;
}

/** Reads documents in processes of their own. */
export const processExtractor = (processes: DocumentProcesses, limits: ExtractLimits): TextExtractor => ({
  canRead: isReadable,
  async extract(mediaType, bytes) {
    try {
      const answer = await processes.run({ kind: 'extract', mediaType, bytes, ...limits });
      return answer.kind === 'text' ? { text: answer.text } : { fault: 'UNREADABLE' };
    } catch (error) {
      if (error instanceof DocumentFault) return { fault: error.code };
      throw error;
    }
  },
});

const WHY: Readonly<Record<Exclude<DocumentFaultCode, 'NOT_FOUND'>, string>> = {
  UNREADABLE: 'The document cannot be read as its declared media type.',
  ENCRYPTED: 'The document is encrypted; its content cannot be redacted.',
  TOO_MANY_PAGES: 'The document has too many pages to be redacted.',
  TOO_LARGE: 'The document is too large to be redacted.',
  TIMEOUT: 'The document could not be redacted within the time allowed.',
  OUT_OF_MEMORY: 'The document needs more memory than allowed to be redacted.',
  UNSURE: 'The terms cannot be located reliably in this document; name pages or regions instead.',
  TURNED: 'The image has a rotation that viewers show differently; save it upright and upload it again.',
};

/** Redacts each document in its own process. */
export const processRedactor = (processes: DocumentProcesses, maxPages: number): DocumentRedactor => ({
  async redact({ mediaType, bytes, terms, pages }) {
    try {
      const answer = await processes.run({ kind: 'redact', mediaType, bytes, terms, pages, maxPages });
      if (answer.kind === 'bytes') return answer.bytes;
    } catch (error) {
      if (error instanceof DocumentFault) throw problemOf(error);
      throw error;
    }
    throw new Error('a redaction came back without a document');
  },
});

function problemOf({ code, missing }: DocumentFault): Error {
  if (code !== 'NOT_FOUND') return problem('CONFLICT', { message: WHY[code] });
  return problem('VALIDATION_ERROR', {
    errors: [
      ...missing.terms.map((i) => fault(`/terms/${i}`, 'not-found', 'The document does not contain this term.')),
      ...missing.pages.map((i) => fault(`/pages/${i}`, 'not-found', 'The document has no such page.')),
    ],
  });
}
