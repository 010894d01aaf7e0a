import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, fixture, readBody } from './reading.js';

// What each kind of message says, field by field (docs/formats.md).

async function eventsIn(name: string, options = {}): Promise<EventItem[]> {
  return eventsOf(await readBody(fixture(name), options));
}

async function onlyEventIn(name: string): Promise<EventItem> {
  const [event, ...more] = await eventsIn(name);
  expect(more).toEqual([]);
  if (event === undefined) throw new Error(`no event in ${name}`);
  return event;
}

describe('an admission', () => {
  it('is an encounter of the plan member named in PID-3, dated by EVN-2 with its offset', async () => {
    const { envelope } = await onlyEventIn('admit');
    expect(envelope).toMatchObject({
      event_family: 'encounter',
      event_type: 'admit',
      outcome: 'recorded',
      member_id: 'SYN-MEMBER-1',
      source_system: 'SYNTH-ADT',
      source_record_id: 'SYN-0001',
      event_effective_timestamp: '2026-03-01T15:10:00.000Z',
    });
    expect(envelope.payload['timestamp_basis']).toBe('EVN-2 with offset -05:00');
  });

  it('contains identifiers, visit, codes, coverage and authorizations', async () => {
    const { payload } = (await onlyEventIn('admit')).envelope;
    expect(payload).toMatchObject({
      message_type: 'ADT^A01',
      message_id: 'SYN-0001',
      identifiers: [
        { id: 'SYN-MRN-1', authority: 'NORTH', type: 'MR' },
        { id: 'SYN-MEMBER-1', authority: 'SYNTHPLAN', type: 'MB' },
      ],
      patient: { last_name: 'ALDERBROOK', first_name: 'TESSA', birth_date: '1980-01-15', state: 'IL' },
      visit: { class: 'I', visit_number: 'VISIT-1', admitted_at: '2026-03-01T10:00:00-05:00' },
      providers: [{ role: 'attending', name: 'ROWAN, ROBIN', npi: '1999999984' }],
      diagnosis_codes: ['E11.9'],
      diagnoses: [{ code: 'E11.9', raw: 'E119', system: 'I10' }],
      procedure_codes: ['0DTJ4ZZ'],
      service: 'Resection of appendix',
      jurisdiction: 'US-IL',
      program: 'Medicare',
      program_code: 'HMO',
      coverage: { plan_id: 'PLAN-A', group_number: 'GRP-1' },
      authorization_number: 'AUTH-77',
      prior_authorizations: ['AUTH-77', 'CERT-88'],
      certifications: [{ number: 'CERT-88', required: 'Y' }],
      deleted_fields: ['PID-13'],
    });
  });
});

describe('a merge', () => {
  it('names the survivor as member and the replaced numbers, with unusual separators', async () => {
    const { envelope } = await onlyEventIn('separators');
    expect(envelope).toMatchObject({
      event_family: 'member',
      event_type: 'merge',
      member_id: 'SYN-MEMBER-4',
      event_effective_timestamp: '2026-03-04T09:00:00.000Z',
      payload: {
        patient: { last_name: 'DUN%MORE' },
        prior_ids: [
          { id: 'SYN-OLD-4', authority: 'SYNTHPLAN', type: 'MB' },
          { id: 'SYN-OLDER-4', authority: 'NORTH', type: 'MR' },
        ],
      },
    });
  });
});

