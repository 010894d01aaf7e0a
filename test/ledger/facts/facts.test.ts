import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import type { Document } from 'mongodb';
import type { Caller } from '../../../gateway/caller.js';
import { servicePorts } from '../../../gateway/ports/service-ports.js';
import { internalContext } from '../../../shared/auth/context.js';
import { parseAnswer } from '../../../shared/contracts/call.js';
import type { Database } from '../../../shared/db/database.js';
import { type FactDraft, type FactPlace, type FactSubject, factEntry } from '../../../shared/facts/fact.js';
import type { Facts } from '../../../shared/facts/facts.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { GraphFault, type LedgerProcess, startLedger, VERIFY } from '../ledger-kit.js';

let server: TestServer;
let database: Database;
let ledger: LedgerProcess;
let other: LedgerProcess;
let tenants = 0;

const ids = ulidIds(() => Date.now(), systemRandomness());

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('facts');
  ledger = await startLedger(database);
  other = await startLedger(database);
});

afterAll(async () => {
  await ledger.close();
  await other.close();
  await server.stop();
});

const newTenant = (): TenantId => `facts-${++tenants}` as TenantId;

/** The port as another subgraph has it. */
function factsOf({ ledger: { schema } }: LedgerProcess): Facts {
  const call: Caller = async (asked, tenantId, variableValues) => {
    const contextValue = internalContext(tenantId, 'test');
    const { data, errors } = await graphql({ schema, source: asked.document, variableValues, contextValue });
    const [first] = errors ?? [];
    if (first) throw new GraphFault((first.originalError ?? first) as ConstructorParameters<typeof GraphFault>[0]);
    return parseAnswer(asked, data?.[asked.name]);
  };
  return servicePorts(call, ids).facts;
}

const HOLD: FactSubject = { kind: 'hold', id: 'hld_01JQ0000000000000000000001' };

const draft = (previous: FactPlace | null, over: Partial<FactDraft> = {}): FactDraft => ({
  fact_id: ids.next('effect'),
  subject: HOLD,
  event_family: 'legal_hold',
  event_type: 'legal_hold.changed',
  at: '2026-03-02T14:11:10.004Z',
  action: 'place',
  actor: { type: 'KEY', id: 'key_01JQ0000000000000000000001' },
  previous: previous?.entry_hash ?? null,
  state: { status: 'ACTIVE' },
  ...over,
});

/** Appends one fact that must be accepted. */
async function append(tenant: TenantId, previous: FactPlace | null, over: Partial<FactDraft> = {}): Promise<FactPlace> {
  const [outcome] = await factsOf(ledger).append(tenant, [draft(previous, over)]);
  expect(outcome?.status).toBe('APPENDED');
  if (!outcome) throw new Error('no outcome');
  return outcome.place;
}

const editRow = (place: FactPlace, tenant: TenantId, change: Document): Promise<unknown> =>
  database.db
    .collection<Document>('ledger')
    .updateOne({ _id: { tenant_id: tenant, source_system: place.source_system, seq: place.seq } as never }, change);

describe('an entry of a pending effect', () => {
  it('never becomes a fact, because an editor of rows could forge one', async () => {
    const tenantId = newTenant();
    const items = [factEntry(draft(null))];
    const source = 'mutation($items: [JSON!]!) { appendSystemEntries(items: $items) }';
    const contextValue = internalContext(tenantId, 'test');
    const { schema } = ledger.ledger;
    const { errors } = await graphql({ schema, source, variableValues: { items }, contextValue });
    expect(errors?.[0]?.originalError).toMatchObject({ code: 'INTERNAL' });
    expect(await factsOf(ledger).read(tenantId, [{ subject: HOLD, known: null }])).toEqual([
      { known: null, newer: [] },
    ]);
  });
});

