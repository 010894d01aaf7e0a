import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { systemRandomness, ulidIds } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { SegmentDirectory } from '../../../../shared/worm/segments/directory.js';
import { ownRotator, roleRotator } from '../../../../shared/worm/segments/rotator.js';
import { startTestServer, type TestServer } from '../../../support/database.js';
import { ManualClock } from '../../../support/fakes.js';

const LIMITS = { segmentBytes: 1_048_576, segmentRecords: 20 };
const ids = ulidIds(() => 0, systemRandomness());

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const worm = async (): Promise<Db> => (await server.connect(`rotator${ids.next('blob').slice(-6).toLowerCase()}`)).db;

/** A server that takes every command; the embedded one has no roles. */
function recording(name: string) {
  const said: unknown[] = [];
  const admin = { command: async (command: unknown) => void said.push(command) };
  const db = {
    databaseName: name,
    client: { db: (asked: string) => ({ admin })[asked] },
    createCollection: async (collection: string, options: object) => void said.push({ create: collection, ...options }),
  };
  return { db: db as unknown as Db, said };
}

const right = (collection: string) => ({
  privileges: [{ resource: { db: 'eas_worm', collection }, actions: ['insert'] }],
  writeConcern: { w: 'majority' },
});

describe('a rotator', () => {
  it('creates a segment before the service may insert into it, and revokes that right later', async () => {
    const { db, said } = recording('eas_worm');
    const rotator = roleRotator(db, LIMITS);
    await rotator.open('worm_a');
    await rotator.seal('worm_a');
    expect(said).toEqual([
      { create: 'worm_a', capped: true, size: LIMITS.segmentBytes, max: LIMITS.segmentRecords },
      { grantPrivilegesToRole: 'eas-worm-segments', ...right('worm_a') },
      { revokePrivilegesFromRole: 'eas-worm-segments', ...right('worm_a') },
    ]);
  });

  it('may open a segment twice, and opens no existing collection that is not capped', async () => {
    const db = await worm();
    const rotator = ownRotator(db, LIMITS);
    await rotator.open('worm_b');
    await rotator.open('worm_b');
    expect(await db.collection('worm_b').isCapped()).toBe(true);
    await db.createCollection('worm_c');
    await expect(rotator.open('worm_c')).rejects.toThrow('not capped');
  });

  it('is called once for each segment, before the first write and before the segment counts as sealed', async () => {
    const db = await worm();
    const clock = new ManualClock();
    const said: string[] = [];
    const states = async (): Promise<string[]> =>
      (await db.collection<{ _id: string }>('worm_segments').find({}).toArray()).map(
        (row) => `${row['state' as never]}`,
      );
    const rotator = {
      open: async (name: string) => void said.push(`open ${name.slice(-6)}`),
      seal: async (name: string) => void said.push(`seal ${name.slice(-6)} ${(await states()).join()}`),
    };
    const directory = new SegmentDirectory(db, LIMITS, clock, rotator);
    const logId = 'log_a' as TenantId;
    const one = { records: 10, bytes: 1_000 };
    const { segment } = await directory.reserve(logId, one, one);
    await directory.reserve(logId, { records: 9, bytes: 900 }, { records: 9, bytes: 900 });
    expect(said).toEqual(['open 000001', 'open 000002', 'open 000003']);
    await directory.freezeSeal(segment, { count: 0 } as never);
    await directory.markSealed(segment);
    expect(said.at(-1)).toBe('seal 000001 FULL,OPEN,OPEN');
    expect(await states()).toEqual(['SEALED', 'OPEN', 'OPEN']);
    // A late process does not open a full or sealed segment again.
    said.length = 0;
    await new SegmentDirectory(db, LIMITS, clock, rotator).reserve(logId, one, one);
    expect(said.some((line) => line.includes('000001'))).toBe(false);
  });
});