describe('results of two patients in one message', () => {
  it('are two events, each with its member, range and results', async () => {
    const body = fixture('two-patients');
    const events = eventsOf(await readBody(body));
    expect(events.map(({ envelope }) => [envelope.member_id, envelope.source_record_id])).toEqual([
      ['SYN-MEMBER-1', 'SYN-0002/1'],
      ['SYN-MEMBER-2', 'SYN-0002/2'],
    ]);
    for (const [at, { part }] of events.entries()) {
      const bytes = body.subarray(part.offset, part.offset + part.length).toString('latin1');
      expect(bytes.startsWith(`PID|${at + 1}|`)).toBe(true);
      expect(bytes.match(/PID/g)).toHaveLength(1);
    }
    const [first, second] = events.map(({ envelope }) => envelope);
    expect(first?.payload).toMatchObject({
      results: [{ code: '4548-4', system: 'LN', values: ['7.5'], unit: '%', reference_range: '4.0-5.6', flags: ['H'] }],
      groups: [{ placer_number: 'ORD-1', status: 'F', status_text: 'final' }],
      rationale: 'Fasting state unknown',
    });
    expect(second?.event_effective_timestamp).toBe('2026-03-02T07:56:00.000Z');
    expect(second?.payload['results']).toMatchObject([
      { values: ['>90'], status: 'P' },
      { values: ['Staphylococcus aureus', 'Escherichia coli'], coded: [{ code: '3092008' }, { code: '112283007' }] },
    ]);
  });
});

describe('charges', () => {
  it('are one claim event each, with decimal amounts and the diagnosis of the account', async () => {
    const [visit, supply] = (await eventsIn('charges')).map(({ envelope }) => envelope);
    expect(visit).toMatchObject({
      event_family: 'claim',
      event_type: 'charge_posted',
      outcome: 'submitted',
      source_record_id: 'SYN-0007/1',
      event_effective_timestamp: '2026-03-01T00:00:00.000Z',
      payload: {
        procedure_codes: ['99213'],
        diagnosis_codes: ['I10', 'E11.9'],
        amounts: { charge: '100.50', unit_price: '50.25', currency: 'USD' },
        lines: [{ line: '1', charge_code: 'CHG-1', procedure_code: '99213', modifiers: ['25'], quantity: '2' }],
        service_period: { from: '2026-03-01', to: '2026-03-01' },
        providers: [{ role: 'rendering', npi: '1999999976' }],
      },
    });
    expect(supply?.payload).toMatchObject({ procedure_codes: ['CHG-2'], diagnosis_codes: ['I10'] });
  });

  it('with a malformed amount keep the event with a warning', async () => {
    const [, supply] = await eventsIn('charges');
    expect(supply?.warnings).toMatchObject([{ code: 'AMOUNT_UNREADABLE', segment: 'FT1', element: 11 }]);
    expect(supply?.envelope.payload['amounts']).toEqual({ currency: 'EUR' });
  });
});

describe('orders', () => {
  it('are one event each by ORC-1; an unknown control code is never guessed', async () => {
    const events = await eventsIn('orders');
    expect(events.map(({ envelope }) => [envelope.event_type, envelope.outcome, envelope.source_record_id])).toEqual([
      ['order_placed', 'submitted', 'SYN-0008/1'],
      ['order_cancelled', 'submitted', 'SYN-0008/2'],
      ['order_reported', 'unknown', 'SYN-0008/3'],
    ]);
    expect(events.map(({ envelope }) => envelope.payload['procedure_codes'])).toEqual([
      ['24725-4'],
      ['24590-2'],
      ['30746-2'],
    ]);
    expect(events[0]?.envelope.payload).toMatchObject({
      order: { control: 'NW', placer_number: 'ORD-10', ordered_at: '2026-03-06T08:00:00' },
      diagnosis_codes: ['S06.9X0A'],
      rationale: 'after a fall',
      service: 'CT Head',
    });
    expect(events[2]?.warnings.map(({ code }) => code)).toEqual(['ORDER_CONTROL_UNKNOWN']);
  });

  it('never use the number of a person for the member', async () => {
    const message = (pid3: string, pid2 = ''): string =>
      `MSH|^~\\&|SYNTH|||T|20260301||ADT^A08|SYN-SSN|P|2.5\rEVN||20260301\rPID|1|${pid2}|${pid3}\rPV1||I\r`;
    const memberOf = async (text: string): Promise<string | undefined> =>
      eventsOf(await readBody(Buffer.from(text)))[0]?.envelope.member_id;
    expect(await memberOf(message('000-00-0001^^^SSA^SS~SYN-MRN^^^NORTH^MR'))).toBe('SYN-MRN');
    expect(await memberOf(message('000-00-0001^^^SSA^SS', 'D1^^^XX^DL'))).toBeUndefined();
  });

  it('use PID-2 for the member if PID-3 has no number of the plan', async () => {
    for (const { envelope } of await eventsIn('orders')) expect(envelope.member_id).toBe('SYN-ALT-6');
  });

  it('of drugs carry the drug and the prescription', async () => {
    const { envelope } = await onlyEventIn('prescription');
    expect(envelope).toMatchObject({
      event_type: 'order_placed',
      member_id: 'SYN-MEMBER-11',
      payload: {
        procedure_codes: ['00093101501'],
        procedures: [{ system: 'NDC' }],
        order: { dose: '10', dose_unit: 'mg', quantity: '30', prescription_number: 'PRE-1' },
      },
    });
  });
});

