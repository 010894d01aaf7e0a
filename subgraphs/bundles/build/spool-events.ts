import type { WithheldReason } from '../../../shared/consent/verdict.js';
import type { ChainEntry, ChainSubject } from '../../../shared/contracts/ledger-records.js';
import { digestedEventText } from '../../../shared/evidence/bundle/content-digest.js';
import { type ManifestEvent, manifestEventText } from '../../../shared/evidence/bundle/manifest.js';
import { LEDGER_HEADER } from '../../../shared/evidence/bundle/tsv.js';
import { subjectName } from '../../../shared/facts/fact.js';
import type { SpoolFile } from '../archive/index.js';
import type { Build, BuildDeps } from './build-deps.js';
import { notMinimal } from './build-failure.js';
import type { RowSet } from './domain/row-set.js';
import { type EventPage, eventPage, type ShippedEvent } from './event-page.js';
import { requireExplained } from './explained-disposals.js';
import { ReferencedDocuments } from './gather-documents.js';
import { BlockQueue, ledgerRow } from './proofs.js';
import { eventKeys } from './prove-map.js';
import { ledgerChainLine } from './spool-chain.js';

const PAGE_ROWS = 1_000;

/** Results of one walk over the events: temporary files in tree order, and totals. */
export interface SpooledEvents {
  readonly lines: SpoolFile;
  readonly ledger: SpoolFile;
  readonly inclusion: SpoolFile;
  /** LEDGER rows of chain.tsv; see spool-chain.ts. */
  readonly chain: SpoolFile;
  /** Texts for the content digest. */
  readonly digested: SpoolFile;
  /** The events of the manifest, commas included: the only part held in memory. */
  readonly manifestEvents: readonly Buffer[];
  readonly counts: { readonly events: number; readonly redacted: number; readonly disposed: number };
  readonly redactions: readonly { readonly redaction_id: string; readonly id: string }[];
  readonly holds: ReadonlyMap<string, number>;
  readonly documents: ReferencedDocuments;
  /** Tree indexes of the events, ascending. */
  readonly shown: readonly number[];
  /** Keys of the state map about the events, joined. */
  readonly mapKeys: readonly Buffer[];
  /** Events that consent withholds, by id; nothing above contains them. */
  readonly withheld: ReadonlyMap<string, WithheldReason>;
  /** Custody and system entries about the events. */
  readonly entries: ReadonlyMap<number, ChainEntry>;
}

/** Walks over the events once, page by page; fetches the next page while writing this one. */
export async function spoolEvents(deps: BuildDeps, build: Build, rows: RowSet): Promise<SpooledEvents> {
  const { spools, reportProgress } = build;
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
    await reportProgress('EVENTS', n * PAGE_ROWS, rows.size);
    const page = await coming;
    coming = n + 1 < pages ? fetch(n + 1) : undefined;
    // Awaited in the next iteration; until then its failure has no handler.
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
  const disposed = page.events.filter(({ record }) => record.disposal_id !== null);
  const disposals = [...new Set(disposed.flatMap(({ record }) => record.disposal_id ?? []))];
  const system_ids = [
    ...disposals,
    ...disposed.map(({ record }) => subjectName({ kind: 'disposal', id: record.event_id })),
    ...page.facts.redactions.map(({ event_id: id }) => subjectName({ kind: 'event-redaction', id })),
  ];
  const { tree_size } = build.frozen.checkpoint;
  const wanted = { subjects, system_ids, record_ids: [] };
  const entries = await deps.ledgerRecords.chain(build.tenantId, wanted, tree_size);
  await requireExplained(deps, build, disposals, entries);
  return { ...page, entries };
}

type Files = Pick<SpooledEvents, 'lines' | 'ledger' | 'inclusion' | 'chain' | 'digested'>;

interface Found {
  readonly manifestEvents: Buffer[];
  readonly counts: { events: number; redacted: number; disposed: number };
  readonly redactions: { redaction_id: string; id: string }[];
  readonly holds: Map<string, number>;
  readonly documents: ReferencedDocuments;
  readonly shown: number[];
  readonly mapKeys: Buffer[];
  readonly withheld: Map<string, WithheldReason>;
  readonly entries: Map<number, ChainEntry>;
}

class EventWalk {
  readonly #build: Build;
  readonly #files: Files;
  readonly #blocks: BlockQueue;
  readonly #found: Found = {
    manifestEvents: [],
    counts: { events: 0, redacted: 0, disposed: 0 },
    redactions: [],
    holds: new Map(),
    documents: new ReferencedDocuments(),
    shown: [],
    mapKeys: [],
    withheld: new Map(),
    entries: new Map(),
  };

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
    const { counts, holds, ...found } = this.#found;
    const separator = counts.events === 0 || events.length === 0 ? '' : ',';
    const listed = events.map(manifestEvent);
    for (const event of events) this.#count(event);
    for (const { tree_index } of events) found.shown.push(tree_index);
    found.mapKeys.push(
      Buffer.concat(events.map(({ record, state }) => eventKeys(record.event_id, state === 'DISPOSED'))),
    );
    found.manifestEvents.push(Buffer.from(separator + listed.map(manifestEventText).join(',')));
    await digested.write(separator + listed.map(digestedEventText).join(','));
    await lines.write(events.map(({ line }) => `${line}\n`).join(''));
    await ledger.write(events.map(proofRow).join(''));
    await chain.write(events.map(ledgerChainLine).join(''));
    for (const { tree_index, record } of events) await this.#blocks.add(tree_index, record.entry_hash);
    for (const { hold_id, events: held } of facts.holds) holds.set(hold_id, (holds.get(hold_id) ?? 0) + held);
    const eventIds = events.map(({ record }) => record.event_id);
    const withheld = new Map(facts.withheld.map(({ event_id, reason }) => [event_id, reason]));
    found.documents.add(facts.documents, eventIds, withheld);
    for (const [eventId, reason] of withheld) found.withheld.set(eventId, reason);
    for (const entry of entries) found.entries.set(entry.tree_index, entry);
  }

  async end(): Promise<SpooledEvents> {
    await this.#blocks.finish();
    return { ...this.#files, ...this.#found };
  }

  #count({ state, redaction_id, record }: ShippedEvent): void {
    const { counts, redactions } = this.#found;
    counts.events++;
    if (state === 'INCLUDED') return;
    if (this.#build.bundle.profile === 'minimal') throw notMinimal();
    if (state === 'DISPOSED') counts.disposed++;
    else counts.redacted++;
    if (redaction_id !== null) redactions.push({ redaction_id, id: record.event_id });
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

const proofRow = ({ record, tree_index, state }: ShippedEvent): string =>
  ledgerRow(record, tree_index, state === 'INCLUDED' ? record.seed : null);
