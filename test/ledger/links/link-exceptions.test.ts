import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LINKS } from '../../../subgraphs/ledger/links/model.js';
import { LinksKit } from './links-kit.js';

const HOUR_MS = 3_600_000;

const kit = new LinksKit();
const { append, caughtUp, later, exceptions, told, claim, remittance, request, decision } = kit;

beforeAll(kit.start);
afterAll(kit.stop);
beforeEach(kit.begin);
afterEach(kit.end);

describe('a remittance without a claim', () => {
  it('opens an exception once after the grace period, not before', async () => {
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

  it('opens no exception if the claim arrives within the grace period', async () => {
    await remittance('C-1', 'denied');
    await caughtUp();
    await claim('C-1');
    await caughtUp();
    await later(100);
    expect(await told()).toEqual([]);
    expect(await kit.database.db.collection(LINKS.name).countDocuments({ watched: true })).toBe(0);
  });

  it('resolves when the claim arrives later', async () => {
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

  it('is ignored if it names no claim', async () => {
    await append('remittance claim_adjudicated denied', { amounts: { paid: '0.00' } });
    await caughtUp();
    await later(100);
    expect(await told()).toEqual([]);
  });
});

describe('a remittance that disagrees with an authorization', () => {
  it('denied although approved opens an exception at once, in any order', async () => {
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
      await kit.database.db.collection(LINKS.name).deleteMany({});
      for (const at of order) {
        await parts[at]();
        await caughtUp();
      }
      expect(await exceptions()).toMatchObject([
        { kind: 'AUTHORIZATION_MISMATCH', detail: { difference: 'DENIED_THOUGH_APPROVED', reasons: ['197'] } },
      ]);
    }
  });

  it('paid against a denial opens an exception at once', async () => {
    await claim('C-1', ['A-1']);
    await decision({ authorization_number: 'A-1' }, 'denied');
    await remittance('C-1');
    await caughtUp();
    expect(await exceptions()).toMatchObject([
      { kind: 'AUTHORIZATION_MISMATCH', detail: { difference: 'PAID_NOT_APPROVED', authorization: 'A-1' } },
    ]);
  });

  it('paid without the authorization opens an exception after the grace period, which resolves when it arrives', async () => {
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

  it('paid without an authorization that then arrives denied changes the exception', async () => {
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

  it('opens no exception for a plan that sends no prior authorizations', async () => {
    await claim('C-1', ['A-1']);
    await remittance('C-1');
    await caughtUp();
    await later(25);
    expect(await told()).toEqual([]);
  });
});

describe('the clock of a prior authorization', () => {
  it('is satisfied by an answer in time', async () => {
    await request('T-1', { urgency: 'U' });
    await caughtUp();
    await later(71);
    await decision({ trace_numbers: ['T-1'] });
    await caughtUp();
    await later(100);
    expect(await told()).toEqual([]);
  });

  it('reports a late answer with times, hours and rule', async () => {
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

  it('reports an undecided request, even if pended', async () => {
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

  it('resolves a pending exception when an answer in time arrives late', async () => {
    await request('T-1');
    await caughtUp();
    const inTime = new Date(kit.ledger.clock.nowMs() + 24 * HOUR_MS).toISOString();
    await later(7 * 24 + 1);
    expect(await told()).toEqual(['AUTHORIZATION_LATE OPEN']);
    await decision({ trace_numbers: ['T-1'] }, 'approved', { event_effective_timestamp: inTime });
    await caughtUp();
    expect(await told()).toEqual(['AUTHORIZATION_LATE RESOLVED']);
  });

  it('never resolves a late decision, and reports its delay when it arrives', async () => {
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

  it('finds an answer that arrives first', async () => {
    const at = new Date(kit.ledger.clock.nowMs() + 80 * HOUR_MS).toISOString();
    await decision({ trace_numbers: ['T-1'] }, 'approved', { event_effective_timestamp: at });
    await caughtUp();
    await request('T-1', { urgency: 'U' });
    await caughtUp();
    expect(await exceptions()).toMatchObject([{ kind: 'AUTHORIZATION_LATE', detail: { hours: 80 } }]);
  });

  it('does not run for drugs, nor after a withdrawal', async () => {
    await request('T-1', { procedure_codes: ['J0135'] });
    await request('T-2');
    await append('prior_authorization authorization_cancellation submitted', { trace_numbers: ['T-2'] });
    await caughtUp();
    await later(1_000);
    expect(await told()).toEqual([]);
  });

  it('does not reopen an exception that a person resolved', async () => {
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
