import { hash } from 'node:crypto';
import { untilLeft } from '../../shared/errors/caller-left.js';
import { EDX_FORMATS, inLargePieces } from '../../shared/evidence/edx/edx-formats.js';
import { openExport } from '../../shared/evidence/edx/export-source.js';
import { volumeName } from '../../shared/evidence/edx/file-names.js';
import { matchesEntityTag } from '../entity-tag.js';
import { Answer, type RouteCall } from '../route.js';
import type { BundleExport } from '../routes/bundles/get-bundle-edx.js';
import { type AlarmedContent, alarmed, recordReading, resumed } from './content.js';
import { tenantOf } from './fhir-answer.js';
import { StreamedAnswer } from './streamed-answer.js';

/**
 * Streams an export from the stored archive. Custody is durable before the first byte is sent. A read error before that gives
 * an error answer; a later one ends the connection.
 *
 * @throws INTEGRITY_FAILURE, UNAVAILABLE when custody cannot be recorded
 */
export async function edxAnswer(call: RouteCall, row: BundleExport): Promise<Answer | StreamedAnswer> {
  const { mediaType, extension } = EDX_FORMATS[row.format];
  // The same archive, form, prefix and volume give the same bytes, but for texts that another version extracts.
  const parts = [row.worm_blob_sha256, row.format, row.prefix ?? '', ...(row.format === 'zip' ? [row.volume] : [])];
  const etag = `"${hash('sha256', parts.join('/'), 'hex')}"`;
  if (matchesEntityTag(call.ifNoneMatch, etag)) return new Answer(304, undefined, { etag });
  const type = mediaType === 'application/json' ? `${mediaType}; charset=utf-8` : mediaType;
  const headers = {
    etag: row.format === 'zip' ? `W/${etag}` : etag,
    'content-disposition': `attachment; filename="${row.bundle_id}${volumeOf(row)}.${extension}"`,
    'x-content-type-options': 'nosniff',
  };
  if (call.isHead) return new StreamedAnswer(type, [], { headers });
  const pieces = alarmed(call, contentOf(row), written(call, row));
  const first = await pieces.next();
  try {
    await recordReading(call, contentOf(row), {
      format: row.format,
      ...(row.format === 'zip' ? { volume: row.volume } : {}),
      bundle_sha256: row.worm_blob_sha256,
    });
  } catch (error) {
    await pieces.return(undefined);
    throw error;
  }
  return new StreamedAnswer(type, resumed(first, pieces), { headers });
}

const volumeOf = ({ format, volume }: BundleExport): string => (format === 'zip' ? `-${volumeName(volume)}` : '');

const contentOf = ({ bundle_id, worm_blob_sha256, member_ids }: BundleExport): AlarmedContent => ({
  blobSha256: worm_blob_sha256,
  custody: { action: 'EXPORT_EDX', subject: { kind: 'BUNDLE', id: bundle_id }, member_ids },
});

async function* written(
  call: RouteCall,
  { worm_blob_sha256, size, prefix, format, volume }: BundleExport,
): AsyncGenerator<string | Uint8Array> {
  const { tenant_id: tenantId, log_id: logId } = tenantOf(call.tenant);
  const worm = call.services.worm.forTenant({ tenantId, logId });
  const source = await openExport(
    {
      sha256: worm_blob_sha256,
      sizeBytes: size,
      read: (start, end) => untilLeft(worm.readBlob(worm_blob_sha256, { start, end }), call.context.signal),
    },
    prefix,
  );
  yield* inLargePieces(EDX_FORMATS[format].write(source, { volume, texts: call.services.texts }));
}
