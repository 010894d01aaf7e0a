import type { MllpConfig } from './domain/kinds.js';
import { type MessageDeps, takeMessages } from './messages.js';
import {
  ConnectorFailure,
  type ConnectorLimits,
  type OpenListener,
  type OpenMessageListener,
  type ReceivedFrame,
} from './ports.js';
import type { ConnectorRunner, RunnerContext } from './runner.js';
import { Lanes, ReservedNumbers } from './together.js';

interface MllpDeps {
  readonly messages: MessageDeps;
  readonly openListener: OpenMessageListener;
  readonly limits: ConnectorLimits;
  readonly budget: FlightBudget;
}

/** The most messages committed together. */
const BATCH_MESSAGES = 64;
const BATCH_BYTES = 8 * 1024 * 1024;
/** Batches in flight, each in another lane. */
const MAX_BATCHES = 3;
/** Waiting messages of one connector above which none of its connections is read. */
const MAX_QUEUED = 512;
const SECOND_MS = 1_000;

/** Counts the bytes of waiting messages of all connectors in this process; above the limit no connection is read. */
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

  /** Called once when there is room again. */
  wait(resume: () => void): void {
    this.#waiting.add(resume);
  }
}

/** Listens until stopped. @throws ConnectorFailure if it cannot listen. */
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
      failed: ({ code = 'LISTEN' }) => journal.fails(new ConnectorFailure(code, 'The listener failed.')),
    },
  );
  runner.opened(listener);
  journal.listens(listener.listening);
  return runner;
}

/** The configured port; else the last one, then the others of the range. */
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

  /** A batch closes when the bytes of the previous one are stored: slower storage makes larger batches. */
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

  /** Never rejects: uncommitted messages get no answer, and their connections end. */
  async #commit(frames: readonly ReceivedFrame[], stored: () => void): Promise<void> {
    const { connector, config, journal, holds } = this.#context;
    const bytes = frames.map((frame) => frame.bytes);
    try {
      // Without the lease another process takes the messages.
      if (!holds() && !this.#stopping) throw new ConnectorFailure('LEASE_LOST', 'Another process took over.');
      const options = { strict: config.strict === true, lanes: this.#lanes, numbers: this.#numbers, stored };
      const taking = takeMessages(this.#deps.messages, connector, bytes, options);
      // Answers keep the order of a sender's messages although later ones may finish first. Handle the rejection at
      // once: it may occur before its turn.
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
        message: 'Messages could not be committed. Their senders must send them again.',
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
