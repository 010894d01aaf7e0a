import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { MATTER_FACTS } from '../../../subgraphs/bundles/matters/schema.js';
import { HOLD_FACTS } from '../../../subgraphs/vault/holds/schema.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// Every kind of record whose steps are facts: each stored member that a fact states is edited in the database.

interface Proven {
  readonly kind: string;
  readonly collection: string;
  readonly members: readonly string[];
  /** The list, and one record of it. */
  readonly path: string;
  readonly id: string;
  readonly input: Record<string, unknown>;
  /** A change that answers with the next revision. */
  readonly change: Record<string, unknown>;
  /** The last step, and the members that it changes. */
  readonly end: {
    readonly path: string;
    readonly body: Record<string, unknown>;
    readonly before: Record<string, unknown>;
  };
  /** Words of the record that readers of events must not see. */
  readonly words: readonly string[];
  /** What the record's exception and custody are found by; null where custody has no kind for it. */
  readonly custodyKind: string | null;
}

const KINDS: readonly Proven[] = [
  {
    kind: 'hold',
    collection: 'legal_holds',
    members: HOLD_FACTS.evidential,
    path: '/v1/legal-holds',
    id: 'hold_id',
    input: {
      name: 'Doe v. Acme',
      scope: { member_ids: ['M-1'], from: '2026-01-01T00:00:00Z' },
      reason: 'Complaint served.',
      authority: 'Dkt. 1',
    },
    change: { reason: 'Amended.' },
    end: {
      path: '/release',
      body: {
        authority: { kind: 'COURT_ORDER', reference: 'Dkt. 88' },
        reason: 'Dismissed.',
        released_by: 'General Counsel',
      },
      before: { status: 'ACTIVE', release: null },
    },
    words: ['Complaint served.', 'Doe v. Acme', 'M-1'],
    custodyKind: 'HOLD',
  },
  {
    kind: 'matter',
    collection: 'legal_matters',
    members: [...MATTER_FACTS.evidential, ...MATTER_FACTS.lists],
    path: '/v1/legal-matters',
    id: 'matter_id',
    input: { name: 'Roe v. Acme', kind: 'LITIGATION', description: 'Denial of an MRI.', member_ids: ['M-2', 'M-1'] },
    change: { description: 'Amended.' },
    end: { path: '/close', body: {}, before: { status: 'OPEN', closed_at: null } },
    words: ['Denial of an MRI.', 'Roe v. Acme', 'M-2'],
    custodyKind: null,
  },
];

