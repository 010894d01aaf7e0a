import type { CollectionInfo, Db } from 'mongodb';
import type { WormLimits } from '../../config/config.js';
import { codeOf } from '../durable-files.js';

/** Opens segments for inserts and seals them (evidence.md section 4). */
export interface SegmentRotator {
  /** Makes the segment and allows the service to insert into it; idempotent. */
  open(name: string): Promise<void>;
  /** Ends inserts into the segment; idempotent. */
  seal(name: string): Promise<void>;
}

/** Role with the service's right to insert into open segments; `docker/mongo-init.js` creates it empty. */
const SEGMENT_ROLE = 'eas-worm-segments';
const ROLE_DATABASE = 'admin';

const NAMESPACE_EXISTS = 48;
const MAJORITY = { w: 'majority' } as const;

/** Rotates under the service's credential; only the service's code, not a right, ends inserts. */
export const ownRotator = (db: Db, limits: WormLimits): SegmentRotator => ({
  open: (name) => createCapped(db, name, limits),
  seal: async () => undefined,
});

/**
 * Rotates under the rotator's credential: the service can insert only into open segments.
 *
 * @param db the write-once database under that credential
 */
export function roleRotator(db: Db, limits: WormLimits): SegmentRotator {
  const change = (command: 'grantPrivilegesToRole' | 'revokePrivilegesFromRole', name: string) =>
    db.client.db(ROLE_DATABASE).command({
      [command]: SEGMENT_ROLE,
      privileges: [{ resource: { db: db.databaseName, collection: name }, actions: ['insert'] }],
      writeConcern: MAJORITY,
    });
  return {
    open: async (name) => {
      await createCapped(db, name, limits);
      await change('grantPrivilegesToRole', name);
    },
    seal: async (name) => void (await change('revokePrivilegesFromRole', name)),
  };
}

async function createCapped(db: Db, name: string, { segmentBytes, segmentRecords }: WormLimits): Promise<void> {
  try {
    await db.createCollection(name, { capped: true, size: segmentBytes, max: segmentRecords });
  } catch (error) {
    if (codeOf(error) !== NAMESPACE_EXISTS) throw error;
    const [found] = await db.listCollections<CollectionInfo>({ name }, { nameOnly: false }).toArray();
    if (found?.options?.['capped'] !== true) throw new Error(`the collection ${name} exists and is not capped`);
  }
}
