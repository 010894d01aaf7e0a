import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isJsonObject, type JsonObject } from '../../../shared/json/strict-json.js';
import type { RawUse } from './ports/raw-use-store.js';
import { recordOf } from './read-events.js';
import type { TenantContext } from './tenant-context.js';

/** Where the raw bytes of an event are, and what they are. */
export interface RawOfEvent {
  readonly event_id: string;
  /** The stored body. */
  readonly raw_sha256: string;
  /** The bytes to be given, within the body. */
  readonly offset: number;
  readonly length: number;
  readonly sha256: string;
  readonly media_type: string;
  readonly filename: string;
  readonly is_whole: boolean;
  readonly member_id?: string;
}

/** By `payload.raw.format` (mapping.md section 1); anything else is bytes. */
const FILE_TYPES: Readonly<Record<string, { readonly mediaType: string; readonly extension: string }>> = {
  x12: { mediaType: 'application/edi-x12', extension: 'edi' },
  hl7v2: { mediaType: 'application/hl7-v2', extension: 'hl7' },
  fhir: { mediaType: 'application/fhir+json', extension: 'json' },
  ncpdp: { mediaType: 'application/x-ncpdp', extension: 'ncpdp' },
};
const BYTES = { mediaType: 'application/octet-stream', extension: 'bin' };

/**
 * The event's own range of its raw message; the whole body where it is the only event of it, or where that is asked for
 * (who may ask is judged before). Null for an unknown event.
 *
 * @throws NOT_FOUND for an event that did not come in a raw message, DISPOSED, INTEGRITY_FAILURE
 */
export async function rawOfEvent(
  tenant: TenantContext,
  use: RawUse,
  { eventId, whole }: { readonly eventId: string; readonly whole: boolean },
): Promise<RawOfEvent | null> {
  const row = isIdOf('event', eventId) ? await tenant.ledger.byEventId(eventId) : null;
  if (row === null) return null;
  const { payload, member_id } = recordOf(row);
  // The mark is the service's own: an event sent as JSON may say of itself what it likes, and reaches no body by it.
  const place = row.from_raw === true ? placeIn(payload) : null;
  if (place === null) throw problem('NOT_FOUND', { message: 'This event did not come in a raw message.' });
  const { rawSha256, partSha256, offset, length, format } = place;
  const isWhole = whole || (await use.isOneEvent(rawSha256));
  const { mediaType, extension } = FILE_TYPES[format] ?? BYTES;
  return {
    event_id: eventId,
    raw_sha256: rawSha256,
    ...(isWhole
      ? { offset: 0, length: await sizeOf(tenant, place), sha256: rawSha256 }
      : { offset, length, sha256: partSha256 }),
    media_type: mediaType,
    filename: `${eventId}.${extension}`,
    is_whole: isWhole,
    ...(typeof member_id === 'string' ? { member_id } : {}),
  };
}

interface Place {
  readonly rawSha256: string;
  readonly partSha256: string;
  readonly offset: number;
  readonly length: number;
  readonly format: string;
}

function placeIn(payload: unknown): Place | null {
  const { raw, raw_sha256 } = isJsonObject(payload) ? payload : ({} as JsonObject);
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

/** A body that is named by an event and is gone is read as far as it is known to have gone: the reader then tells the damage. */
const sizeOf = async (tenant: TenantContext, { rawSha256, offset, length }: Place): Promise<number> =>
  (await tenant.worm.blobSize(rawSha256)) ?? offset + length;
