import type { Db } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';

/** Takes the texts of disposed documents away, of originals and renditions. */
export const forgetTextsIn =
  (db: Db) =>
  async (tenantId: TenantId, documentIds: readonly string[]): Promise<void> => {
    if (documentIds.length === 0) return;
    const texts = db.collection<{ _id: string; tenant_id: string; document_id: string }>('document_texts');
    await texts.deleteMany({ tenant_id: tenantId, document_id: { $in: [...documentIds] } }, { writeConcern: DURABLE });
  };