describe('facts', () => {
  it('are entries of their partition that a look-up by the subject lists, and the chain verifies', async () => {
    const tenant = newTenant();
    const first = await append(tenant, null);
    const second = await append(tenant, first, { action: 'release', state: { status: 'RELEASED' } });
    expect([first, second].map(({ source_system, seq }) => `${source_system}/${seq}`)).toEqual([
      '_records/1',
      '_records/2',
    ]);
    const EVENTS = `{ events(source_system: "_records", source_record_id: "hold/${HOLD.id}", order: "asc") { items { sequence payload } } }`;
    const { events } = await ledger.run(EVENTS, {}, tenant);
    expect(events.items.map(({ sequence, payload }: Document) => [sequence, payload.action, payload.previous])).toEqual(
      [
        [1, 'place', null],
        [2, 'release', first.entry_hash],
      ],
    );
    const { verifyLedger } = await ledger.run(VERIFY, {}, tenant);
    expect(verifyLedger).toMatchObject({ valid: true, breaks: [] });
  });

  it('of one subject after the same fact: the first is appended, the other is TAKEN with the place of the first', async () => {
    const tenant = newTenant();
    const first = await append(tenant, null);
    const attempts = Array.from({ length: 12 }, (_, i) => factsOf(i % 2 === 0 ? ledger : other));
    const outcomes = (
      await Promise.all(attempts.map((facts, i) => facts.append(tenant, [draft(first, { reason: `attempt ${i}` })])))
    ).flat();
    expect(outcomes.filter(({ status }) => status === 'APPENDED')).toHaveLength(1);
    const places = new Set(outcomes.map(({ place }) => `${place.seq} ${place.entry_hash}`));
    expect(places.size).toBe(1);
    const [answer] = await factsOf(other).read(tenant, [{ subject: HOLD, known: first }]);
    expect(answer?.newer.map(({ place }) => `${place.seq} ${place.entry_hash}`)).toEqual([...places]);
  });

  it('appended again under the same fact_id change nothing and return the same place', async () => {
    const tenant = newTenant();
    const same = draft(null);
    const [once] = await factsOf(ledger).append(tenant, [same]);
    const [again] = await factsOf(other).append(tenant, [same]);
    expect(again).toEqual(once);
    expect(again?.status).toBe('APPENDED');
  });

  it('of different subjects in one request have their own outcomes', async () => {
    const tenant = newTenant();
    await append(tenant, null);
    const matter = draft(null, { subject: { kind: 'matter', id: 'mat_01JQ0000000000000000000001' } });
    const redaction = draft(null, { subject: { kind: 'event-redaction', id: 'evt_01JQ0000000000000000000001' } });
    const outcomes = await factsOf(ledger).append(tenant, [draft(null), matter, redaction]);
    expect(outcomes.map(({ status, place }) => [status, place.source_system])).toEqual([
      ['TAKEN', '_records'],
      ['APPENDED', '_records'],
      ['APPENDED', '_system'],
    ]);
  });

  it('are read with all that follow, in the order of the questions', async () => {
    const tenant = newTenant();
    const places: FactPlace[] = [];
    for (let i = 0; i < 5; i++) places.push(await append(tenant, places.at(-1) ?? null, { action: `step-${i}` }));
    const [first, , third] = places;
    if (!first || !third) throw new Error('no places');
    const unknown: FactSubject = { kind: 'document', id: 'doc_01JQ0000000000000000000001' };
    const answers = await factsOf(ledger).read(tenant, [
      { subject: unknown, known: null },
      { subject: HOLD, known: third },
      { subject: HOLD, known: null },
      { subject: unknown, known: first },
      { subject: HOLD, known: { ...first, entry_hash: third.entry_hash } },
    ]);
    const answered = answers.map(({ known, newer }) => [known?.action ?? null, newer.map(({ action }) => action)]);
    expect(answered).toEqual([
      [null, []],
      ['step-2', ['step-3', 'step-4']],
      [null, ['step-0', 'step-1', 'step-2', 'step-3', 'step-4']],
      [null, []],
      [null, ['step-3', 'step-4']],
    ]);
    expect(answers[1]?.known).toMatchObject({
      subject: HOLD,
      place: third,
      state: { status: 'ACTIVE' },
      at: '2026-03-02T14:11:10.004Z',
    });
  });

  it('list the subjects of one kind in order, each once', async () => {
    const tenant = newTenant();
    const names = [
      'hld_01JQ0000000000000000000003',
      'hld_01JQ0000000000000000000001',
      'hld_01JQ0000000000000000000002',
    ];
    for (const id of names) {
      const subject = { kind: 'hold', id } as const;
      await append(tenant, await append(tenant, null, { subject }), { subject });
    }
    await append(tenant, null, { subject: { kind: 'matter', id: 'mat_01JQ0000000000000000000001' } });
    const facts = factsOf(ledger);
    expect(await facts.subjects(tenant, 'hold', null)).toEqual([...names].sort());
    expect(await facts.subjects(tenant, 'hold', 'hld_01JQ0000000000000000000001')).toEqual([...names].sort().slice(1));
    expect(await facts.subjects(tenant, 'document', null)).toEqual([]);
  });

  it.each([
    ['record', { $set: { record: Buffer.from('{}') } }],
    ['seed', { $set: { seed: Buffer.alloc(32) } }],
    ['commit', { $set: { commit: '00'.repeat(32) } }],
    ['removed record', { $unset: { record: true } }],
    ['prev_hash', { $set: { prev_hash: '00'.repeat(32) } }],
  ])('are not read when someone edited the %s of the entry', async (_, change) => {
    const tenant = newTenant();
    const place = await append(tenant, null);
    await editRow(place, tenant, change);
    await expect(factsOf(ledger).read(tenant, [{ subject: HOLD, known: place }])).rejects.toMatchObject({
      code: 'INTEGRITY_FAILURE',
    });
    await expect(factsOf(ledger).read(tenant, [{ subject: HOLD, known: null }])).rejects.toMatchObject({
      code: 'INTEGRITY_FAILURE',
    });
  });

  it('verify as broken when someone edited their unique keys', async () => {
    const tenant = newTenant();
    const place = await append(tenant, null);
    await editRow(place, tenant, { $set: { fact_key: `hold/${HOLD.id}\u0000${'00'.repeat(32)}` } });
    const { verifyLedger } = await ledger.run(VERIFY, {}, tenant);
    expect(verifyLedger.breaks.map(({ kind }: Document) => kind)).toContain('DUPLICATE_KEY_MISMATCH');
  });

  it('cannot be sent by a caller', async () => {
    const tenant = newTenant();
    const INGEST = 'mutation($items: [JSON]!) { ingestEvents(items: $items) { rejected } }';
    const { fact_id: _, event_family, event_type, at, ...payload } = draft(null);
    const item = {
      event_family,
      event_type,
      event_effective_timestamp: at,
      source_system: '_records',
      source_record_id: `hold/${HOLD.id}`,
      payload: { fact: 'eas.fact/v2', ...payload },
    };
    const { ingestEvents } = await ledger.run(INGEST, { items: [item] }, tenant);
    expect(ingestEvents.rejected).toBe(1);
    // In a partition of their own they are events like any other: the same words twice are a duplicate, others are not.
    const own = [1, 2].map((n) => ({
      ...item,
      source_system: 'um-core',
      payload: { ...item.payload, action: `a${n}` },
    }));
    const ACCEPT = 'mutation($items: [JSON]!) { ingestEvents(items: $items) { accepted duplicated } }';
    expect((await ledger.run(ACCEPT, { items: own }, tenant)).ingestEvents).toEqual({ accepted: 2, duplicated: 0 });
  });
});

