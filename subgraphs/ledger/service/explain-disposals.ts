import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import { DISPOSAL_TYPE } from './dispose-events.js';
import type { TenantIntegrity } from './ports/integrity-store.js';
import type { TenantLedger } from './ports/ledger-store.js';

/** An entry whose record is gone. */
export interface Hole {
  readonly event_id: string;
  readonly seq: number;
}

export interface HoleReader {
  readonly ledger: Pick<TenantLedger, 'list' | 'records'>;
  readonly integrity: Pick<TenantIntegrity, 'disposalIds'>;
}

/**
 * Which of these holes of a chain the `_system` partition accounts for, by sequence: the row names a disposal, and that
 * entry, which holds to its own commitment, names the event at its place (evidence.md section 2). Any other hole is a break.
 */
export async function explainHoles(
  reader: HoleReader,
  sourceSystem: string,
  holes: readonly Hole[],
): Promise<ReadonlySet<number>> {
  const explained = new Set<number>();
  if (holes.length === 0) return explained;
  const sequences = holes.map(({ seq }) => seq);
  const named = await reader.integrity.disposalIds(sourceSystem, sequences);
  const entries = new Map<string, ReadonlySet<string>>();
  for (const { seq, event_id } of holes) {
    const disposalId = named.get(seq);
    if (disposalId === undefined) continue;
    const known = entries.get(disposalId) ?? (await eventsOf(reader, disposalId));
    entries.set(disposalId, known);
    if (known.has(placeKey(event_id, sourceSystem, seq))) explained.add(seq);
  }
  return explained;
}

const placeKey = (eventId: string, sourceSystem: string, sequence: unknown): string =>
  `${eventId}/${String(sequence)}/${sourceSystem}`;

/** What the entry of a disposal names; nothing when there is none, or when its record is not what was committed to. */
async function eventsOf({ ledger }: HoleReader, disposalId: string): Promise<ReadonlySet<string>> {
  const query = { source_system: '_system', source_record_id: disposalId, event_type: DISPOSAL_TYPE };
  const places = new Set<string>();
  for (const { _id } of await ledger.list({ ...query, limit: 1, ascending: true })) {
    const [record] = await ledger.records('_system', [_id.seq]);
    if (record === undefined) continue;
    for (const event of eventsIn(Buffer.from(record.bytes), disposalId)) {
      places.add(placeKey(String(event['event_id']), String(event['source_system']), event['sequence']));
    }
  }
  return places;
}

function eventsIn(record: Buffer, disposalId: string): readonly JsonObject[] {
  const members: unknown = JSON.parse(record.toString('utf8'));
  const payload = isJsonObject(members) ? members['payload'] : undefined;
  if (!isJsonObject(payload) || payload['disposal_id'] !== disposalId) return [];
  const { events } = payload;
  return Array.isArray(events) ? events.filter(isJsonObject) : [];
}
