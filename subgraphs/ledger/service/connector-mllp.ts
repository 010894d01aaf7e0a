import type { MllpConfig } from '../domain/connector-kinds.js';
import { type MessageDeps, takeMessages } from './connector-messages.js';
import type { ConnectorRunner, RunnerContext } from './connector-runner.js';
import { Lanes, ReservedNumbers } from './connector-together.js';
import {
  ConnectorFailure,
  type ConnectorLimits,
  type OpenListener,
  type OpenMessageListener,
  type ReceivedFrame,
} from './ports/connector-io.js';

export interface MllpDeps {
  readonly messages: MessageDeps;
  readonly openListener: OpenMessageListener;
  readonly limits: ConnectorLimits;
  readonly budget: FlightBudget;
}

/** Messages committed together: as many as senders have waiting, up to here. */
const BATCH_MESSAGES = 64;
const BATCH_BYTES = 8 * 1024 * 1024;
/** On their way at once, each in another part of it. */
const MAX_BATCHES = 3;
/** Messages of one connector that wait; then none of its connections is read. */
const MAX_QUEUED = 512;
const SECOND_MS = 1_000;

/** Bytes of messages that wait in this process, over all connectors: beyond the bound nobody is read. */
export class FlightBudget {
  readonly #maxBytes: number;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get full(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
    if (this.full) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  /** Called once, when there is room again. */
  wait(resume: () => void): void {
    this.#waiting.add(resume);
  }
}

/** Listens, and keeps on until it is stopped. @throws ConnectorFailure when it cannot listen. */
export async function runMllp(deps: MllpDeps, context: RunnerContext<MllpConfig>): Promise<ConnectorRunner> {
  const { config, journal, lastPort } = context;
  const runner = new MllpRunner(deps, context);
  const { tls_certificate: certificate, tls_private_key: key, tls_client_ca: ca } = config;
  const tls = certificate === undefined || key === undefined ? null : { certificate, key, ...(ca ? { ca } : {}) };
  const listener = await deps.openListener(
    {
      host: deps.limits.mllpHost,
      ports: portsOf(deps.limits, config.port, lastPort),
      maxFrameBytes: config.max_frame_bytes ?? 1_048_576,
      maxConnections: config.max_connections ?? 64,
      maxInFlight: config.max_in_flight ?? 16,
      idleMs: (config.idle_seconds ?? 3_600) * SECOND_MS,
      allowedAddresses: config.allowed_addresses ?? [],
      tls,
    },
    {
      frame: (frame) => runner.take(frame),
      refused: (code, message) => {
        journal.count({ unreadable: 1 });
        journal.trouble({ code, message });
      },
      failed: (error) => {
        const { code } = error as Error & { readonly code?: string };
        journal.fails(new ConnectorFailure(code ?? 'LISTEN', 'The listener has trouble.'));
      },
    },
  );
  runner.opened(listener);
  journal.listens(listener.listening);
  return runner;
}

/** The port that was asked for; else the last one, then the others of the range. */
export function* portsOf(
  { mllpPorts: { from, to } }: Pick<ConnectorLimits, 'mllpPorts'>,
  wanted: number | undefined,
  last: number | null,
): Generator<number> {
  if (wanted !== undefined) {
    yield wanted;
    return;
  }
  if (last !== null && (from === 0 || (last >= from && last <= to))) yield last;
  for (let port = from; port <= to; port += 1) if (port !== last) yield port;
}

class MllpRunner implements ConnectorRunner {
  readonly #deps: MllpDeps;
  readonly #context: RunnerContext<MllpConfig>;
  readonly #queue: ReceivedFrame[] = [];
  #listener: OpenListener | null = null;
  readonly #lanes = new Lanes();
  readonly #numbers: ReservedNumbers;
  readonly #underWay = new Set<Promise<void>>();
  #working: Promise<void> | null = null;
  #stopping = false;

  constructor(deps: MllpDeps, context: RunnerContext<MllpConfig>) {
    this.#deps = deps;
    this.#context = context;
    this.#numbers = new ReservedNumbers(deps.messages.acknowledgementNumbers(context.connector.tenant_id));
  }

  opened(listener: OpenListener): void {
    this.#listener = listener;
  }

  take(frame: ReceivedFrame): void {
    const { budget } = this.#deps;
    this.#queue.push(frame);
    budget.add(frame.bytes.length);
    if (this.#queue.length >= MAX_QUEUED) this.#listener?.pause();
    else if (budget.full) {
      this.#listener?.pause();
      budget.wait(() => this.#resume());
    }
    this.#working ??= this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#listener?.quiesce();
    await this.#working;
    await Promise.all(this.#underWay);
    await this.#listener?.close();
    this.#context.journal.listens(null);
  }

  /** A batch is cut when the bytes of the one before are stored: the longer that takes, the more it holds. */
  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      while (this.#underWay.size >= MAX_BATCHES) await Promise.race(this.#underWay);
      await new Promise<void>((stored) => {
        const done = this.#commit(this.#batch(), stored).finally(() => {
          this.#underWay.delete(done);
          this.#resume();
          stored();
        });
        this.#underWay.add(done);
      });
    }
    this.#working = null;
  }

  #batch(): ReceivedFrame[] {
    let bytes = 0;
    let count = 0;
    while (count < Math.min(BATCH_MESSAGES, this.#queue.length)) {
      bytes += this.#queue[count]?.bytes.length ?? 0;
      if (count > 0 && bytes > BATCH_BYTES) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  /** Never rejects: what cannot be committed is not answered, and its connections end. */
  async #commit(frames: readonly ReceivedFrame[], stored: () => void): Promise<void> {
    const { connector, config, journal, holds } = this.#context;
    const bytes = frames.map((frame) => frame.bytes);
    try {
      // Whoever has lost the lease takes nothing more: another process does.
      if (!holds() && !this.#stopping) throw new ConnectorFailure('LEASE_LOST', 'Another process took over.');
      const options = { strict: config.strict === true, lanes: this.#lanes, numbers: this.#numbers, stored };
      const taking = takeMessages(this.#deps.messages, connector, bytes, options);
      // A message may be tried again while later ones are through; a sender's answers keep the order of its messages.
      // Observed at once: it may fail before its turn.
      taking.catch(() => {});
      const taken = await this.#lanes.answering.run(() => taking);
      frames.forEach((frame, at) => {
        const { answer = null, counts = {}, trouble = null } = taken[at] ?? {};
        journal.count(counts);
        if (trouble) journal.trouble(trouble);
        if (answer === null) frame.drop();
        else frame.answer(answer);
      });
    } catch {
      journal.count({ failures: 1 });
      journal.trouble({
        code: 'UNAVAILABLE',
        message: 'Messages could not be committed; their senders send them again.',
      });
      for (const frame of frames) frame.drop();
    } finally {
      for (const { length } of bytes) this.#deps.budget.remove(length);
    }
  }

  #resume(): void {
    if (this.#stopping || this.#queue.length >= MAX_QUEUED / 2) return;
    if (this.#deps.budget.full) this.#deps.budget.wait(() => this.#resume());
    else this.#listener?.resume();
  }
}