describe('the redactions of an event', () => {
  it('hide what the last of more than a hundred hides, although someone removed the row', async () => {
    const tenant = newTenant();
    const INGEST = 'mutation($items: [JSON]!) { ingestEvents(items: $items) { results } }';
    const { ingestEvents } = await ledger.run(INGEST, { items: [envelope(1)] }, tenant);
    const event_id = ingestEvents.results[0].event_id;
    const contextValue = internalContext(tenant, 'test');
    const ask = async (source: string, variableValues: object) => {
      const { data, errors } = await graphql({
        schema: ledger.ledger.schema,
        source,
        variableValues: { ...variableValues },
        contextValue,
      });
      expect(errors).toBeUndefined();
      return data as Document;
    };
    for (let ordinal = 1; ordinal <= 102; ordinal++) {
      const pointers = ['/payload/service', ...(ordinal === 102 ? ['/payload/program'] : [])];
      const order = { event_id, ordinal, redaction_id: ids.next('redaction'), pointers, details: {} };
      await ask('mutation($order: JSON!) { hideEvent(order: $order) }', { order });
    }
    await database.db.collection('event_redactions').deleteMany({ '_id.event_id': event_id });
    const { eventRedactions } = await ask('query($ids: [String!]!) { eventRedactions(event_ids: $ids) }', {
      ids: [event_id],
    });
    expect(eventRedactions).toEqual([
      [event_id, expect.objectContaining({ pointers: ['/payload/service', '/payload/program'] })],
    ]);
  });
});
