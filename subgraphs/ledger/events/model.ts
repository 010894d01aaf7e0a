import type { Db } from 'mongodb';
import type { StoredIngest } from '../ingest/index.js';
import type { RawUse } from './ports.js';

/** Answers from the results of raw messages, by the hash of the body. */
export function mongoRawUse(db: Db): (tenantId: string) => RawUse {
  const ingests = db.collection<StoredIngest>('ingests');
  return (tenantId) => ({
    isOneEvent: async (rawSha256) => {
      const filter = { '_id.tenant_id': tenantId, 'answer.raw_sha256': rawSha256 };
      const projection = { 'answer.accepted': 1, 'answer.duplicated': 1, 'answer.rejected': 1 } as const;
      const found = await ingests.findOne(filter, { projection });
      if (!found) return false;
      const { accepted, duplicated, rejected } = found.answer;
      return accepted + duplicated === 1 && rejected === 0;
    },
  });
}
