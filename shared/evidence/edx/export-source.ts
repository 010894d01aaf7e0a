import { problem } from '../../errors/problem.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/strict-json.js';
import { CHAIN_PATH, EVENTS_PATH, MANIFEST_PATH, SIGNATURE_PATH } from '../bundle/entries.js';
import type { ManifestDocument, ManifestEvent, ManifestHeadline } from '../bundle/manifest.js';
import { byteLines } from './byte-lines.js';
import { controlNumber, defaultControlPrefix } from './control-numbers.js';
import { documentRecord, type ExportRecord, eventRecord } from './export-record.js';
import { manifestParts } from './manifest-parts.js';
import { openStoredArchive, type RandomAccess, type StoredArchive } from './stored-archive.js';
import { type TraceRow, traceRows } from './trace-rows.js';

/** What an export needs of the manifest beside its lists. */
export type ExportHead = Pick<
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
  /** Every record under its control number; each call reads the archive anew. */
  records(): AsyncIterable<ExportRecord>;
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
export interface SealedBytes extends RandomAccess {
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
    records: () => recordsOf(archive, used, head.counts.events),
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
  return found as unknown as ExportHead;
}

async function* recordsOf(archive: StoredArchive, prefix: string, events: number): AsyncGenerator<ExportRecord> {
  const ordinals = await referencedOrdinals(archive);
  let ordinal = 0;
  const lines = byteLines(archive.read(EVENTS_PATH));
  try {
    for await (const event of listed<ManifestEvent>(archive, 'events')) {
      const line = await lines.next();
      if (line.done === true) throw mismatch();
      const shown = parsed(line.value);
      if (shown['event_id'] !== event.event_id) throw mismatch();
      ordinal += 1;
      yield eventRecord(controlNumber(prefix, ordinal), event, {
        shown,
        line: ordinal,
        sizeBytes: line.value.length,
      });
    }
  } finally {
    await lines.return(undefined);
  }
  if (ordinal !== events) throw mismatch();
  for await (const document of listed<ManifestDocument>(archive, 'documents')) {
    ordinal += 1;
    const parents = document.referenced_by.flatMap((id) => ordinals.get(id) ?? []);
    yield documentRecord(
      controlNumber(prefix, ordinal),
      document,
      parents.map((parent) => controlNumber(prefix, parent)),
    );
  }
}

/** Places of the events that documents refer to: only those are remembered. */
async function referencedOrdinals(archive: StoredArchive): Promise<ReadonlyMap<string, number>> {
  const referenced = new Set<string>();
  for await (const { referenced_by } of listed<ManifestDocument>(archive, 'documents')) {
    for (const id of referenced_by) referenced.add(id);
  }
  const ordinals = new Map<string, number>();
  if (referenced.size === 0) return ordinals;
  let ordinal = 0;
  for await (const { event_id } of listed<ManifestEvent>(archive, 'events')) {
    ordinal += 1;
    if (referenced.has(event_id)) ordinals.set(event_id, ordinal);
    if (ordinals.size === referenced.size) break;
  }
  return ordinals;
}

async function* listed<T>(archive: StoredArchive, list: 'events' | 'documents'): AsyncGenerator<T> {
  for await (const part of manifestParts(archive.read(MANIFEST_PATH), (member) => member === list)) {
    if (part.isElement) yield part.value as T;
  }
}

const mismatch = () => problem('INTEGRITY_FAILURE', { internal: 'manifest and events.jsonl of an archive differ' });

function parsed(line: Buffer): JsonObject {
  const value = JSON.parse(line.toString('utf8')) as JsonValue;
  if (!isJsonObject(value)) throw mismatch();
  return value;
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
