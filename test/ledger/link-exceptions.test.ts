import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { LINK_COLLECTION } from '../../subgraphs/ledger/model/link-model.js';
import { LinksKit } from './links-kit.js';

const HOUR_MS = 3_600_000;

const kit = new LinksKit();
const { append, caughtUp, later, exceptions, told, claim, remittance, request, decision } = kit;

beforeAll(kit.start);
afterAll(kit.stop);
beforeEach(kit.begin);
afterEach(kit.end);

describe('a remittance without a claim', () => {
  test('is told of after the grace, once, and not before', async () => {
    const id = await remittance('C-1', 'denied', { payer_claim_id: 'P-1' });
    await caughtUp();
    await later(23.9);
    expect(await told()).toEqual([]);
    await later(0.2);
    await later(30);
    expect(await exceptions()).toMatchObject([
      {
        kind: 'UNMATCHED_REMITTANCE',
        status: 'OPEN',
        subject: { kind: 'EVENT', id },
        detail: { claim_id: 'C-1', payer_claim_id: 'P-1' },
        occurrences: 1,
      },
    ]);
  });

  test('is not told of when the claim comes within the grace', async () => {
    await remittance('C-1', 'denied');
    await caughtUp();
    await claim('C-1');
    await caughtUp();
    await later(100);
    expect(await told()).toEqual([]);
    expect(await kit.database.db.collection(LINK_COLLECTION).countDocuments({ watched: true })).toBe(0);
  });

  test('resolves by itself when the claim comes later', async () => {
    await remittance('C-1', 'denied');
    await caughtUp();
    await later(25);
    await claim('C-2');
    await caughtUp();
    expect(await told()).toEqual(['UNMATCHED_REMITTANCE OPEN']);
    await claim('C-1');
    await caughtUp();
    expect(await exceptions()).toMatchObject([{ status: 'RESOLVED', resolution: 'CLEARED' }]);
  });

  test('that names none is not looked for', async () => {
    await append('remittance claim_adjudicated denied', { amounts: { paid: '0.00' } });
    await caughtUp();
    await later(100);
    expect(await told()).toEqual([]);
  });
});

describe('a remittance that does not agree with an authorization', () => {
  test('denied though approved is told of at once, whichever comes last', async () => {
    const parts = [
      () => claim('C-1', ['A-1']),
      () => decision({ authorization_number: 'A-1' }),
      () => remittance('C-1', 'denied', { carc: ['197'] }),
    ] as const;
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 2, 0],
      [2, 1, 0],
    ] as const) {
      await kit.database.db.collection('exceptions').deleteMany({});
      await kit.database.db.collection(LINK_COLLECTION).deleteMany({});
      for (const at of order) {
        await parts[at]();
        await caughtUp();
      }
      expect(await exceptions()).toMatchObject([
        { kind: 'AUTHORIZATION_MISMATCH', detail: { difference: 'DENIED_THOUGH_APPROVED', reasons: ['197'] } },
      ]);
    }
  });

  test('paid against a denial is told of at once', async () => {
    await claim('C-1', ['A-1']);
    await decision({ authorization_number: 'A-1' }, 'denied');
    await remittance('C-1');
    await caughtUp();
    expect(await exceptions()).toMatchObject([
      { kind: 'AUTHORIZATION_MISMATCH', detail: { difference: 'PAID_NOT_APPROVED', authorization: 'A-1' } },
    ]);
  });

  test('paid without the authorization is told of after the grace, and resolves when it comes', async () => {
    await decision({ authorization_number: 'ANOTHER' });
    await claim('C-1', ['A-1']);
    await remittance('C-1');
    await caughtUp();
    expect(await told()).toEqual([]);
    await later(25);
    expect(await exceptions()).toMatchObject([
      { status: 'OPEN', detail: { difference: 'PAID_WITHOUT_AUTHORIZATION' } },
    ]);
    await decision({ authorization_number: 'A-1' }, 'approved', { event_effective_timestamp: '2026-03-01T00:00:00Z' });
    await caughtUp();
    expect(await told()).toEqual(['AUTHORIZATION_MISMATCH RESOLVED']);
  });

  test('paid without the authorization, which then comes denied, is told of as that', async () => {
    await decision({ authorization_number: 'ANOTHER' });
    await claim('C-1', ['A-1']);
    await remittance('C-1');
    await caughtUp();
    await later(25);
    const denied = { event_effective_timestamp: '2026-03-01T00:00:00Z' };
    const decided = await decision({ authorization_number: 'A-1' }, 'denied', denied);
    await caughtUp();
    expect(await exceptions()).toMatchObject([
      { status: 'OPEN', detail: { difference: 'PAID_NOT_APPROVED', authorization_event_id: decided } },
    ]);
  });

  test('is not told of where no prior authorizations are sent here', async () => {
    await claim('C-1', ['A-1']);
    await remittance('C-1');
    await caughtUp();
    await later(25);
    expect(await told()).toEqual([]);
  });
});

