import { describe, expect, it } from '@jest/globals';
import { ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Records, RecordWrite } from '../../../shared/records/records.js';
import { type RecordKind, RecordSteps, type StepTaker, serviceTaker } from '../../../shared/records/steps.js';
import type { StepLine, SteppedRow } from '../../../shared/records/stored.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

type Status = 'NEW' | 'DONE';
type Action = 'create' | 'update' | 'finish';

interface TaskRow extends SteppedRow {
  readonly task_id: string;
  readonly title: string;
  readonly status: Status;
  readonly history: readonly StepLine<Status, Action>[];
}

const TENANT = 'acme' as TenantId;
const scope = 'leads:write' as const;
const KIND: RecordKind<TaskRow, 'task_id'> = {
  machine: stateMachine<Status, Action>('task', [
    { from: null, action: 'create', to: 'NEW', scope, emits: ['task.created'] },
    { from: 'NEW', action: 'update', to: 'NEW', scope, emits: ['task.updated'] },
    { from: 'NEW', action: 'finish', to: 'DONE', scope, emits: ['task.finished'] },
  ]),
  idKind: 'lead',
  id: 'task_id',
  noun: 'task',
  family: 'task',
  payload: ({ task_id }, step) => ({ task_id, ...step }),
};

/** Records in memory; `interfere` runs before every replacement. */
class MemoryTasks implements Records<TaskRow> {
  readonly tenantId = TENANT;
  readonly rows = new Map<string, TaskRow>();
  readonly relayed: RecordWrite<TaskRow>[] = [];
  interfere: (row: TaskRow) => TaskRow | null = () => null;

  async get(id: string) {
    return this.rows.get(id) ?? null;
  }

  async among(ids: readonly string[]) {
    return ids.flatMap((id) => this.rows.get(id) ?? []);
  }

  async catchUp() {}

  async page() {
    return { items: [...this.rows.values()], next_cursor: null };
  }

  async insert({ members, line }: RecordWrite<TaskRow>) {
    if (this.rows.has(members.task_id)) return null;
    return this.#put({ ...members, history: [line] });
  }

  async replace({ members, line }: RecordWrite<TaskRow>, before: TaskRow) {
    const changed = this.interfere(before);
    if (changed) this.#put(changed);
    const current = this.rows.get(members.task_id);
    if (current === undefined || current.revision !== before.revision) return 'moved' as const;
    return this.#put({ ...members, history: [...current.history, line] });
  }

  async relay(write: RecordWrite<TaskRow>) {
    this.relayed.push(write);
  }

  #put(row: TaskRow): TaskRow {
    this.rows.set(row.task_id, row);
    return row;
  }
}

let nowMs = 1_000;
const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
const randomness = { fill: (target: Uint8Array) => target.fill(7) };
const ids = ulidIds(() => nowMs, randomness);
/** A request with an Idempotency-Key: the same purpose yields the same identifiers. */
const request = (work_id: string): StepTaker => ({
  by: 'key_1',
  actor_id: 'act_1',
  work_id,
  idsFor: () => ulidIds(() => 5, randomness),
});

const stepsOver = (rows: MemoryTasks, taker: StepTaker = serviceTaker(ids, 'service:test'), kind = KIND) =>
  new RecordSteps(kind, { clock, taker, rows });
const created = (rows: MemoryTasks, taker?: StepTaker) => stepsOver(rows, taker).create(() => ({ title: 'first' }));

describe('RecordSteps.create', () => {
  it('stores the record at revision 1 with its line of history and relays its entry', async () => {
    const rows = new MemoryTasks();
    const at = new Date(nowMs);
    const task = await created(rows, request('wrk_1'));
    expect(task).toMatchObject({ tenant_id: TENANT, title: 'first', status: 'NEW', revision: 1, created_at: at });
    const line = { revision: 1, action: 'create', from: null, to: 'NEW', at, by: 'key_1', actor_id: 'act_1' };
    expect(task.history).toEqual([{ ...line, work_id: 'wrk_1' }]);
    expect(rows.relayed[0]?.pending).toMatchObject([
      {
        kind: 'ledger-entry',
        source_system: '_records',
        entry: {
          event_family: 'task',
          event_type: 'task.created',
          outcome: 'NEW',
          payload: { revision: 1, by: 'key_1' },
        },
      },
    ]);
  });

  it('returns the record of the first run when the same request runs again', async () => {
    const rows = new MemoryTasks();
    const first = await created(rows, request('wrk_1'));
    expect(await created(rows, request('wrk_1'))).toEqual(first);
    expect(rows.rows.size).toBe(1);
    expect(rows.relayed).toHaveLength(1);
  });
});

describe('RecordSteps.created', () => {
  it('returns the record that an earlier run of the request has created, and null before', async () => {
    const rows = new MemoryTasks();
    expect(await stepsOver(rows, request('wrk_1')).created()).toBeNull();
    const first = await created(rows, request('wrk_1'));
    expect(await stepsOver(rows, request('wrk_1')).created()).toEqual(first);
  });
});

