import { hash } from 'node:crypto';
import { EDX_FORMATS, inLargePieces } from '../../shared/evidence/edx/edx-formats.js';
import { openExport } from '../../shared/evidence/edx/export-source.js';
import { matchesEntityTag } from '../entity-tag.js';
import { Answer, type RouteCall } from '../route.js';
import type { BundleExport } from '../routes/bundles/get-bundle-edx.js';
import { type AlarmedContent, alarmed, recordReading, resumed } from './content.js';
import { tenantOf } from './fhir-answer.js';
import { StreamedAnswer } from './streamed-answer.js';

/**
 * An export out of the stored archive, written as it is read. Custody is durable before the first byte leaves; what cannot
 * be read is an answer as long as the status can still be said, and ends the connection after that.
 *
 * @throws INTEGRITY_FAILURE, UNAVAILABLE when custody cannot be kept
 */
export async function edxAnswer(call: RouteCall, row: BundleExport): Promise<Answer | StreamedAnswer> {
  const { mediaType, extension, write } = EDX_FORMATS[row.format];
  // The same archive, form and prefix give the same bytes.
  const etag = `"${hash('sha256', `${row.worm_blob_sha256}/${row.format}/${row.prefix ?? ''}`, 'hex')}"`;
  if (matchesEntityTag(call.ifNoneMatch, etag)) return new Answer(304, undefined, { etag });
  const type = mediaType === 'application/json' ? `${mediaType}; charset=utf-8` : mediaType;
  const headers = {
    etag,
    'content-disposition': `attachment; filename="${row.bundle_id}.${extension}"`,
    'x-content-type-options': 'nosniff',
  };
  if (call.isHead) return new StreamedAnswer(type, [], { headers });
  const pieces = alarmed(call, contentOf(row), written(call, row, write));
  const first = await pieces.next();
  try {
    await recordReading(call, contentOf(row), { format: row.format, bundle_sha256: row.worm_blob_sha256 });
  } catch (error) {
    await pieces.return(undefined);
    throw error;
  }
  return new StreamedAnswer(type, resumed(first, pieces), { headers });
}

const contentOf = ({ bundle_id, worm_blob_sha256, member_ids }: BundleExport): AlarmedContent => ({
  blobSha256: worm_blob_sha256,
  custody: { action: 'EXPORT_EDX', subject: { kind: 'BUNDLE', id: bundle_id }, member_ids },
});

async function* written(
  call: RouteCall,
  { worm_blob_sha256, size, prefix }: BundleExport,
  write: (typeof EDX_FORMATS)[BundleExport['format']]['write'],
): AsyncGenerator<string> {
  const { tenant_id: tenantId, log_id: logId } = tenantOf(call.tenant);
  const worm = call.services.worm.forTenant({ tenantId, logId });
  const source = await openExport(
    {
      sha256: worm_blob_sha256,
      sizeBytes: size,
      read: (start, end) => worm.readBlob(worm_blob_sha256, { start, end }),
    },
    prefix,
  );
  yield* inLargePieces(write(source));
}