describe('the clock of a prior authorization', () => {
  test('is satisfied by an answer in time', async () => {
    await request('T-1', { urgency: 'U' });
    await caughtUp();
    await later(71);
    await decision({ trace_numbers: ['T-1'] });
    await caughtUp();
    await later(100);
    expect(await told()).toEqual([]);
  });

  test('tells of an answer that is late, with times, hours and rule', async () => {
    const id = await request('T-1', { urgency: 'U', program: 'Medicare' });
    await caughtUp();
    const askedMs = kit.ledger.clock.nowMs();
    kit.ledger.clock.advance(73.5 * HOUR_MS);
    const answered = await decision({ trace_numbers: ['T-1'] }, 'denied');
    await caughtUp();
    await later(1);
    const [late, ...others] = await exceptions();
    expect(others).toEqual([]);
    expect(late).toMatchObject({
      kind: 'AUTHORIZATION_LATE',
      status: 'OPEN',
      subject: { kind: 'EVENT', id },
      detail: { hours: 73.5, limit_hours: 72, pace: 'EXPEDITED', program: 'Medicare', answer_event_id: answered },
    });
    expect(Date.parse(String(late?.detail['due_at']))).toBe(
      Date.parse(String(late?.detail['requested_at'])) + 72 * HOUR_MS,
    );
    expect(Date.parse(String(late?.detail['answered_at']))).toBeGreaterThanOrEqual(askedMs + 73 * HOUR_MS);
  });

  test('tells of a request that nobody decides, though it was pended', async () => {
    await request('T-1');
    await decision({ trace_numbers: ['T-1'] }, 'pended');
    await caughtUp();
    await later(7 * 24 - 0.1);
    expect(await told()).toEqual([]);
    await later(0.2);
    await later(24);
    expect(await exceptions()).toMatchObject([
      { kind: 'AUTHORIZATION_LATE', status: 'OPEN', occurrences: 1, detail: { answered_at: null, program: null } },
    ]);
  });

  test('resolves what was pending when the answer was given in time and came here late', async () => {
    await request('T-1');
    await caughtUp();
    const inTime = new Date(kit.ledger.clock.nowMs() + 24 * HOUR_MS).toISOString();
    await later(7 * 24 + 1);
    expect(await told()).toEqual(['AUTHORIZATION_LATE OPEN']);
    await decision({ trace_numbers: ['T-1'] }, 'approved', { event_effective_timestamp: inTime });
    await caughtUp();
    expect(await told()).toEqual(['AUTHORIZATION_LATE RESOLVED']);
  });

  test('never resolves a late one, and tells how late the answer was as soon as it has come', async () => {
    await request('T-1');
    await caughtUp();
    await later(7 * 24 + 1);
    expect(await exceptions()).toMatchObject([{ status: 'OPEN', detail: { hours: 169, answered_at: null } }]);
    const answered = await decision({ trace_numbers: ['T-1'] });
    await caughtUp();
    await later(24);
    expect(await exceptions()).toMatchObject([
      { kind: 'AUTHORIZATION_LATE', status: 'OPEN', detail: { hours: 169, answer_event_id: answered } },
    ]);
    expect((await exceptions())[0]?.detail['answered_at']).not.toBeNull();
  });

  test('finds the answer also when it comes first', async () => {
    const at = new Date(kit.ledger.clock.nowMs() + 80 * HOUR_MS).toISOString();
    await decision({ trace_numbers: ['T-1'] }, 'approved', { event_effective_timestamp: at });
    await caughtUp();
    await request('T-1', { urgency: 'U' });
    await caughtUp();
    expect(await exceptions()).toMatchObject([{ kind: 'AUTHORIZATION_LATE', detail: { hours: 80 } }]);
  });

  test('does not run for drugs, nor after a withdrawal', async () => {
    await request('T-1', { procedure_codes: ['J0135'] });
    await request('T-2');
    await append('prior_authorization authorization_cancellation submitted', { trace_numbers: ['T-2'] });
    await caughtUp();
    await later(1_000);
    expect(await told()).toEqual([]);
  });

  test('is once for all: what a person has resolved is not opened again', async () => {
    await request('T-1');
    await caughtUp();
    await later(200);
    await kit.database.db
      .collection('exceptions')
      .updateMany({}, { $set: { status: 'RESOLVED' }, $unset: { active: '' } });
    await decision({ trace_numbers: ['T-1'] });
    await caughtUp();
    await later(24);
    expect(await told()).toEqual(['AUTHORIZATION_LATE RESOLVED']);
  });
});
