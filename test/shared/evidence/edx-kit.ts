import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { ManifestDocument, ManifestEvent } from '../../../shared/evidence/bundle/manifest.js';
import { CHAIN_HEADER, type ChainRow, chainLine } from '../../../shared/evidence/bundle/tsv.js';
import type { openExport } from '../../../shared/evidence/edx/export-source.js';
import type { ProductionWork } from '../../../shared/evidence/edx/production.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { zipOf } from '../../../shared/zip/write-archive.js';

export const BUNDLE_ID = 'bdl_01JQ0000000000000000000001';
export const SEALED_AT = '2026-03-04T00:00:00.000Z';
export const AWKWARD = '=HYPERLINK("http://x"),"a"\nb\tc\u0014d\u00feé<&>';
const sha = (text: string | Buffer): string => hash('sha256', text, 'hex');

/** Lines of events.jsonl, and rows of the manifest, of an archive in which every state occurs. */
const LINES: readonly (readonly [state: ManifestEvent['state'], line: JsonObject])[] = [
  [
    'INCLUDED',
    {
      event_id: 'evt_1',
      event_family: 'claims',
      event_type: 'claim.denied',
      outcome: AWKWARD,
      member_id: '@M-1',
      source_record_id: 'C-1',
      event_effective_timestamp: '2026-03-01T00:00:00+01:00',
      received_at: '2026-03-02T00:00:00.000Z',
    },
  ],
  [
    'REDACTED',
    {
      event_id: 'evt_2',
      state: 'REDACTED',
      disclosed: [
        ['00', '/event_type', 'claim.paid'],
        ['01', '/event_id', 'evt_2'],
      ],
      hidden: ['ff'],
      redaction_id: 'rdx_1',
    },
  ],
  ['DISPOSED', { event_id: 'evt_3', state: 'DISPOSED' }],
];

const DOCUMENT = Buffer.from('a letter');
const DOCUMENTS: readonly ManifestDocument[] = [
  {
    document_id: 'doc_1',
    sha256: sha(DOCUMENT),
    size: DOCUMENT.length,
    media_type: 'text/plain',
    referenced_by: ['evt_1', 'evt_3'],
    state: 'INCLUDED',
    filename: 'Denial letter.TXT',
    member_ids: ['M-1', 'M-1-old'],
    effective_at: '2026-03-01T23:30:00-05:00',
    created_at: '2026-03-02T00:00:00.000Z',
  },
  {
    document_id: 'doc_2',
    sha256: 'ab'.repeat(32),
    size: 9,
    media_type: 'application/pdf',
    referenced_by: [],
    state: 'QUARANTINED',
  },
  { document_id: 'doc_3', sha256: null, size: 0, media_type: 'text/plain', referenced_by: [], state: 'DISPOSED' },
];

const row = (n: number, over: Partial<ChainRow>): ChainRow => ({
  n,
  at: SEALED_AT,
  kind: 'LEDGER',
  subject_type: 'EVENT',
  subject_id: 'evt_1',
  action: 'APPENDED',
  actor_type: null,
  actor_id: null,
  purpose: null,
  recipient: null,
  sha256_before: null,
  sha256_after: null,
  partition: 'um-1',
  seq: n,
  prev_hash: 'aa'.repeat(32),
  entry_hash: sha(String(n)),
  ...over,
});

export const TRACE: readonly ChainRow[] = [
  row(1, { sha256_after: sha('x') }),
  row(2, {
    kind: 'CUSTODY',
    partition: '_custody',
    subject_type: 'DOCUMENT',
    subject_id: 'doc_1',
    action: 'READ_CONTENT',
    actor_type: 'ACTOR',
    actor_id: 'act_1',
    purpose: 'an\tappeal\n-',
    recipient: '-',
  }),
  row(3, {
    kind: 'CUSTODY',
    partition: '_custody',
    action: 'INTEGRITY_FAILURE',
    actor_type: 'SERVICE',
    actor_id: 'svc',
  }),
  row(4, { kind: 'SYSTEM', partition: '_system', action: 'record.disposed', subject_id: 'evt_3' }),
];

export interface ArchiveOver {
  readonly events?: readonly ManifestEvent[];
  readonly lines?: string;
  readonly counts?: JsonObject;
}

/** A stored archive as the service seals it, in memory. */
export async function archive(over: ArchiveOver = {}): Promise<Buffer> {
  const lines = LINES.map(([, line]) => canonicalJson(line));
  const events =
    over.events ??
    LINES.map(
      ([state, { event_id }], i): ManifestEvent => ({
        event_id: String(event_id),
        sha256: sha(lines[i] ?? ''),
        source_system: 'um-1',
        seq: i + 1,
        entry_hash: sha(`entry ${i}`),
        tree_index: i,
        state,
      }),
    );
  const manifest = {
    schema: 'eas.bundle-manifest/v2',
    bundle_id: BUNDLE_ID,
    bundle_type: 'MEMBER',
    requested_by: 'counsel {"[,:\\"]}',
    requested_at: '2026-03-03T00:00:00.000Z',
    sealed_at: SEALED_AT,
    scope: { tenant_id: 'acme', member_id: 'M-1', member_ids: ['M-1', 'M-1-old'] },
    generator: { name: 'Evidentiary Audit Service', version: '0.0.0' },
    counts: over.counts ?? { events: 3, documents: 3, redacted: 1, disposed: 2, quarantined: 1 },
    events,
    documents: DOCUMENTS,
    files: [],
    ledger: { origin: 'eas.test/eas/log_1', incarnation: 1, tree_size: 9, root_hash: 'cd'.repeat(32), heads: [] },
    holds: [],
    redactions: [],
    regenerated_from: null,
    content_digest: 'ef'.repeat(32),
    signing_key_id: 'thumbprint',
    signature: 'AA',
  };
  const entry = (path: string, content: Buffer) => ({ path, size: content.length, content });
  return buffer(
    zipOf([
      entry('manifest.json', Buffer.from(canonicalJson(manifest as unknown as JsonObject))),
      entry('signature.sig', Buffer.alloc(64, 7)),
      entry('chain.tsv', Buffer.from(CHAIN_HEADER + TRACE.map(chainLine).join(''))),
      entry('events.jsonl', Buffer.from(over.lines ?? `${lines.join('\n')}\n`)),
      entry(`documents/${sha(DOCUMENT)}`, DOCUMENT),
    ]),
  );
}

/** Read in pieces of this size, as a store would hand out its blocks. */
export const inPieces = (bytes: Buffer, pieceBytes: number): Parameters<typeof openExport>[0] => ({
  sha256: sha(bytes),
  sizeBytes: bytes.length,
  async *read(start, end) {
    for (let at = start; at < end; at += pieceBytes) yield bytes.subarray(at, Math.min(end, at + pieceBytes));
  },
});

export async function text(pieces: AsyncIterable<string> | AsyncIterable<Uint8Array>): Promise<string> {
  let all = '';
  for await (const piece of pieces) all += typeof piece === 'string' ? piece : Buffer.from(piece).toString('latin1');
  return all;
}

/** Upper case marks extracted text. */
export const WORK: ProductionWork = {
  volume: 1,
  texts: {
    maxBytes: 100,
    extract: async (mediaType, bytes) =>
      mediaType === 'text/plain' ? { text: Buffer.from(bytes).toString().toUpperCase() } : { fault: 'UNSUPPORTED' },
  },
};