describe('a referral', () => {
  it('is a prior authorization with its numbers, its member from IN1-49', async () => {
    const { envelope } = await onlyEventIn('referral');
    expect(envelope).toMatchObject({
      event_family: 'prior_authorization',
      event_type: 'referral_requested',
      outcome: 'submitted',
      member_id: 'SYN-MEMBER-7',
      payload: {
        referral: { status: 'P', number: 'REF-1', external_number: 'REF-EXT-1', expires_at: '2026-06-07' },
        referral_number: 'REF-1',
        referral_numbers: ['REF-1', 'REF-EXT-1'],
        authorization_number: 'AUTH-99',
        program: 'Medicaid',
        procedure_codes: ['45380'],
      },
    });
  });
});

describe('a document notice', () => {
  it('names the document, its parent and its state', async () => {
    const { envelope } = await onlyEventIn('document');
    expect(envelope).toMatchObject({
      event_family: 'document',
      event_type: 'document_notified',
      outcome: 'recorded',
      member_id: 'SYN-MEMBER-8',
      event_effective_timestamp: '2026-03-08T09:30:00.000Z',
      payload: {
        document: { number: 'DOC-2', parent_number: 'DOC-1' },
        relates_to: 'DOC-1',
        service: 'Discharge summary',
      },
    });
  });

  it('describes an embedded document by hash and size, and unescapes formatted text', async () => {
    const results = (await onlyEventIn('document')).envelope.payload['results'] as Record<string, unknown>[];
    expect(results[0]).toMatchObject({
      documents: [
        {
          type: 'AP',
          subtype: 'PDF',
          // printf 'Synthetic document' | sha256sum
          sha256: '95a5a3b9cf4ddcc7a93e4a0d4c6de680257932fbf5994ad15daa64142aaae3a0',
          size_bytes: 18,
        },
      ],
    });
    expect(results[1]?.['values']).toEqual(['first line\nsecond | line & more A\\']);
  });
});

describe('an appointment', () => {
  it('is cancelled, dated by SCH-11.4', async () => {
    const { envelope } = await onlyEventIn('appointment');
    expect(envelope).toMatchObject({
      event_family: 'appointment',
      event_type: 'cancelled',
      outcome: 'cancelled',
      event_effective_timestamp: '2026-04-01T07:00:00.000Z',
      payload: {
        service: 'Yearly check-up',
        appointment: { placer_number: 'PL-1', ends_at: '2026-04-01T09:30:00+02:00', resources: [{ kind: 'location' }] },
      },
    });
  });
});

describe('an immunization', () => {
  it('is a clinical event with the vaccine, its lot and its source', async () => {
    const { envelope } = await onlyEventIn('immunization');
    expect(envelope).toMatchObject({
      event_family: 'clinical',
      event_type: 'immunization_given',
      payload: { procedure_codes: ['115'], immunizations: [{ code: '115', lot_number: 'LOT-1', amount: '0.5' }] },
    });
  });
});

