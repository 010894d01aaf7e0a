import type { WithheldReason } from '../../../shared/consent/verdict.js';
import type { ChainEntry, ChainSubject } from '../../../shared/contracts/ledger-records.js';
import { digestedEventText } from '../../../shared/evidence/bundle/content-digest.js';
import { type ManifestEvent, manifestEventText } from '../../../shared/evidence/bundle/manifest.js';
import { LEDGER_HEADER, ledgerLine } from '../../../shared/evidence/bundle/tsv.js';
import type { RowSet } from '../domain/row-set.js';
import { BlockQueue } from './block-queue.js';
import type { Build, BuildDeps } from './build-deps.js';
import { notMinimal } from './build-failure.js';
import { type EventPage, eventPage, type ShippedEvent } from './event-page.js';
import { requireExplained } from './explained-disposals.js';
import { ReferencedDocuments } from './gather-documents.js';
import type { SpoolFile } from './ports/spools.js';
import { ledgerChainLine } from './spool-chain.js';

const PAGE_ROWS = 1_000;

/** What one walk over the events leaves: temporary files in order of the tree, and what is known only at its end. */
export interface SpooledEvents {
  readonly lines: SpoolFile;
  readonly ledger: SpoolFile;
  readonly inclusion: SpoolFile;
  /** LEDGER rows of chain.tsv; see spool-chain.ts. */
  readonly chain: SpoolFile;
  /** Texts of the content digest. */
  readonly digested: SpoolFile;
  /** The events of the manifest, commas included: all that is held in memory of them. */
  readonly manifestEvents: readonly Buffer[];
  readonly counts: { readonly events: number; readonly redacted: number; readonly disposed: number };
  readonly redactions: readonly { readonly redaction_id: string; readonly id: string }[];
  readonly holds: ReadonlyMap<string, number>;
  readonly documents: ReferencedDocuments;
  /** Events that consent keeps out, by id: they stand in nothing above. */
  readonly withheld: ReadonlyMap<string, WithheldReason>;
  /** Custody and system entries about the events. */
  readonly entries: ReadonlyMap<number, ChainEntry>;
}

/** Walks over the events once, page by page; the next page is fetched while this one is written. */
export async function spoolEvents(deps: BuildDeps, build: Build, rows: RowSet): Promise<SpooledEvents> {
  const { spools, tell } = build;
  const walk = new EventWalk(deps, build, {
    lines: await spools.next(),
    ledger: await spools.next(),
    inclusion: await spools.next(),
    chain: await spools.next(),
    digested: await spools.next(),
  });
  await walk.begin();
  const pages = Math.ceil(rows.size / PAGE_ROWS);
  const fetch = (n: number): Promise<PageRead> => readPage(deps, build, n, rows);
  let coming = pages > 0 ? fetch(0) : undefined;
  for (let n = 0; n < pages; n++) {
    await tell('EVENTS', n * PAGE_ROWS, rows.size);
    const page = await coming;
    coming = n + 1 < pages ? fetch(n + 1) : undefined;
    // Awaited in the next turn: until then a failure of it is nobody's.
    coming?.catch(() => undefined);
    if (page) await walk.take(page);
  }
  return walk.end();
}

interface PageRead extends EventPage {
  readonly entries: readonly ChainEntry[];
}

async function readPage(deps: BuildDeps, build: Build, n: number, rows: RowSet): Promise<PageRead> {
  const page = await eventPage(deps, build, n, rows.slice(n * PAGE_ROWS, PAGE_ROWS));
  const subjects: ChainSubject[] = page.events.map(({ record }) => ({ kind: 'EVENT', id: record.event_id }));
  const disposals = page.events.flatMap(({ record }) => (record.disposal_id === null ? [] : [record.disposal_id]));
  const redactions = page.facts.redactions.map(({ redaction_id }) => redaction_id);
  const system_ids = [...new Set([...disposals, ...redactions])];
  const { tree_size } = build.frozen.checkpoint;
  const entries = await deps.ledgerRecords.chain(build.tenantId, { subjects, system_ids }, tree_size);
  await requireExplained(deps, build, disposals, entries);
  return { ...page, entries };
}

