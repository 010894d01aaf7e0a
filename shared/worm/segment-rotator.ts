import type { Db } from 'mongodb';
import type { WormLimits } from '../config/config.js';

/** Opens the collections of segments, and ends their being written to (evidence.md section 4). */
export interface SegmentRotator {
  /** Makes the capped collection and lets the service insert into it; doing it again changes nothing. */
  open(name: string): Promise<void>;
  /** Nothing can be inserted from here on; doing it again changes nothing. */
  seal(name: string): Promise<void>;
}

/** The role that holds the service's right to insert into open segments; `docker/mongo-init.js` makes it, empty. */
export const SEGMENT_ROLE = 'eas-worm-segments';
const ROLE_DATABASE = 'admin';

const NAMESPACE_EXISTS = 48;
const MAJORITY = { w: 'majority' } as const;

/** Under the service's own credential: it opens segments, and nothing but its own discipline closes them. */
export const ownRotator = (db: Db, limits: WormLimits): SegmentRotator => ({
  open: (name) => createCapped(db, name, limits),
  seal: async () => undefined,
});

/**
 * Under the rotator's credential: the service may insert into those segments alone that were opened and are not sealed.
 *
 * @param db the write-once database under that credential.
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
    if ((error as { code?: unknown }).code !== NAMESPACE_EXISTS) throw error;
    const [found] = await db.listCollections({ name }, { nameOnly: false }).toArray();
    const options = (found as { options?: { capped?: unknown } } | undefined)?.options;
    if (options?.capped !== true) throw new Error(`the collection ${name} exists and is not capped`);
  }
}