describe('times without an offset', () => {
  it("are read in the tenant's zone", async () => {
    const [event] = await eventsIn('two-patients', { tenantTimeZone: 'America/Chicago' });
    expect(event?.envelope.event_effective_timestamp).toBe('2026-03-02T13:55:00.000Z');
    expect(event?.envelope.payload['timestamp_basis']).toBe('OBR-22 read as America/Chicago');
  });
});

describe('times as engines spell them', () => {
  const timesOf = async (text: string) => {
    const admit = fixture('admit')
      .toString('latin1')
      .replace(/EVN\|([^|\r]*)\|[^|\r]*/, `EVN|$1|${text}`);
    const items = await readBody(Buffer.from(admit, 'latin1'));
    return { items, time: eventsOf(items)[0]?.envelope.event_effective_timestamp };
  };

  it.each([
    ['20110613122406637', '2011-06-13T12:24:06.637Z'],
    ['2025-01-15T14:30:00', '2025-01-15T14:30:00.000Z'],
    ['2025-01-15T14:30:00Z', '2025-01-15T14:30:00.000Z'],
    ['2025-01-15T14:30:00.25-05:00', '2025-01-15T19:30:00.250Z'],
    ['2025-01-15 14:30', '2025-01-15T14:30:00.000Z'],
    ['20250115 1430', '2025-01-15T14:30:00.000Z'],
    ['20250115T143000+0100', '2025-01-15T13:30:00.000Z'],
    ['20250115143000Z', '2025-01-15T14:30:00.000Z'],
    ['2025-01-15', '2025-01-15T00:00:00.000Z'],
    ['202501151430-0500', '2025-01-15T19:30:00.000Z'],
  ])('%s is %s', async (text, time) => {
    expect((await timesOf(text)).time).toBe(time);
  });

  it('are an exception where none is readable, never silently the time of receipt', async () => {
    const header = 'MSH|^~\\&|A|B|C|D|yesterday||ADT^A08|1|P|2.5\r';
    const items = await readBody(Buffer.from(`${header}EVN|A08|15-Jan-25\rPID|1||M-1^^^P^MB\r`, 'latin1'));
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'exception', code: 'TIME_UNREADABLE', segment: 'EVN' }),
    );
  });
});

describe('an incomplete header', () => {
  const without = async (change: (text: string) => string): Promise<EventItem | undefined> => {
    const text = change(fixture('admit').toString('latin1'));
    return eventsOf(await readBody(Buffer.from(text, 'latin1')))[0];
  };

  it('takes the event from EVN-1 or from the joined form of MSH-9', async () => {
    for (const type of ['ADT', 'ADT_A01', 'adt^a01']) {
      const event = await without((text) => text.replace('ADT^A01^ADT_A01', type));
      expect(event?.envelope).toMatchObject({ event_type: 'admit', payload: { message_type: 'ADT^A01' } });
    }
  });

  it('takes precedence over EVN-1, with a warning', async () => {
    const event = await without((text) => text.replace('EVN|A01', 'EVN|A03'));
    expect(event?.envelope.event_type).toBe('admit');
    expect(event?.warnings.map(({ code }) => code)).toEqual(['TRIGGER_DIFFERS']);
  });

  it('yields a stable id and source system for the same bytes', async () => {
    const ids = [];
    for (let times = 0; times < 2; times += 1) {
      const event = await without((text) => text.replace('SYN-0001', '').replace('SYNTH-ADT', ''));
      expect(event?.warnings.map(({ code }) => code)).toEqual(['CONTROL_ID_MISSING', 'SENDER_MISSING']);
      expect(event?.envelope.source_system).toBe('hl7v2');
      ids.push(event?.envelope.source_record_id);
    }
    expect(ids[0]).toMatch(/^sha256:[0-9a-f]{32}$/);
    expect(ids[1]).toBe(ids[0]);
  });

  it('never yields an invisible id', async () => {
    const event = await without((text) => text.replace('SYN-MEMBER-1^', '\\X0102\\^'));
    expect(event?.envelope.member_id).toBe('SYN-MRN-1');
  });
});
