import type { Db } from 'mongodb';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RedactedLines } from '../service/ports/redacted-lines.js';
import { REDACTION_COLLECTION, type RedactionRow } from './redaction-model.js';

/** Which contents are redacted lines of events; what stands in for a document's content is named by the document. */
export function mongoRedactedLines(db: Db): (tenantId: TenantId) => RedactedLines {
  const rows = db.collection<RedactionRow>(REDACTION_COLLECTION);
  return (tenant_id) => ({
    ofEvents: async (eventIds) => {
      if (eventIds.length === 0) return [];
      const filter = { tenant_id, 'subject.id': { $in: [...eventIds] }, 'subject.kind': 'EVENT' as const };
      const found = await rows.find(filter, { projection: { rendition_sha256: 1 } }).toArray();
      return found.flatMap(({ rendition_sha256 }) => rendition_sha256 ?? []);
    },
    eventsOf: async (sha256s) => {
      const filter = { tenant_id, rendition_sha256: { $in: [...sha256s] }, 'subject.kind': 'EVENT' as const };
      const found = await rows.find(filter, { projection: { rendition_sha256: 1, subject: 1 } }).toArray();
      return found.flatMap(({ rendition_sha256, subject }) =>
        rendition_sha256 === null ? [] : [{ sha256: rendition_sha256, event_id: subject.id }],
      );
    },
  });
}
