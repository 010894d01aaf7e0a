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

interface Listed {
  readonly kind: string;
  readonly collection: string;
  readonly make: (http: Http) => Promise<Answer>;
  readonly id: string;
  readonly list: string;
}

const LISTED: readonly Listed[] = [
  ...KINDS.map(({ list, ...kind }) => ({ ...kind, list: list.split('?')[0] ?? list })),
  {
    kind: 'hold',
    collection: 'legal_holds',
    make: (http) =>
      http.post('/v1/legal-holds', { name: 'Doe', reason: 'Litigation.', scope: { member_ids: [MEMBER] } }),
    id: 'hold_id',
    list: '/v1/legal-holds',
  },
];

describe.each(LISTED)('a list of all $kind records', ({ collection, make, id, list }) => {
  const idsOf = ({ json }: Answer): readonly string[] => json.items.map((item: Document) => item[id]);
  const three = async (http: Http): Promise<readonly string[]> => {
    const made: string[] = [];
    for (let n = 0; n < 3; n++) made.unshift((await make(http)).json[id]);
    return made;
  };
  const rows = () => database.db.collection<{ _id: string }>(collection);

  it('shows each record once, page by page, in both orders', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const made = await three(http);
    for (const order of ['desc', 'asc']) {
      const shown: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await http.get(`${list}?limit=1&order=${order}${cursor}`);
        shown.push(...idsOf(page));
        if (page.json.next_cursor === null) break;
        cursor = `&cursor=${page.json.next_cursor}`;
      }
      expect(shown).toEqual(order === 'desc' ? made : made.toReversed());
    }
  });

  it.each([0, 1, 2])('fails on the page of a record that someone gives to another tenant (place %i)', async (place) => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const made = await three(http);
    const hidden = made[place] ?? '';
    await rows().updateOne({ _id: hidden }, { $set: { tenant_id: 'other' } });
    const { status, json } = await http.get(list);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });

  it('fails on one of its pages when someone changes the time that a record is listed by', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const made = await three(http);
    await rows().updateOne({ _id: made[1] ?? '' }, { $set: { created_at: new Date('2001-01-01T00:00:00.000Z') } });
    const { status, json } = await http.get(`${list}?limit=2`);
    expect([status, json.code]).toEqual([500, 'INTEGRITY_FAILURE']);
  });

  it('shows a removed row that no sweep has passed yet, or fails', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const made = await three(http);
    await rows().deleteOne({ _id: made[1] ?? '' });
    const answer = await http.get(list);
    if (answer.status === 500) expect(answer.json.code).toBe('INTEGRITY_FAILURE');
    else expect(idsOf(answer)).toEqual(made);
  });
});
