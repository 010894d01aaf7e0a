import { type AdoptableRow, type AdoptableRows, AdoptionRefused } from '../../../shared/facts/adoption.js';
import { isReservedSourceSystem, type TenantId } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { contentOf, isAltered, isLinked, type LedgerRow } from '../append/domain/index.js';
import { LEDGER_COLLECTION, type TenantContext, type TenantContexts } from '../append/index.js';
import { DISPOSAL_TYPE } from '../integrity/index.js';
import { disposalState } from './domain.js';

/** Disposals in memory: events of one disposal follow each other in the ledger. */
const MAX_KNOWN = 100;

/**
 * The events that an earlier version disposed of, for the command that adopts rows. Their disposal is proven already: the
 * `_system` entry that accounts for it must match its hashes and name the event at its place.
 */
export const adoptableDisposals = (
  withoutRecord: (tenantId: TenantId) => AsyncIterable<LedgerRow>,
  contexts: Pick<TenantContexts, 'of'>,
): AdoptableRows => ({
  collection: LEDGER_COLLECTION,
  nameFacts: false,
  rows: async function* (tenantId) {
    const tenant = await contexts.of(tenantId);
    const known = new Map<string, Disposed | null>();
    for await (const row of withoutRecord(tenantId)) {
      // No policy covers those: they are damaged.
      if (isReservedSourceSystem(row._id.source_system)) continue;
      const disposalId = String(row.disposal_id);
      if (known.size > MAX_KNOWN) known.clear();
      if (!known.has(disposalId)) known.set(disposalId, await disposalNamed(tenant, disposalId));
      yield adoptable(row, known.get(disposalId) ?? null);
    }
  },
});

interface Disposed {
  readonly at: string;
  readonly policies: readonly string[];
  readonly places: ReadonlySet<string>;
}

function adoptable(row: LedgerRow, disposed: Disposed | null): AdoptableRow {
  const { event_id, disposal_id, _id } = row;
  return {
    id: event_id,
    key: event_id,
    fact: undefined,
    createdAt: disposed === null ? null : new Date(disposed.at),
    adopted: () => {
      const isNamed = disposed?.places.has(placeKey(event_id, _id.source_system, _id.seq));
      if (disposed === null || disposal_id === undefined || !isNamed || !isLinked(row)) {
        throw new AdoptionRefused('CONTRADICTED');
      }
      return [{ state: disposalState({ disposal_id, at: disposed.at, policies: disposed.policies }) }];
    },
  };
}

const placeKey = (eventId: unknown, sourceSystem: unknown, sequence: unknown): string =>
  `${String(eventId)}/${String(sequence)}/${String(sourceSystem)}`;

/** The disposal that an entry accounts for; null for a missing entry, or one that differs from its hashes. */
async function disposalNamed({ ledger }: Pick<TenantContext, 'ledger'>, disposalId: string): Promise<Disposed | null> {
  const query = { source_system: '_system', source_record_id: disposalId, event_type: DISPOSAL_TYPE };
  const [entry] = await ledger.list({ ...query, limit: 1, ascending: true });
  if (entry === undefined || isAltered(entry)) return null;
  const content = contentOf(entry);
  const payload = content?.['payload'];
  if (content === undefined || !isJsonObject(payload) || payload['disposal_id'] !== disposalId) return null;
  const { events, policies } = payload;
  const places = (Array.isArray(events) ? events : []).filter((event): event is JsonObject => isJsonObject(event));
  return {
    at: String(content['event_effective_timestamp']),
    policies: Array.isArray(policies) ? policies.map(String) : [],
    places: new Set(places.map((event) => placeKey(event['event_id'], event['source_system'], event['sequence']))),
  };
}
