import type { Collection, Db, Document } from 'mongodb';

/**
 * The raw side of the ingest ratios (docs/evidence.md section 3: the baseline writes both documents of an append, the
 * ledger row and the write-once record). The twins have the same indexes and take the same bytes: rows and records
 * that the service itself has just written, under another tenant's name of equal length.
 */
export interface Twins {
  readonly rows: Collection;
  readonly records: Collection;
}

export interface TwinDocuments {
  readonly rows: Document[];
  readonly records: Document[];
}

export async function makeTwins(db: Db, worm: Db, ledger: string, segment: string, round: number): Promise<Twins> {
  const rows = await db.createCollection(`bench_rows_${round}`);
  for (const index of await db.collection(ledger).listIndexes().toArray()) {
    if (index['name'] === '_id_') continue;
    const { v: _version, key, ns: _namespace, ...options } = index;
    await rows.createIndex(key as Document as never, options);
  }
  const info = await worm.listCollections({ name: segment }).next();
  const options = (info && 'options' in info ? info.options : {}) as Document;
  const records = await worm.createCollection(`bench_records_${round}`, options);
  return { rows, records };
}

/** Called after the last measurement, because the database clears a dropped collection later, during the next round. */
export async function dropTwins(db: Db, worm: Db): Promise<void> {
  for (const name of await segmentNames(db, /^bench_rows_/)) await db.dropCollection(name);
  for (const name of await segmentNames(worm, /^bench_records_/)) await worm.dropCollection(name);
}

/** Copies the rows and records that the service wrote in one partition. */
export async function copyOf(
  db: Db,
  worm: Db,
  ledger: string,
  segments: readonly string[],
  partition: { readonly tenant_id: string; readonly source_system: string },
): Promise<TwinDocuments> {
  const rows = await db
    .collection(ledger)
    .find({ ...partition })
    .sort({ _id: 1 })
    .toArray();
  const wanted = rows.map((row) => row['worm_sha256'] as string);
  const records: Document[] = [];
  for (const segment of segments) {
    records.push(
      ...(await worm
        .collection(segment)
        .find({ _id: { $in: wanted as never[] } })
        .toArray()),
    );
  }
  // In the order the service wrote them: random order would burden the raw side with scattered pages.
  const place = new Map(wanted.map((sha256, i) => [sha256, i]));
  records.sort((a, b) => (place.get(String(a['_id'])) ?? 0) - (place.get(String(b['_id'])) ?? 0));
  if (records.length !== rows.length) throw new Error(`${rows.length} rows but ${records.length} write-once records`);
  return { rows, records };
}

export const segmentNames = async (db: Db, prefix: RegExp): Promise<string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray()).map((c) => c.name).filter((name) => prefix.test(name));
