import type { Db } from 'mongodb';
import type { NamedArchives } from '../service/ports/named-archives.js';
import { BUNDLE_COLLECTION } from './bundle-model.js';

/** Which contents sealed bundles name, whatever became of the bundles since. */
export function mongoSealedArchives(db: Db): NamedArchives {
  const rows = db.collection(BUNDLE_COLLECTION);
  return async (tenant_id, sha256s) => {
    const filter = { tenant_id, 'seal.worm_blob_sha256': { $in: [...sha256s] } };
    const found: unknown[] = await rows.distinct('seal.worm_blob_sha256', filter);
    return found.map(String);
  };
}
