import { sha256Hex } from '../../../shared/crypto/hash.js';
import { SEED_BYTES } from '../../../shared/evidence/commitments.js';
import { objectIn } from '../../../shared/json/object-in.js';
import type { RecordDocument } from '../../../shared/worm/records/document.js';
import type { WormUpkeep } from '../../../shared/worm/worm-upkeep.js';
import type { LedgerRow } from '../append/domain/index.js';
import type { TenantIntegrity } from '../integrity/index.js';
import type { DamagedPlace } from './find-damage.js';
import { type Material, materialsOf } from './match-entry.js';

/** Records of the write-once store that no sound row explains, of one chain and in the order of their receipt. */
interface ChainStrays {
  readonly materials: readonly Material[];
  /** Records without their seed. */
  readonly seedless: readonly Buffer[];
}

export type StrayRecords = ReadonlyMap<string, ChainStrays>;

interface MaterialStores {
  readonly upkeep: Pick<WormUpkeep, 'segments' | 'records' | 'copiesOf'>;
  readonly integrity: Pick<TenantIntegrity, 'recordNames'>;
}

const BATCH_RECORDS = 500;

/**
 * Walks the write-once store once and returns the sound records of these chains that no row explains: their event has no
 * row, or its row is damaged. Segments whose retention has ended are left out.
 */
export async function strayRecords(
  { upkeep, integrity }: MaterialStores,
  damaged: readonly DamagedPlace[],
): Promise<StrayRecords> {
  const found = new Map<string, NamedRecord[]>();
  const wanted = new Set(damaged.map(({ source_system }) => source_system));
  const atDamage = new Set(damaged.flatMap(({ row }) => (typeof row?.event_id === 'string' ? [row.event_id] : [])));
  for (const { _id, state } of await upkeep.segments()) {
    if (state === 'DROPPED') continue;
    for (let after: string | null = null; ; ) {
      const records = await upkeep.records(_id, after, BATCH_RECORDS);
      const last = records.at(-1);
      if (!last) break;
      after = last._id;
      const named = records.flatMap((record) => namedRecord(record, wanted) ?? []);
      const known = await integrity.recordNames([...new Set(named.map(({ eventId }) => eventId))]);
      for (const record of named) {
        if (known.has(record.eventId) && !atDamage.has(record.eventId)) continue;
        if (sha256Hex(record.bytes) !== record._id) continue;
        const list = found.get(record.chain);
        if (list) list.push(record);
        else found.set(record.chain, [record]);
      }
    }
  }
  return new Map([...found].map(([chain, records]) => [chain, straysOf(records)]));
}

function straysOf(records: readonly NamedRecord[]): ChainStrays {
  const ordered = [...records].sort((a, b) => (a.receivedAt < b.receivedAt ? -1 : 1));
  return {
    materials: ordered.flatMap(({ bytes, seed }) =>
      isSeed(seed) ? [{ record: bytes, seed, from: 'WORM' as const }] : [],
    ),
    seedless: ordered.flatMap(({ bytes, seed }) => (isSeed(seed) ? [] : [bytes])),
  };
}

interface NamedRecord extends RecordDocument {
  readonly chain: string;
  readonly eventId: string;
  readonly receivedAt: string;
}

function namedRecord(record: RecordDocument, wanted: ReadonlySet<string>): NamedRecord | null {
  const members = objectIn(record.bytes.toString('utf8'));
  const { event_id: eventId, source_system: chain, received_at } = members ?? {};
  if (typeof eventId !== 'string' || typeof chain !== 'string' || !wanted.has(chain)) return null;
  return { ...record, chain, eventId, receivedAt: String(received_at) };
}

const isSeed = (value: unknown): value is Buffer => Buffer.isBuffer(value) && value.length === SEED_BYTES;

/** Returns the materials that the row itself, and the copy under the hash that it names, give. */
export async function ownMaterials(
  { upkeep }: MaterialStores,
  row: Partial<Pick<LedgerRow, 'record' | 'seed' | 'worm_sha256'>>,
): Promise<readonly Material[]> {
  const { record, seed, worm_sha256 } = row;
  const names = new Set([
    ...(isHash(worm_sha256) ? [worm_sha256] : []),
    ...(Buffer.isBuffer(record) ? [sha256Hex(record)] : []),
  ]);
  const copies: RecordDocument[] = [];
  for (const name of names) copies.push(...(await upkeep.copiesOf(name)));
  const sound = copies.filter(({ _id, bytes }) => sha256Hex(bytes) === _id);
  const seeds = [...(isSeed(seed) ? [seed] : []), ...copies.flatMap((copy) => (isSeed(copy.seed) ? [copy.seed] : []))];
  return materialsOf(
    [
      ...(Buffer.isBuffer(record) ? [{ bytes: record, from: 'LEDGER' as const }] : []),
      ...sound.map(({ bytes }) => ({ bytes, from: 'WORM' as const })),
    ],
    seeds,
  );
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Returns the materials of a chain's stray records: with their own seed, else with the one that the row has left. */
export function strayMaterials(strays: StrayRecords, { source_system, row }: DamagedPlace): readonly Material[] {
  const { materials = [], seedless = [] } = strays.get(source_system) ?? {};
  const own: unknown = row?.seed;
  if (!isSeed(own)) return materials;
  const records = [...materials.map(({ record }) => record), ...seedless];
  return [
    ...materials,
    ...materialsOf(
      records.map((bytes) => ({ bytes, from: 'WORM' })),
      [own],
    ),
  ];
}
