import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { uploadScanned } from '../../vault/vault-kit.js';

// Lists by a name that the facts of a record hold: the row may be edited or removed, the list does not get shorter.

const MEMBER = 'M-1';

interface Named {
  readonly kind: string;
  readonly collection: string;
  readonly make: (http: Http) => Promise<Answer>;
  readonly id: string;
  readonly list: string;
  /** Gives the row to another member. */
  readonly edit: Document;
}

const KINDS: readonly Named[] = [
  {
    kind: 'matter',
    collection: 'legal_matters',
    make: (http) => http.post('/v1/legal-matters', { name: 'Doe', kind: 'LITIGATION', member_ids: [MEMBER, 'M-2'] }),
    id: 'matter_id',
    list: `/v1/legal-matters?member_id=${MEMBER}`,
    edit: { member_ids: ['M-2'] },
  },
  {
    kind: 'bundle',
    collection: 'bundles',
    make: (http) => http.post('/v1/bundles', { scope: { member_id: MEMBER } }),
    id: 'bundle_id',
    list: `/v1/bundles?member_id=${MEMBER}`,
    edit: { 'scope.member_id': 'M-2' },
  },
  {
    kind: 'document',
    collection: 'documents',
    make: (http) => uploadScanned(http, 'A letter.', { title: 'Letter', member_id: MEMBER }),
    id: 'document_id',
    list: `/v1/documents?member_id=${MEMBER}`,
    edit: { member_ids: ['M-2'] },
  },
];

let service: WholeService;
let database: Database;
beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
});
afterAll(async () => {
  await database.close();
  await service.stop();
});

describe.each(KINDS)('a list of $kind records by member', ({ collection, make, id, list, edit }) => {
  it('fails when someone gives a row to another member', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const made = (await make(http)).json;
    expect((await http.get(list)).json.items.map((item: Document) => item[id])).toEqual([made[id]]);
    const rows = database.db.collection<{ _id: string }>(collection);
    await rows.updateOne({ _id: made[id] }, { $set: edit });
    const { status, json } = await http.get(list);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });

  it('writes a removed row again, or fails', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const made = (await make(http)).json;
    await database.db.collection<{ _id: string }>(collection).deleteOne({ _id: made[id] });
    const { status, json } = await http.get(list);
    if (status === 500) expect(json.code).toBe('INTEGRITY_FAILURE');
    else expect(json.items.map((item: Document) => item[id])).toEqual([made[id]]);
  });
});