describe('RecordSteps.creation', () => {
  it('returns the write of a new record without storing it', () => {
    const rows = new MemoryTasks();
    const at = new Date(nowMs);
    const members = { task_id: 'led_1', tenant_id: TENANT, title: 'first', status: 'DONE', revision: 1 } as const;
    const write = stepsOver(rows).creation('led_1', at, { ...members, created_at: at, updated_at: at });
    expect(write).toMatchObject({
      members: { task_id: 'led_1', title: 'first', status: 'NEW' },
      line: { revision: 1, action: 'create', from: null, to: 'NEW', at, by: 'service:test' },
      pending: [{ kind: 'ledger-entry', entry: { event_type: 'task.created', outcome: 'NEW' } }],
    });
    expect(rows.rows.size).toBe(0);
  });
});

describe('RecordSteps.take', () => {
  it('settles the stored record before it relays the effects', async () => {
    const rows = new MemoryTasks();
    const relayedBefore: number[] = [];
    const settle = async (task: TaskRow) => {
      relayedBefore.push(rows.relayed.length);
      return { ...task, title: 'settled' };
    };
    const task = await stepsOver(rows).create(() => ({ title: 'first' }), { settle });
    expect(task.title).toBe('settled');
    expect((await stepsOver(rows).take(task.task_id, 'finish', { settle })).title).toBe('settled');
    expect(relayedBefore).toEqual([0, 1]);
  });

  it('changes members, status, revision and history in one write', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    nowMs += 5;
    const done = await stepsOver(rows).take(task_id, 'finish', { change: () => ({ title: 'last' }) });
    expect(done).toMatchObject({ title: 'last', status: 'DONE', revision: 2, updated_at: new Date(nowMs) });
    expect(done.history.map(({ action }) => action)).toEqual(['create', 'finish']);
  });

  it('throws NOT_FOUND for an unknown identifier and for text that is no identifier', async () => {
    const steps = stepsOver(new MemoryTasks());
    await expect(steps.take('led_01JQ0000000000000000000001', 'finish')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(steps.take('x', 'finish')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('throws INVALID_TRANSITION for an action that the state table does not allow', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    await stepsOver(rows).take(task_id, 'finish');
    await expect(stepsOver(rows).take(task_id, 'update')).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  });

  it('throws CONFLICT when the caller names another revision', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    await expect(stepsOver(rows).take(task_id, 'update', { revision: 2 })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The task has revision 1, not 2; read it again and retry.',
    });
  });

  it('takes a step once for one request', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    const first = await stepsOver(rows, request('wrk_2')).take(task_id, 'update');
    expect(await stepsOver(rows, request('wrk_2')).take(task_id, 'update')).toEqual(first);
    expect((await stepsOver(rows, request('wrk_3')).take(task_id, 'update')).revision).toBe(3);
  });

  it('takes a step of `takenAgain` again for the same request, by name or by a function', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    const steps = stepsOver(rows, request('wrk_2'), { ...KIND, takenAgain: ['update'] });
    expect((await steps.take(task_id, 'update')).revision).toBe(2);
    expect((await steps.take(task_id, 'update')).revision).toBe(3);
    expect((await steps.take(task_id, () => 'update')).revision).toBe(4);
    expect((await steps.take(task_id, 'finish')).revision).toBe(5);
    expect((await steps.take(task_id, 'finish')).revision).toBe(5);
  });

  it('throws INVALID_TRANSITION before CONFLICT, and with `revisionFirst` CONFLICT before INVALID_TRANSITION', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    await stepsOver(rows).take(task_id, 'finish');
    const both = (kind = KIND) => stepsOver(rows, undefined, kind).take(task_id, 'update', { revision: 7 });
    await expect(both()).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    await expect(both({ ...KIND, revisionFirst: true })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('takes no step when the action or the change is null', async () => {
    const rows = new MemoryTasks();
    const task = await created(rows);
    expect(await stepsOver(rows).take(task.task_id, () => null)).toEqual(task);
    expect(await stepsOver(rows).take(task.task_id, 'update', { change: () => null })).toEqual(task);
  });

  it('reads again and retries when another writer changes the record between read and write', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    let left = 3;
    rows.interfere = (row) => (left-- > 0 ? { ...row, revision: row.revision + 1 } : null);
    expect((await stepsOver(rows).take(task_id, 'finish')).revision).toBe(5);
  });

  it('throws CONFLICT when other writers never stop', async () => {
    const rows = new MemoryTasks();
    const { task_id } = await created(rows);
    rows.interfere = (row) => ({ ...row, revision: row.revision + 1 });
    await expect(stepsOver(rows).take(task_id, 'finish')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Other requests keep changing the task; read it again and retry.',
    });
  });
});

describe('RecordSteps.takeOn', () => {
  it('returns null when the record changed since it was read', async () => {
    const rows = new MemoryTasks();
    const task = await created(rows);
    await stepsOver(rows).take(task.task_id, 'update');
    expect(await stepsOver(rows).takeOn(task, 'finish')).toBeNull();
  });
});
