import type { RequestContext } from '../../../shared/auth/context.js';
import { type SensitiveView, viewOfDocument, viewOfRecord } from '../../../shared/consent/sensitivity.js';
import { reasonsToWithhold } from '../../../shared/consent/withheld.js';
import type { ConsentGate } from '../../../shared/contracts/consent.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { LedgerRecords } from '../../../shared/contracts/ledger-records.js';
import type { Redactions } from '../../../shared/contracts/redactions.js';
import { type Narrowed, narrowedSince } from '../../../shared/disclosure/narrowed.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Facts } from '../../../shared/facts/facts.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import type { SealedBundle } from './read-bundles.js';
import { type ArchiveDeps, itemsOf, type SealedItem, sealedRedactions } from './sealed-archive.js';

/** Stores and neighbours that judge an archive before it leaves. */
export interface DisclosureDeps extends ArchiveDeps {
  readonly facts: Pick<Facts, 'changedSince'>;
  readonly redactions: Redactions;
  readonly ledgerRecords: Pick<LedgerRecords, 'records'>;
  readonly documents: Pick<Documents, 'list'>;
  readonly consent: ConsentGate;
}

/** At most 1,000 events a question, 500 documents a page. */
const BATCH = 500;

/**
 * Checks that nothing in a sealed archive was redacted, disposed of or withheld by consent after its seal. Readers with
 * `documents:unredacted` may have such an archive; consent binds them too.
 *
 * @throws FORBIDDEN with `redaction_ids` and `regenerate`
 */
export async function requireDisclosable(
  deps: DisclosureDeps,
  context: RequestContext,
  bundle: SealedBundle,
): Promise<void> {
  const narrowed = await narrowedSince(deps, bundle.tenant_id, instantOf(bundle.seal.sealed_at) ?? 0);
  if (narrowed.consent) await requireConsent(deps, bundle);
  if (readsOriginals(context.principal)) return;
  const found = await hiddenIn(deps, bundle, narrowed);
  if (found.redaction_ids.length === 0 && found.disposed === 0) return;
  throw refusal(bundle, 'This bundle was sealed before records in it were redacted or disposed of.', found);
}

const refusal = ({ bundle_id }: SealedBundle, message: string, extra: object) =>
  problem('FORBIDDEN', { message, extra: { ...extra, regenerate: `/v1/bundles/${bundle_id}/regenerate` } });

interface HiddenIn {
  readonly redaction_ids: readonly string[];
  /** Records that are disposed of, and were not when the bundle was sealed. */
  readonly disposed: number;
}

async function hiddenIn(deps: DisclosureDeps, bundle: SealedBundle, narrowed: Narrowed): Promise<HiddenIn> {
  const { redactedEvents, disposedEvents } = narrowed;
  const events = await named(itemsOf(deps, bundle, 'events'), new Set([...redactedEvents, ...disposedEvents]));
  const documents = await named(itemsOf(deps, bundle, 'documents'), narrowed.documents);
  if (events.length + documents.length === 0) return { redaction_ids: [], disposed: 0 };
  const redaction_ids = new Set<string>();
  let disposed = events.filter(({ id }) => disposedEvents.has(id)).length;
  for (const part of inBatches(events)) {
    const current = await deps.redactions.ofEvents(
      bundle.tenant_id,
      part.map(({ id }) => id),
    );
    for (const { redaction_id } of current.values()) redaction_ids.add(redaction_id);
  }
  for (const part of inBatches(documents)) {
    const filter = { documentIds: part.map(({ id }) => id) };
    const { items } = await deps.documents.list(bundle.tenant_id, filter, null, BATCH);
    for (const { rendition, status } of items) {
      if (rendition !== null) redaction_ids.add(rendition.redaction_id);
      if (status === 'DISPOSED') disposed += 1;
    }
  }
  for (const sealed of await sealedRedactions(deps, bundle)) redaction_ids.delete(sealed);
  return { redaction_ids: [...redaction_ids].sort(), disposed };
}

/** The items with content in the archive among the narrowed ones. */
async function named(items: AsyncIterable<SealedItem>, narrowed: ReadonlySet<string>): Promise<readonly SealedItem[]> {
  const found: SealedItem[] = [];
  if (narrowed.size === 0) return found;
  for await (const item of items) {
    if (narrowed.has(item.id) && hasContent(item)) found.push(item);
  }
  return found;
}

function* inBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH);
}

/**
 * A bundle for a purpose is refused when a consent now withholds one of its records from that purpose. A new bundle leaves
 * out withheld content; so did this one with the content that was withheld at its seal.
 */
async function requireConsent(deps: DisclosureDeps, bundle: SealedBundle): Promise<void> {
  if (!bundle.consent) return;
  const { purpose, actors } = bundle.consent;
  for await (const views of shownViews(deps, bundle)) {
    for (const actor of actors) {
      const reasons = await reasonsToWithhold(deps.consent, bundle.tenant_id, { purpose, actor }, views);
      if (reasons.every((reason) => reason === null)) continue;
      throw refusal(bundle, 'Consent has withheld a record from the purpose of this bundle since its seal.', {
        redaction_ids: [],
      });
    }
  }
}

/** The records with content in the archive as consent sees them, in batches. */
async function* shownViews(deps: DisclosureDeps, bundle: SealedBundle): AsyncGenerator<readonly SensitiveView[]> {
  const { tenant_id } = bundle;
  const members = bundle.frozen?.member_ids ?? [];
  for await (const events of shownItems(deps, bundle, 'events')) {
    const records = await deps.ledgerRecords.records(tenant_id, events);
    yield records.map((record) => viewOfRecord(record, members));
  }
  for await (const documents of shownItems(deps, bundle, 'documents')) {
    const documentIds = documents.map(({ id }) => id);
    const { items } = await deps.documents.list(tenant_id, { documentIds }, null, BATCH);
    yield items.map(viewOfDocument);
  }
}

async function* shownItems(
  deps: DisclosureDeps,
  bundle: SealedBundle,
  list: 'events' | 'documents',
): AsyncGenerator<readonly SealedItem[]> {
  let batch: SealedItem[] = [];
  for await (const item of itemsOf(deps, bundle, list)) {
    if (!hasContent(item)) continue;
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const hasContent = ({ state }: SealedItem): boolean => state === 'INCLUDED' || state === 'REDACTED';
