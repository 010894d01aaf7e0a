import { problem } from '../../errors/problem.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/strict-json.js';
import { CHAIN_PATH, EVENTS_PATH, MANIFEST_PATH, SIGNATURE_PATH } from '../bundle/entries.js';
import type { ManifestDocument, ManifestEvent, ManifestHeadline } from '../bundle/manifest.js';
import { byteLines } from './byte-lines.js';
import { controlNumber, defaultControlPrefix } from './control-numbers.js';
import { documentRecord, type ExportRecord, eventRecord, type ShippedRecord } from './export-record.js';
import { familiesOf } from './families.js';
import { listed, manifestParts } from './manifest-parts.js';
import { openStoredArchive, type RandomAccess, type StoredArchive } from './stored-archive.js';
import { type TraceRow, traceRows } from './trace-rows.js';

/** The members of the manifest that an export needs in addition to its lists. */
type ExportHead = Pick<
  ManifestHeadline,
  | 'bundle_id'
  | 'bundle_type'
  | 'requested_by'
  | 'requested_at'
  | 'sealed_at'
  | 'scope'
  | 'generator'
  | 'counts'
  | 'ledger'
  | 'content_digest'
  | 'signing_key_id'
>;

/** A sealed bundle as exports read it: from the stored archive alone, never from live rows, in constant memory. */
export interface ExportSource {
  readonly head: ExportHead;
  /** SHA-256 of the archive, by which the store holds it. */
  readonly wormBlobSha256: string;
  readonly prefix: string;
  /** signature.sig, 64 bytes. */
  readonly signature: Buffer;
  /** manifest.json, byte by byte. */
  manifest(): AsyncIterable<Uint8Array>;
  /** Every record under its control number; each call reads the archive again. */
  records(): AsyncIterable<ExportRecord>;
  /** As `records`, with the lines of events. */
  shipped(): AsyncIterable<ShippedRecord>;
  /** Reads an entry of the archive; a chunk is valid until the next is read. */
  read(path: string): AsyncIterable<Uint8Array>;
  /** The rows of chain.tsv. */
  trace(): AsyncIterable<TraceRow>;
}

const HEAD_MEMBERS: ReadonlySet<string> = new Set([
  'bundle_id',
  'bundle_type',
  'requested_by',
  'requested_at',
  'sealed_at',
  'scope',
  'generator',
  'counts',
  'ledger',
  'content_digest',
  'signing_key_id',
]);

/** A stored archive, and the hash by which the store holds it. */
interface SealedBytes extends RandomAccess {
  readonly sha256: string;
}

/** @param prefix of the control numbers; null for the bundle's own. @throws INTEGRITY_FAILURE */
export async function openExport(bytes: SealedBytes, prefix: string | null): Promise<ExportSource> {
  const archive = await openStoredArchive(bytes);
  const head = await headOf(archive);
  const used = prefix ?? defaultControlPrefix(head.bundle_id);
  return {
    head,
    wormBlobSha256: bytes.sha256,
    prefix: used,
    signature: await whole(archive.read(SIGNATURE_PATH)),
    manifest: () => archive.read(MANIFEST_PATH),
    records: () => recordsOf(shippedOf(archive, used, head.counts.events)),
    shipped: () => shippedOf(archive, used, head.counts.events),
    read: (path) => archive.read(path),
    trace: () => traceRows(archive.read(CHAIN_PATH)),
  };
}

async function headOf(archive: StoredArchive): Promise<ExportHead> {
  const found: Record<string, JsonValue> = {};
  for await (const part of manifestParts(archive.read(MANIFEST_PATH), (member) => HEAD_MEMBERS.has(member))) {
    found[part.member] = part.value;
  }
  for (const member of HEAD_MEMBERS) {
    if (found[member] === undefined) throw problem('INTEGRITY_FAILURE', { internal: `the manifest has no ${member}` });
  }
  // Every member of the head is there, and the bundle's own manifest is trusted for its form.
  return found as unknown as ExportHead;
}

async function* shippedOf(archive: StoredArchive, prefix: string, events: number): AsyncGenerator<ShippedRecord> {
  const manifestEvents = () => listed<ManifestEvent>(archive.read(MANIFEST_PATH), 'events');
  const documents = () => listed<ManifestDocument>(archive.read(MANIFEST_PATH), 'documents');
  const families = await familiesOf(events, manifestEvents, documents);
  const numbersOf = (each: number) => ({
    control_number: controlNumber(prefix, each),
    group: controlNumber(prefix, families.groupOf(each)),
  });
  let ordinal = 0;
  const lines = byteLines(archive.read(EVENTS_PATH));
  try {
    for await (const event of manifestEvents()) {
      const line = await lines.next();
      if (line.done === true) throw mismatch();
      const shown = parsed(line.value);
      if (shown['event_id'] !== event.event_id) throw mismatch();
      ordinal += 1;
      const shipped = { shown, line: ordinal, sizeBytes: line.value.length };
      yield { record: eventRecord(numbersOf(ordinal), event, shipped), line: line.value };
    }
  } finally {
    await lines.return(undefined);
  }
  if (ordinal !== events) throw mismatch();
  for await (const document of documents()) {
    ordinal += 1;
    const parents = families.parentsOf(document);
    const numbers = parents.map((parent) => controlNumber(prefix, parent.ordinal));
    yield { record: documentRecord({ ...numbersOf(ordinal), parents: numbers }, document, parents), line: null };
  }
}

async function* recordsOf(shipped: AsyncIterable<ShippedRecord>): AsyncGenerator<ExportRecord> {
  for await (const { record } of shipped) yield record;
}

const mismatch = () => problem('INTEGRITY_FAILURE', { internal: 'manifest and events.jsonl of an archive differ' });

function parsed(line: Buffer): JsonObject {
  const value: JsonValue = JSON.parse(line.toString('utf8'));
  if (!isJsonObject(value)) throw mismatch();
  return value;
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
