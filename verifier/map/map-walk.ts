import { LOGS, MAP } from '../archive/entry-names.js';
import type { LineReader } from '../archive/line-reader.js';
import type { HeldFacts } from '../checks/act-records.js';
import type { BundleContext } from '../checks/context.js';
import type { InclusionWalk } from '../checks/inclusion.js';
import type { Commitments } from '../hashing/commitments.js';
import { isObject } from '../manifest/members.js';
import type { Span } from '../text/byte-heap.js';
import { fromUtf8 } from '../text/bytes.js';
import { type EventState, ListedEvents } from './listed-events.js';
import { LogWalk } from './logs.js';
import { checkLogNames, MapProof } from './state-map.js';

/** Collects what the state map must say of the events, and checks map and logs after the last of them. */
export class MapWalk {
  readonly #events = new ListedEvents();
  readonly #proof: MapProof | undefined;
  readonly #logs: LogWalk;
  /** Members by the tag of their log, until one of their records has named them. */
  readonly #unnamed: Map<string, string | undefined>;
  readonly readers: readonly (readonly [path: string, lines: LineReader])[];

  constructor(
    private readonly context: BundleContext,
    private readonly facts: HeldFacts,
    private readonly lines: LineReader,
    logs: LineReader,
  ) {
    const { map, logs: named = [] } = context.manifest.head;
    this.#proof = map === undefined ? undefined : new MapProof(context, facts);
    this.#logs = new LogWalk(context, logs, this.#events);
    this.#unnamed = new Map(
      named.flatMap(({ kind, id, member_id }) => (kind === 'member-log' ? [[id, member_id]] : [])),
    );
    this.readers = this.#proof === undefined ? [] : [[MAP, lines] as const, [LOGS, logs] as const];
  }

  /** @param line of events.jsonl */
  event(
    entryHash: string,
    treeIndex: number,
    tag: string | null,
    state: EventState,
    eventId: string,
    line: Span,
  ): void {
    if (this.#proof === undefined) return;
    this.#events.add(entryHash, treeIndex, tag, state);
    if (state !== 'INCLUDED') return;
    this.#proof.claimShown(eventId);
    if (tag !== null && this.#unnamed.has(tag)) this.#checkMember(tag, line);
  }

  /** All headers with one tag are of one member, so one record binds the tag to its member. */
  #checkMember(tag: string, { bytes, start, end }: Span): void {
    const member = this.#unnamed.get(tag);
    this.#unnamed.delete(tag);
    if (memberOf(fromUtf8(bytes.subarray(start, end)) ?? '') === member) return;
    this.context.findings.broken('complete', 'LOG_MEMBER', LOGS, 'a log is of another member than the manifest says');
  }

  async end(
    hiddenBy: ReadonlyMap<string, string | null>,
    ledger: LineReader,
    inclusion: InclusionWalk,
    commitments: Commitments,
  ): Promise<void> {
    const { findings, manifest } = this.context;
    // The listing names the missing map.
    if (this.#proof === undefined) return;
    this.#proof.claimFacts(hiddenBy);
    await this.#proof.verify(this.lines, ledger, inclusion, commitments);
    await this.#logs.walk();
    checkLogNames(this.context, this.facts);
    const { ledger: log } = manifest.head;
    findings.completeness = { tree_size: log.tree_size, logs: this.#logs.counts };
    const all = this.#logs.counts.reduce((sum, { count }) => sum + count, 0);
    findings.done(
      'complete',
      `${all} of ${all} events of ${this.#logs.counts.length} logs at checkpoint ${log.tree_size}`,
    );
    if (this.#unnamed.size > 0)
      findings.skipped(
        'That a member of the scope without a whole event in the bundle has no events: absence of a member is not proven.',
      );
  }
}

function memberOf(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value['member_id'] : undefined;
  } catch {
    return undefined;
  }
}
