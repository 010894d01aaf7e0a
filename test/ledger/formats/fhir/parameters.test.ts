import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import { FhirAcknowledger } from '../../../../subgraphs/ledger/formats/fhir/acknowledge.js';
import type { TransactionItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { codesOf, eventsOf, fixture, readBody, refusedOf } from './reading.js';

// Bodies of operations such as $submit and $inquire: resources inside Parameters.

type Resource = Record<string, unknown>;

const parameters = (...parameter: Resource[]): string => JSON.stringify({ resourceType: 'Parameters', parameter });
const patient = (id: string): Resource => ({ resourceType: 'Patient', id });
const order = (id: string, subject: Resource): Resource => ({
  resourceType: 'ServiceRequest',
  id,
  status: 'active',
  intent: 'order',
  authoredOn: '2026-03-01',
  subject,
});

const transactionsOf = async (body: string): Promise<TransactionItem[]> =>
  (await readBody(body)).filter((item) => item.kind === 'transaction');

describe('Parameters', () => {
  it('yield the events of their resources, of a Bundle among them, and of their parts', async () => {
    const body = fixture('parameters.json');
    const items = await readBody(body);
    expect(sniffFormat(body)).toBe('fhir');
    const common = { source_system: 'synthetic-um', member_id: 'SYN-4004' };
    expect(eventsOf(items).map(({ envelope }) => envelope)).toMatchObject([
      {
        ...common,
        event_type: 'authorization_requested',
        source_record_id: 'Claim/c1',
        payload: { raw: { control_numbers: { bundle: 'syn-submit-1' } } },
      },
      { ...common, event_type: 'document_referenced', source_record_id: 'DocumentReference/d1' },
    ]);
    expect(refusedOf(items)).toEqual([]);
    expect(items.at(-1)).toMatchObject({ transaction: 'Parameters', accepted: 2, refused: 0, complete: true });
    for (const { part } of eventsOf(items)) {
      const bytes = body.subarray(part.offset, part.offset + part.length);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(part.sha256);
    }
  });

  it('yield the same items for any chunks', async () => {
    const body = fixture('parameters.json');
    const whole = await readBody(body);
    for (const size of [1, 64]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < body.length; at += size) chunks.push(body.subarray(at, at + size));
      const limits = { segmentBytes: 1024, strictHoldBytes: 1 << 20, windowBytes: 1 };
      expect(await readBody(chunks, { limits })).toEqual(whole);
    }
  });

  it('name no member by the id of a resource that only this body knows', async () => {
    const body = parameters(
      { name: 'patient', resource: patient('1') },
      { name: 'order', resource: order('o', { reference: 'Patient/1' }) },
    );
    expect(eventsOf(await readBody(body)).map(({ envelope }) => envelope.member_id)).toEqual([undefined, undefined]);
  });

  it('keep the ids of the server whose search result they contain, under its name', async () => {
    const resource = {
      resourceType: 'Bundle',
      type: 'searchset',
      meta: { source: 'clinic-a' },
      entry: [{ resource: order('o', { reference: 'Patient/1' }) }],
    };
    const [event] = eventsOf(await readBody(parameters({ name: 'result', resource })));
    expect(event?.envelope).toMatchObject({ member_id: 'clinic-a|1', source_system: 'clinic-a' });
  });

  it('inside a Bundle are read too', async () => {
    const inner = JSON.parse(parameters({ name: 'order', resource: order('o', { identifier: { value: 'M-1' } }) }));
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: [{ resource: inner }] });
    expect(eventsOf(await readBody(body)).map(({ envelope }) => envelope.member_id)).toEqual(['M-1']);
  });

  it('reject one resource alone, with its path', async () => {
    const body = parameters(
      { name: 'a', resource: { resourceType: 'Nothing' } },
      { name: 'b', resource: order('o', { identifier: { value: 'M-1' } }) },
    );
    const items = await readBody(body);
    expect(refusedOf(items)).toMatchObject([
      { code: 'RESOURCE_TYPE_UNKNOWN', segment: 'Parameters.parameter[0].resource.resourceType' },
    ]);
    expect(eventsOf(items)).toHaveLength(1);
    const acknowledger = new FhirAcknowledger();
    for (const item of items) acknowledger.take(item);
    const answer = acknowledger.finish({ nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' });
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({ resourceType: 'OperationOutcome' });
    expect(answer?.text).not.toContain('Bundle.entry');
  });

  it('with a list of entries as well are rejected', async () => {
    const one = [{ name: 'a', resource: order('o', { identifier: { value: 'M-1' } }) }];
    const items = await readBody(JSON.stringify({ resourceType: 'Parameters', parameter: one, entry: one }));
    expect(eventsOf(items)).toEqual([]);
    expect(codesOf(items)).toEqual(expect.arrayContaining(['NOT_A_BUNDLE']));
  });

  it('cut inside a resource name no member by what was lost', async () => {
    const whole = fixture('parameters.json');
    for (let length = 0; length < whole.length; length += 37)
      for (const { envelope } of eventsOf(await readBody(whole.subarray(0, length))))
        expect([undefined, 'SYN-4004']).toContain(envelope.member_id);
  });
});

describe('a body without an event', () => {
  it.each([
    ['Parameters', parameters({ name: 'a', valueString: 'b' })],
    ['Parameters', JSON.stringify({ resourceType: 'Parameters' })],
    ['List', JSON.stringify({ resourceType: 'List', entry: [{ item: { reference: 'Patient/1' } }] })],
    ['OperationDefinition', JSON.stringify({ resourceType: 'OperationDefinition', parameter: [{ name: 'a' }] })],
  ])('is a warning that names the type %s', async (type, body) => {
    const [transaction] = await transactionsOf(body);
    expect(transaction).toMatchObject({ transaction: type, warnings: [{ code: 'NO_EVENT', segment: type }] });
  });

  it('names the types of the entries of a Bundle', async () => {
    const entry = ['Organization', 'Location', 'Organization'].map((resourceType) => ({ resource: { resourceType } }));
    const [transaction] = await transactionsOf(JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }));
    expect(transaction?.warnings.at(-1)).toMatchObject({
      code: 'BUNDLE_WITHOUT_EVENTS',
      message: 'no entry of the Bundle yielded an event: Organization, Location',
    });
  });
});
