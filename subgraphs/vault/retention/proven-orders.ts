import { z } from 'zod';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Fact, FactDraft, FactSubject } from '../../../shared/facts/fact.js';
import type { FactGuard } from '../../../shared/facts/guard.js';
import { jsonOf } from '../../../shared/facts/state-json.js';
import { idLike } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { VAULT_SERVICE } from '../documents/index.js';
import type { DisposedDocument, DisposedEvent, StoredDisposal } from './ports.js';

// The order of a disposal is a fact: it fixes once, for every process, what goes. A row that differs from it removes nothing.

export interface OrderDeps {
  readonly guard: FactGuard;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
}

/** What may go of an order. */
export type OrderContents = Pick<StoredDisposal, 'policies' | 'events' | 'documents'>;

export const NOTHING: OrderContents = { policies: [], events: [], documents: [] };

const subjectOf = (id: string): FactSubject => ({ kind: 'disposal-order', id });

const Lists = z.object({
  policies: z.array(z.string()),
  events: z.array(
    z.object({
      event_id: z.string(),
      source_system: z.string(),
      sequence: z.int(),
      member_id: z.string().nullable(),
      worm_sha256: z.string().nullable(),
      raw_sha256: z.string().nullable(),
    }),
  ),
  documents: z.array(
    z.object({ document_id: z.string(), member_ids: z.array(z.string()), sha256s: z.array(z.string()) }),
  ),
});

/** The lists of a row; null for an edited row that holds something else. */
export const listsOf = (row: StoredDisposal): OrderContents | null => Lists.safeParse(row).data ?? null;

const OrderState = z.object({ at: z.string(), policies: z.array(z.string()) });

const placeOf = ({ event_id, source_system, sequence }: DisposedEvent) => ({ event_id, source_system, sequence });

/** The evidential fields. Writer, reader and verification derive them here. */
export const stateOfOrder = ({ sweep_id, at, policies, events, documents, contents }: StoredDisposal): JsonObject => ({
  sweep_id: jsonOf(sweep_id),
  at: jsonOf(at),
  policies: jsonOf(policies),
  events: events.map((event) => jsonOf(placeOf(event))),
  documents: documents.map(({ document_id }) => jsonOf(document_id)),
  contents: jsonOf(contents),
});

/** Binds the fact to names that it must not hold: hashes without a salt, and members. */
function contentsOf(
  { masterKey }: Pick<OrderDeps, 'masterKey'>,
  tenantId: TenantId,
  { events, documents }: { readonly events: readonly DisposedEvent[]; readonly documents: readonly DisposedDocument[] },
): string {
  const text = canonicalJson(jsonOf([events, documents]));
  return hmacSha256(masterKey.derive('disposal-order', tenantId), text).toString('hex');
}

async function factOf({ guard }: OrderDeps, tenantId: TenantId, id: string): Promise<Fact | null> {
  const [answer] = await guard.read(tenantId, [{ subject: subjectOf(id), known: null }]);
  return answer?.newer[0] ?? null;
}

/** @throws INTEGRITY_FAILURE for an order with a fact and without a row. */
export async function requireNoOrder(deps: OrderDeps, tenantId: TenantId, id: string): Promise<void> {
  if ((await factOf(deps, tenantId, id)) !== null) await deps.guard.reject(tenantId, subjectOf(id), 'ROW_MISSING');
}

/**
 * Returns what an order disposes of, as its fact fixes it. The first process to ask appends the fact; every other follows
 * it, so that a hold which comes in between is either seen or comes after all removals.
 *
 * @param judge judges the prepared row by facts alone
 * @throws INTEGRITY_FAILURE for a row that the fact does not prove
 */
export async function decidedOrder(
  deps: OrderDeps,
  row: StoredDisposal,
  judge: () => Promise<OrderContents>,
): Promise<StoredDisposal> {
  const { tenant_id, disposal_id } = row;
  let fact = await factOf(deps, tenant_id, disposal_id);
  if (fact === null) {
    await deps.guard.append(tenant_id, draftOf(deps, row, await judge()));
    fact = await factOf(deps, tenant_id, disposal_id);
    if (fact === null) throw new Error('an appended order has no fact');
  }
  return chosen(deps, row, fact);
}

function draftOf(deps: OrderDeps, row: StoredDisposal, contents: OrderContents): FactDraft {
  const at = new Date(deps.clock.nowMs());
  const order = { ...row, ...contents, at, contents: contentsOf(deps, row.tenant_id, contents) };
  const isRefused = contents.events.length + contents.documents.length === 0;
  return {
    fact_id: idLike('effect', row.disposal_id),
    subject: subjectOf(row.disposal_id),
    event_family: 'retention',
    event_type: isRefused ? 'disposal.refused' : 'disposal.ordered',
    at: isoTime(at.getTime()),
    action: isRefused ? 'refuse' : 'order',
    actor: { type: 'SERVICE', id: VAULT_SERVICE },
    previous: null,
    state: stateOfOrder(order),
  };
}

/** The part of a prepared row that its fact names, in the order of the fact: the row may list its chains in another. */
async function chosen(deps: OrderDeps, row: StoredDisposal, fact: Fact): Promise<StoredDisposal> {
  const { tenant_id, disposal_id } = row;
  const [eventNames, documentNames] = [textsIn(fact.state['events']), textsIn(fact.state['documents'])];
  // Nothing of a refused order goes, whatever its row holds.
  const lists = eventNames.length + documentNames.length === 0 ? NOTHING : listsOf(row);
  const { success, data } = OrderState.safeParse(fact.state);
  if (lists === null || !success) return deps.guard.reject(tenant_id, subjectOf(disposal_id), 'ROW_MALFORMED');
  const events = inOrder(eventNames, lists.events, (event) => canonicalJson(placeOf(event)));
  const documents = inOrder(documentNames, lists.documents, ({ document_id }) => canonicalJson(document_id));
  const order = { ...row, at: new Date(data.at), policies: data.policies, events, documents, fact: fact.place };
  const decided = { ...order, contents: contentsOf(deps, tenant_id, { events, documents }) };
  return (await isProven(deps, decided, fact))
    ? decided
    : deps.guard.reject(tenant_id, subjectOf(disposal_id), 'ROW_DIFFERS');
}

/** The items of these names, in the order of the names. */
function inOrder<T>(names: readonly string[], items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const byName = new Map(items.map((item) => [nameOf(item), item]));
  return names.flatMap((name) => byName.get(name) ?? []);
}

const textsIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.map((item) => canonicalJson(jsonOf(item))) : [];

const isProven = async (deps: OrderDeps, row: StoredDisposal, { state }: Fact): Promise<boolean> =>
  canonicalJson(state) === canonicalJson(stateOfOrder(row)) && row.contents === contentsOf(deps, row.tenant_id, row);

/** Compares a disposed order with its fact. @throws INTEGRITY_FAILURE */
export async function requireProvenOrder(deps: OrderDeps, row: StoredDisposal): Promise<void> {
  const { tenant_id, disposal_id } = row;
  const reject = (damage: Parameters<FactGuard['reject']>[2]) =>
    deps.guard.reject(tenant_id, subjectOf(disposal_id), damage);
  const fact = await factOf(deps, tenant_id, disposal_id);
  if (fact === null) return reject('FACT_MISSING');
  if (listsOf(row) === null) return reject('ROW_MALFORMED');
  // The names of copies leave the row with the last copy.
  const isSame =
    row.status === 'GONE'
      ? canonicalJson(fact.state) === canonicalJson(stateOfOrder(row))
      : await isProven(deps, row, fact);
  if (!isSame) await reject('ROW_DIFFERS');
}
