import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import type { TenantContext } from '../append/index.js';
import type { RowProofs } from '../row-proofs/index.js';
import type { RawUse } from './ports.js';
import { recordOf } from './read-events.js';
import type { EventRaw } from './schema.js';

/** Derived from `payload.raw.format` (mapping.md section 1); any other format is plain bytes. */
const FILE_TYPES: Readonly<Record<string, { readonly mediaType: string; readonly extension: string }>> = {
  x12: { mediaType: 'application/edi-x12', extension: 'edi' },
  hl7v2: { mediaType: 'application/hl7-v2', extension: 'hl7' },
  fhir: { mediaType: 'application/fhir+json', extension: 'json' },
  ncpdp: { mediaType: 'application/x-ncpdp', extension: 'ncpdp' },
  cda: { mediaType: 'application/cda+xml', extension: 'xml' },
};
const FHIR_XML = { mediaType: 'application/fhir+xml', extension: 'xml' };
const HEAD_BYTES = 64;
const BYTES = { mediaType: 'application/octet-stream', extension: 'bin' };

interface RawReader {
  readonly use: RawUse;
  readonly rowProofs: RowProofs;
  /** @throws FORBIDDEN for a caller who may not see redacted fields. */
  readonly requireUnredacted: () => void;
}

/**
 * Returns the event's own range of its raw message, or the whole body if it is the only event of it or if the caller
 * asks for it (the resolver checks permission). Null for an unknown event.
 *
 * @throws NOT_FOUND for an event that did not come in a raw message, DISPOSED, INTEGRITY_FAILURE
 */
export async function rawOfEvent(
  tenant: TenantContext,
  { use, rowProofs, requireUnredacted }: RawReader,
  { eventId, whole }: { readonly eventId: string; readonly whole: boolean },
): Promise<EventRaw | null> {
  const row = isIdOf('event', eventId) ? await tenant.ledger.byEventId(eventId) : null;
  if (row === null) return null;
  const [proof] = await rowProofs(tenant, [row]);
  if (!proof || proof.disposalId !== null) throw problem('DISPOSED');
  // The raw bytes contain what a redaction hides (api.md section 2 "Raw ingest").
  if (proof.hidden !== null) requireUnredacted();
  const { payload, member_id } = recordOf(row);
  // Keys that no longer see the member also see the custody entry of this read.
  const isNamed = typeof member_id === 'string' && proof.hidden?.pointers.includes('/member_id') !== true;
  // Only the service sets this mark: the content of an event sent as JSON gives access to no body.
  const place = row.from_raw === true ? placeIn(payload) : null;
  if (place === null) throw problem('NOT_FOUND', { message: 'This event did not come in a raw message.' });
  const { rawSha256, partSha256, offset, length } = place;
  const isWhole = whole || (await use.isOneEvent(rawSha256));
  const { mediaType, extension } = await fileTypeOf(tenant, place, isWhole);
  return {
    event_id: eventId,
    raw_sha256: rawSha256,
    ...(isWhole
      ? { offset: 0, length: await sizeOf(tenant, place), sha256: rawSha256 }
      : { offset, length, sha256: partSha256 }),
    media_type: mediaType,
    filename: `${eventId}.${extension}`,
    is_whole: isWhole,
    ...(isNamed ? { member_id } : {}),
  };
}

/** FHIR is JSON or XML, which the first byte shows. A missing body is reported by its reader. */
async function fileTypeOf(tenant: TenantContext, { format, offset, rawSha256 }: Place, isWhole: boolean) {
  const stated = FILE_TYPES[format] ?? BYTES;
  const size = format === 'fhir' ? await tenant.worm.blobSize(rawSha256) : null;
  if (size === null) return stated;
  const start = isWhole ? 0 : offset;
  for await (const bytes of tenant.worm.readBlob(rawSha256, { start, end: Math.min(size, start + HEAD_BYTES) })) {
    return /^(?:\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1')) ? FHIR_XML : stated;
  }
  return stated;
}

interface Place {
  readonly rawSha256: string;
  readonly partSha256: string;
  readonly offset: number;
  readonly length: number;
  readonly format: string;
}

function placeIn(payload: unknown): Place | null {
  if (!isJsonObject(payload)) return null;
  const { raw, raw_sha256 } = payload;
  if (!isJsonObject(raw)) return null;
  const { offset, length, part_sha256, format } = raw;
  if (typeof offset !== 'number' || typeof length !== 'number') return null;
  return {
    rawSha256: String(raw_sha256),
    partSha256: String(part_sha256),
    offset,
    length,
    format: String(format).toLowerCase(),
  };
}

/** Reads an event's missing body up to the known end, so that the reader reports the damage. */
const sizeOf = async (tenant: TenantContext, { rawSha256, offset, length }: Place): Promise<number> =>
  (await tenant.worm.blobSize(rawSha256)) ?? offset + length;