type Files = Pick<SpooledEvents, 'lines' | 'ledger' | 'inclusion' | 'chain' | 'digested'>;

class EventWalk {
  readonly #build: Build;
  readonly #files: Files;
  readonly #blocks: BlockQueue;
  readonly #manifestEvents: Buffer[] = [];
  readonly #counts = { events: 0, redacted: 0, disposed: 0 };
  readonly #redactions: { redaction_id: string; id: string }[] = [];
  readonly #holds = new Map<string, number>();
  readonly #documents = new ReferencedDocuments();
  readonly #withheld = new Map<string, WithheldReason>();
  readonly #entries = new Map<number, ChainEntry>();

  constructor(deps: BuildDeps, build: Build, files: Files) {
    this.#build = build;
    this.#files = files;
    this.#blocks = new BlockQueue(deps, build, files.inclusion);
  }

  begin(): Promise<void> {
    return this.#files.ledger.write(LEDGER_HEADER);
  }

  async take({ events, facts, entries }: PageRead): Promise<void> {
    const { lines, ledger, chain, digested } = this.#files;
    const separator = this.#counts.events === 0 || events.length === 0 ? '' : ',';
    const listed = events.map(manifestEvent);
    for (const event of events) this.#count(event);
    this.#manifestEvents.push(Buffer.from(separator + listed.map(manifestEventText).join(',')));
    await digested.write(separator + listed.map(digestedEventText).join(','));
    await lines.write(events.map(({ line }) => `${line}\n`).join(''));
    await ledger.write(events.map(proofRow).join(''));
    await chain.write(events.map(ledgerChainLine).join(''));
    for (const { tree_index, record } of events) await this.#blocks.add(tree_index, record.entry_hash);
    for (const { hold_id, events: held } of facts.holds)
      this.#holds.set(hold_id, (this.#holds.get(hold_id) ?? 0) + held);
    const eventIds = events.map(({ record }) => record.event_id);
    const withheld = new Map(facts.withheld.map(({ event_id, reason }) => [event_id, reason]));
    this.#documents.add(facts.documents, eventIds, withheld);
    for (const [eventId, reason] of withheld) this.#withheld.set(eventId, reason);
    for (const entry of entries) this.#entries.set(entry.tree_index, entry);
  }

  async end(): Promise<SpooledEvents> {
    await this.#blocks.finish();
    return {
      ...this.#files,
      manifestEvents: this.#manifestEvents,
      counts: this.#counts,
      redactions: this.#redactions,
      holds: this.#holds,
      documents: this.#documents,
      withheld: this.#withheld,
      entries: this.#entries,
    };
  }

  #count({ state, redaction_id, record }: ShippedEvent): void {
    this.#counts.events++;
    if (state === 'INCLUDED') return;
    if (this.#build.bundle.profile === 'minimal') throw notMinimal();
    if (state === 'DISPOSED') this.#counts.disposed++;
    else this.#counts.redacted++;
    if (redaction_id !== null) this.#redactions.push({ redaction_id, id: record.event_id });
  }
}

const manifestEvent = ({ record, tree_index, state, sha256 }: ShippedEvent): ManifestEvent => ({
  event_id: record.event_id,
  sha256,
  source_system: record.source_system,
  seq: record.seq,
  entry_hash: record.entry_hash,
  tree_index,
  state,
});

/** The seed travels only with a fully disclosed event. */
const proofRow = ({ record, tree_index, state }: ShippedEvent): string =>
  ledgerLine({
    event_id: record.event_id,
    source_system: record.source_system,
    seq: record.seq,
    recorded_at: record.recorded_at,
    seed: state === 'INCLUDED' ? record.seed : null,
    commit: record.commit,
    fields: record.fields,
    prev: record.prev_hash,
    entry_hash: record.entry_hash,
    tree_index,
  });