const VALUES: readonly unknown[] = [
  null,
  'forged',
  7,
  -1,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  new Date('2020-01-01T00:00:00Z'),
  ['forged'],
  { forged: true },
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

interface Made {
  readonly http: Http;
  readonly id: string;
  readonly path: string;
  readonly rows: Collection<Document & { _id: string }>;
  readonly row: Document;
}

async function make(kind: Proven): Promise<Made> {
  const { http } = await freshTenant(service.operator, ['admin']);
  const { status, json } = await http.post(kind.path, kind.input);
  expect(status).toBe(200);
  const id = json[kind.id];
  const rows = database.db.collection<Document & { _id: string }>(kind.collection);
  const row = await rows.findOne({ _id: id });
  if (!row) throw new Error('no row');
  return { http, id, path: `${kind.path}/${id}`, rows, row };
}

const patch = (http: Http, path: string, body: object): Promise<Answer> =>
  http.call(path, { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const codeOf = async (answer: Promise<Answer>): Promise<unknown> => (await answer).json.code;

describe.each(KINDS)('a row of kind $kind', (kind) => {
  it.each(kind.members)('answers INTEGRITY_FAILURE when someone replaces or removes %s', async (field) => {
    const { http, id, path, rows, row } = await make(kind);
    const others = VALUES.filter((value) => JSON.stringify(value) !== JSON.stringify(row[field]));
    const removal = row[field] === null ? [] : [{ $unset: { [field]: true } }];
    for (const change of [...others.map((value) => ({ $set: { [field]: value } })), ...removal]) {
      try {
        await rows.updateOne({ _id: id }, change);
      } catch (error) {
        // The database itself rejects a second list under one index.
        expect(error).toMatchObject({ code: 171 });
        continue;
      }
      const { status, json } = await http.get(path);
      expect({ change, status, code: json.code }).toEqual({ change, status: 500, code: 'INTEGRITY_FAILURE' });
      await rows.replaceOne({ _id: id }, row);
    }
    expect((await http.get(path)).status).toBe(200);
  });

  it('opens CHAIN_BREAK and records custody when it differs from its fact', async () => {
    const { http, id, path, rows } = await make(kind);
    await rows.updateOne({ _id: id }, { $set: { name: 'Another name.' } });
    expect((await http.get(path)).status).toBe(500);
    const { items } = (await http.get('/v1/exceptions?kind=CHAIN_BREAK')).json;
    expect(items).toEqual([expect.objectContaining({ subject: { kind: 'RECORD', id: `${kind.kind}/${id}` } })]);
    const subject = kind.custodyKind === null ? ['EVENT', `${kind.kind}/${id}`] : [kind.custodyKind, id];
    const found = await http.get(`/v1/custody?subject_kind=${subject[0]}&subject_id=${subject[1]}`);
    expect(found.json.items.map(({ action }: { action: string }) => action)).toContain('INTEGRITY_FAILURE');
  });

  it.each([
    ['names a fact that the ledger does not have', { $set: { 'fact.seq': 9_999 } }],
    ['removes the name of its fact', { $unset: { fact: true } }],
    ['gives the row to another tenant', { $set: { tenant_id: 'another' } }],
    ['changes a line of the history', { $set: { 'history.0.by': 'key_01JQ0000000000000000000009' } }],
    ['removes the history', { $unset: { history: true } }],
    ['adds a line to the history', { $push: { history: { action: 'update' } } }],
  ])('answers INTEGRITY_FAILURE when someone %s', async (_, change) => {
    const { http, id, path, rows } = await make(kind);
    await rows.updateOne({ _id: id }, change as Document);
    expect(await codeOf(http.get(path))).toBe('INTEGRITY_FAILURE');
  });

  it('answers INTEGRITY_FAILURE when someone sets it back to an older fact', async () => {
    const { http, id, path, rows, row } = await make(kind);
    expect((await http.post(`${path}${kind.end.path}`, kind.end.body)).status).toBe(200);
    await rows.updateOne({ _id: id }, { $set: { fact: row['fact'] } });
    expect(await codeOf(http.get(path))).toBe('INTEGRITY_FAILURE');
    await rows.updateOne({ _id: id }, { $set: kind.end.before });
    expect(await codeOf(http.get(path))).toBe('INTEGRITY_FAILURE');
  });

  it('is written from the facts, with its history, when a crash left it out or behind', async () => {
    const { http, id, path, rows, row } = await make(kind);
    await rows.deleteOne({ _id: id });
    expect((await http.get(path)).json).toMatchObject({ [kind.id]: id, revision: 1 });
    expect((await patch(http, path, { ...kind.change, revision: 1 })).json).toMatchObject({ revision: 2 });
    await rows.replaceOne({ _id: id }, row);
    const restored = (await http.get(path)).json;
    expect(restored).toMatchObject({ revision: 2, ...kind.change });
    expect(restored.history.map(({ action }: { action: string }) => action)).toEqual(['create', 'update']);
  });

  it('is not listed when its fact does not prove it', async () => {
    const { http, id, rows } = await make(kind);
    expect((await http.get(kind.path)).json.items).toHaveLength(1);
    await rows.updateOne({ _id: id }, { $set: { name: 'Another name.' } });
    expect(await codeOf(http.get(kind.path))).toBe('INTEGRITY_FAILURE');
  });

  it('accepts one of many concurrent changes of one revision, and the ledger verifies', async () => {
    const { http, path } = await make(kind);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => patch(http, path, { ...kind.change, revision: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect((await http.get(path)).json).toMatchObject({ revision: 2 });
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('is shown by its fact to readers of events without words that may name people', async () => {
    const { http, id } = await make(kind);
    const { items } = (await http.get(`/v1/events?source_system=_records&source_record_id=${kind.kind}/${id}`)).json;
    expect(items).toEqual([
      expect.objectContaining({
        payload: expect.objectContaining({ action: 'create', [kind.id]: id, previous: null }),
      }),
    ]);
    const text = JSON.stringify(items);
    for (const hidden of [...kind.words, 'worm_sha256']) expect(text).not.toContain(hidden);
  });
});

describe('a matter', () => {
  it('is not closed when someone removes the row of a hold that it links', async () => {
    const [kind] = KINDS;
    if (!kind) throw new Error('no kind');
    const { http, id, rows } = await make(kind);
    const matter = (await http.post('/v1/legal-matters', { name: 'Roe', kind: 'AUDIT', hold_ids: [id] })).json;
    await rows.deleteOne({ _id: id });
    expect(await codeOf(http.post(`/v1/legal-matters/${matter.matter_id}/close`, {}))).toBe('LEGAL_HOLD_ACTIVE');
    await rows.updateOne({ _id: id }, { $set: { status: 'RELEASED' } });
    expect(await codeOf(http.post(`/v1/legal-matters/${matter.matter_id}/close`, {}))).toBe('INTEGRITY_FAILURE');
  });
});
