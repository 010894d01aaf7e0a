import { LOGS } from '../archive/entry-names.js';
import type { LineReader } from '../archive/line-reader.js';
import type { BundleContext } from '../checks/context.js';
import { u64be } from '../hashing/multiproof.js';
import { TreeHasher } from '../hashing/tree.js';
import type { ManifestLog } from '../manifest/manifest-shape.js';
import type { LogCompleteness } from '../report.js';
import { fromDecimal, fromHex, isHash, joined, toHex } from '../text/bytes.js';
import { tsvCells } from '../text/tsv.js';
import type { ListedEvents } from './listed-events.js';

const COLUMNS = ['log', 'cause', 'entry_hash', 'event', 'reason'];
const REASONS = ['OUT_OF_WINDOW', 'WITHHELD'] as const;
type Reason = (typeof REASONS)[number];

interface LogRow {
  readonly log: number;
  readonly cause: number;
  readonly entry_hash: string;
  readonly event: number | null;
  readonly reason: Reason | null;
}

/** The root of a tree that grows leaf by leaf (RFC 6962 section 2.1). */
class GrowingRoot {
  readonly #nodes: { readonly hash: Uint8Array; readonly width: number }[] = [];
  constructor(private readonly hasher: TreeHasher) {}

  add(leaf: Uint8Array): void {
    let [hash, width] = [leaf, 1];
    for (let last = this.#nodes.at(-1); last?.width === width; last = this.#nodes.at(-1)) {
      this.#nodes.pop();
      [hash, width] = [this.hasher.node(last.hash, hash), 2 * width];
    }
    this.#nodes.push({ hash, width });
  }

  root(): Uint8Array {
    const [last, ...others] = this.#nodes.map(({ hash }) => hash).reverse();
    return last === undefined
      ? this.hasher.empty()
      : others.reduce((right, left) => this.hasher.node(left, right), last);
  }
}

/** Reads proofs/logs.tsv: every leaf of each log of the manifest, as an event of the bundle or left out with its reason. */
export class LogWalk {
  readonly #hasher: TreeHasher;
  readonly #logs: readonly ManifestLog[];
  readonly #withheld = new Set<string>();
  /** For the report, by log. */
  readonly counts: LogCompleteness[] = [];

  constructor(
    private readonly context: BundleContext,
    private readonly lines: LineReader,
    private readonly events: ListedEvents,
  ) {
    this.#hasher = new TreeHasher(context.platform);
    this.#logs = context.manifest.head.logs ?? [];
  }

  async walk(): Promise<void> {
    if ((await this.lines.line()) !== COLUMNS.join('\t')) this.#broken('LOG_FORM', LOGS, 'not the header row');
    for (const [i, log] of this.#logs.entries()) await this.#log(i, log);
    if ((await this.lines.line()) !== undefined) this.#broken('LOG_EXTRA', LOGS, 'a row of no log of the manifest');
    const { bundle_type, consent } = this.context.manifest.head;
    const withheld = (consent?.withheld ?? []).reduce((sum, { events }) => sum + events, 0);
    if (this.#withheld.size !== withheld)
      this.#broken('LOG_WITHHELD', LOGS, `${this.#withheld.size} withheld events; the manifest counts ${withheld}`);
    if (bundle_type === 'MATTER') return;
    for (const event of this.events.unlogged())
      this.#broken('EVENT_UNLOGGED', `events/${event}`, 'in no log of the scope');
  }

  #broken(code: string, subject: string, detail: string): void {
    this.context.findings.broken('complete', code, subject, detail);
  }

  async #log(number: number, log: ManifestLog): Promise<void> {
    const root = new GrowingRoot(this.#hasher);
    const counts = { INCLUDED: 0, REDACTED: 0, DISPOSED: 0, OUT_OF_WINDOW: 0, WITHHELD: 0 };
    const subject = `logs/${number}`;
    let found = 0;
    for (; found < log.count; found++) {
      const line = await this.lines.line();
      const row = line === undefined ? undefined : readRow(line);
      if (row?.log !== number) {
        this.#broken('LOG_FORM', subject, `leaf ${found} is missing or has another form`);
        break;
      }
      const state = this.#state(row, log, subject);
      if (state !== undefined) counts[state]++;
      root.add(this.context.platform.sha256(joined(Uint8Array.of(0), fromHex(row.entry_hash), u64be(row.cause))));
    }
    if (toHex(root.root()) !== log.root) this.#broken('LOG_ROOT', subject, 'its leaves do not make its root');
    const { kind, id, member_id, count } = log;
    this.counts.push({ kind, id: member_id ?? id, count, ...counts });
  }

  #state({ cause, entry_hash, event, reason }: LogRow, log: ManifestLog, subject: string) {
    const { scope, consent } = this.context.manifest.head;
    if (event === null) {
      const isAllowed = reason === 'WITHHELD' ? consent !== undefined : (scope.from ?? scope.to) !== undefined;
      if (!isAllowed) this.#broken('LOG_REASON', subject, `${reason} is no reason in this bundle`);
      if (reason === 'WITHHELD') this.#withheld.add(entry_hash);
      return reason ?? undefined;
    }
    const found = this.events.at(event);
    if (found?.entryHash !== entry_hash) {
      this.#broken('LOG_EVENT', subject, `a leaf names event ${event}, which is another`);
      return undefined;
    }
    this.events.log(event);
    if (log.kind === 'member-log' && cause === found.treeIndex && found.memberTag !== log.id)
      this.#broken('LOG_TAG', subject, `event ${event} has the tag of another member`);
    return found.state;
  }
}

function readRow(line: string): LogRow | undefined {
  const [log, cause, entry_hash, event, reason] = tsvCells(line, COLUMNS.length) ?? [];
  const [logNumber, causeIndex] = [fromDecimal(log ?? ''), fromDecimal(cause ?? '')];
  const number = event === null ? null : fromDecimal(event ?? '');
  const known = reason === null ? null : REASONS.find((one) => one === reason);
  if (logNumber === undefined || causeIndex === undefined || !isHash(entry_hash)) return undefined;
  if (number === undefined || known === undefined || (number === null) === (known === null)) return undefined;
  return { log: logNumber, cause: causeIndex, entry_hash, event: number, reason: known };
}
