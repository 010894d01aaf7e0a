import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { documentsOf, RecordStore } from '../../../shared/records/record-store.js';
import type { StepLine, SteppedRow } from '../../../shared/records/stored.js';
import { startTestServer, type TestServer } from '../../support/database.js';

interface TaskRow extends SteppedRow {
  readonly task_id: string;
  readonly labels: readonly string[];
  readonly progress: number;
  readonly history: readonly StepLine[];
}

const TASKS = declareCollection('tasks');
const TENANT = 'acme' as TenantId;

let server: TestServer;
let database: Database;
let tasks: RecordStore<TaskRow>;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('records');
  const outbox = { relay: async () => undefined };
  tasks = new RecordStore({ db: database.db, outbox }, { collection: TASKS, id: 'task_id', hidden: ['lease'] }, TENANT);
  for (const [n, labels] of [['red'], ['red', 'blue'], ['green']].entries()) await insert(`task_${n}`, labels);
});
afterAll(() => server.stop());

const line = (revision: number): StepLine => ({
  revision,
  action: 'create',
  from: null,
  to: 'NEW',
  at: new Date(1),
  by: 'key_1',
  actor_id: null,
  work_id: null,
});

const members = (task_id: string, labels: readonly string[]) => ({
  task_id,
  tenant_id: TENANT,
  labels,
  progress: 0,
  status: 'NEW',
  revision: 1,
  created_at: new Date(1),
  created_by: 'key_1',
  updated_at: new Date(1),
});
const insert = (task_id: string, labels: readonly string[]) =>
  tasks.insert({ members: members(task_id, labels), line: line(1), pending: [] });

const change = (task_id: string, set: object) =>
  documentsOf(database.db, TASKS).updateOne({ _id: task_id }, { $set: set });
const idsOf = (rows: readonly TaskRow[]) => rows.map(({ task_id }) => task_id).sort();

describe('RecordStore.replace', () => {
  it('leaves members alone that the step does not change', async () => {
    const before = await tasks.get('task_0');
    if (before === null) throw new Error('the task is missing');
    await change('task_0', { progress: 7, lease: 'mine' });
    const { history: _, ...members } = before;
    await tasks.replace({ members: { ...members, labels: ['late'], revision: 2 }, line: line(2), pending: [] }, before);
    expect(await tasks.get('task_0')).toMatchObject({ progress: 7, labels: ['late'], revision: 2 });
    await change('task_0', { labels: ['red'] });
  });

  it('writes a member that the step sets to the value that was read', async () => {
    const before = await tasks.get('task_2');
    if (before === null) throw new Error('the task is missing');
    await change('task_2', { progress: 7 });
    const { history: _, ...members } = before;
    await tasks.replace(
      { members: { ...members, revision: 2 }, line: line(2), pending: [], set: ['progress'] },
      before,
    );
    expect(await tasks.get('task_2')).toMatchObject({ progress: 0 });
  });

  it('returns moved when the record has another revision than the one that was read', async () => {
    const before = await tasks.get('task_1');
    if (before === null) throw new Error('the task is missing');
    await change('task_1', { revision: 9 });
    const { history: _, ...members } = before;
    expect(await tasks.replace({ members, line: line(2), pending: [] }, before)).toBe('moved');
  });
});

describe('RecordStore with counted members', () => {
  it('leaves them as they are even if a replacement has other values', async () => {
    const options = { collection: declareCollection('counting'), id: 'task_id', counted: ['progress'] } as const;
    const store = new RecordStore<TaskRow>(
      { db: database.db, outbox: { relay: async () => undefined } },
      options,
      TENANT,
    );
    const made = await store.insert({ members: members('task_1', []), line: line(1), pending: [] });
    if (made === null) throw new Error('the task is missing');
    const { history: _, ...before } = made;
    await store.replace({ members: { ...before, progress: 9, revision: 2 }, line: line(2), pending: [] }, made);
    expect(await store.get('task_1')).toMatchObject({ progress: 0, revision: 2 });
  });
});

describe('RecordStore with endsWhen', () => {
  const endsWhen = ({ status }: Pick<TaskRow, 'status'>) => status === 'DONE';
  const ended = async (endedStay: boolean) => {
    const options = {
      collection: declareCollection(`ending_${endedStay}`),
      id: 'task_id',
      endsWhen,
      endedStay,
    } as const;
    const store = new RecordStore<TaskRow>(
      { db: database.db, outbox: { relay: async () => undefined } },
      options,
      TENANT,
    );
    const made = await store.insert({ members: members('task_1', []), line: line(1), pending: [] });
    if (made === null) throw new Error('the task is missing');
    const { history: _, ...before } = made;
    const done = { ...before, status: 'DONE', revision: 2 };
    await store.replace({ members: done, line: line(2), pending: [] }, made);
    const document = await documentsOf(database.db, options.collection).findOne({ _id: 'task_1' });
    return { store, isActive: document?.active };
  };

  it('finds no row that has ended', async () => {
    const { store, isActive } = await ended(false);
    expect(isActive).toBeUndefined();
    expect(await store.get('task_1')).toBeNull();
  });

  it('finds rows that have ended with endedStay', async () => {
    const { store, isActive } = await ended(true);
    expect(isActive).toBeUndefined();
    expect(await store.get('task_1')).toMatchObject({ status: 'DONE', revision: 2 });
    expect(idsOf((await store.page({ limit: 10, order: 'asc', where: {} })).items)).toEqual(['task_1']);
  });
});

describe('RecordStore reads', () => {
  it('returns rows without the members that only the document has', async () => {
    await change('task_2', { lease: 'mine' });
    expect(await tasks.get('task_2')).not.toHaveProperty('lease');
  });

  it('finds rows by identifiers, by one item of a list, and by any of several items', async () => {
    const page = async (where: object) => idsOf((await tasks.page({ limit: 10, order: 'asc', where })).items);
    expect(idsOf(await tasks.among(['task_0', 'task_2', 'task_9']))).toEqual(['task_0', 'task_2']);
    expect(await page({ task_id: ['task_1'] })).toEqual(['task_1']);
    expect(await page({ labels: 'red' })).toEqual(['task_0', 'task_1']);
    expect(await page({ labels: ['blue', 'green'] })).toEqual(['task_1', 'task_2']);
  });
});
