import { describe, expect, it } from '@jest/globals';
import { fhirAdapter } from '../../../subgraphs/ledger/formats/fhir/index.js';
import {
  type AdapterItem,
  DEFAULT_ADAPTER_LIMITS,
  type FormatAdapter,
} from '../../../subgraphs/ledger/formats/format-adapter.js';
import { ncpdpAdapter } from '../../../subgraphs/ledger/formats/ncpdp/index.js';
import { x12Adapter } from '../../../subgraphs/ledger/formats/x12/index.js';
import { fixture as ncpdpFixture, requestHeader, segment } from './ncpdp/reading.js';
import { eventsOf, fixtureText, receivedAt } from './x12/reading.js';

// HL7 v2: hl7v2/envelope.test.ts.

async function read(adapter: FormatAdapter, text: string): Promise<AdapterItem[]> {
  const items: AdapterItem[] = [];
  const chunks = (async function* () {
    yield Buffer.from(text, 'latin1');
  })();
  const options = { strict: false, receivedAt, limits: DEFAULT_ADAPTER_LIMITS };
  for await (const item of adapter.read(chunks, options)) items.push(item);
  return items;
}

/** The wholeness of each event of a body. */
const wholenessOf = async (adapter: FormatAdapter, text: string): Promise<unknown[]> =>
  eventsOf(await read(adapter, text)).map(
    ({ envelope }) => (envelope.payload['raw'] as { wholeness?: unknown }).wholeness,
  );

const membersOf = (items: readonly AdapterItem[]): (string | undefined)[] =>
  eventsOf(items).map(({ envelope }) => envelope.member_id);

const WHOLE = { framed: true, trailer: true, grade: 'WHOLE' };
const UNFRAMED = { framed: false, grade: 'UNFRAMED' };
const CUT = { framed: false, trailer: false, grade: 'CUT' };

describe('payload.raw.wholeness of X12', () => {
  const body = fixtureText('professional.837');

  it('is WHOLE inside an interchange, with the count of SE01 for the last item alone', async () => {
    const whole = await wholenessOf(x12Adapter, body);
    expect(whole.map((one) => (one as { counted: unknown }).counted)).toEqual([null, null, true]);
    for (const one of whole) expect(one).toMatchObject(WHOLE);
    const miscounted = await wholenessOf(x12Adapter, body.replace('SE*72*', 'SE*71*'));
    expect(miscounted.at(-1)).toEqual({ ...WHOLE, counted: false });
  });

  it('is UNFRAMED without an ISA, and for the item that the body ends or another header follows', async () => {
    for (const one of await wholenessOf(x12Adapter, fixtureText('begins-at-st.837')))
      expect(one).toMatchObject({ ...UNFRAMED, trailer: true });
    const unended = body.slice(0, body.indexOf('SE*72*'));
    for (const text of [unended, unended + body]) {
      const third = (await wholenessOf(x12Adapter, text))[2];
      expect(third).toEqual({ ...UNFRAMED, trailer: false, counted: null });
    }
  });

  it.each([
    'remittance.835',
    'review.278',
    'status.277',
    'eligibility.271',
    'enrollment.834',
    'inquiry.270',
    'status-request.276',
    'premium.820',
    'attachment.275',
  ])('grades every event of %s', async (name) => {
    const whole = await wholenessOf(x12Adapter, fixtureText(name));
    expect(whole.length).toBeGreaterThan(0);
    for (const one of whole) expect(one).toMatchObject(WHOLE);
  });
});

describe('payload.raw.wholeness of NCPDP', () => {
  const insured = segment('AM04', 'C2SYN0001');
  const claim = (number: string): string => segment('AM07', 'EM1', `D2${number}`, 'D300');
  const one = requestHeader() + insured + claim('0000001');

  it('is WHOLE between STX and ETX, and UNFRAMED without them', async () => {
    expect(await wholenessOf(ncpdpAdapter, `\x02${one}\x03`)).toEqual([{ ...WHOLE, counted: true }]);
    expect(await wholenessOf(ncpdpAdapter, `${one}\r\n`)).toEqual([{ ...UNFRAMED, trailer: true, counted: true }]);
    expect(await wholenessOf(ncpdpAdapter, one)).toEqual([{ ...UNFRAMED, trailer: false, counted: true }]);
  });

  it('is CUT where the frame has no end, and the member is withheld with the reason', async () => {
    const items = await read(ncpdpAdapter, `\x02${one}`);
    expect(await wholenessOf(ncpdpAdapter, `\x02${one}`)).toEqual([{ ...CUT, counted: true }]);
    expect(membersOf(items)).toEqual([undefined]);
    expect(items).toContainEqual(
      expect.objectContaining({ exceptionKind: 'UNKNOWN_MEMBER', message: expect.stringContaining('cut') }),
    );
  });

  it('is CUT for the last transaction alone where the body ends before the count of 109-A9', async () => {
    const two = `${requestHeader({ count: 3 })}${insured}\x1d${claim('0000001')}\x1d${claim('0000002')}`;
    expect(await wholenessOf(ncpdpAdapter, two)).toEqual([
      { ...UNFRAMED, trailer: true, counted: false },
      { ...CUT, counted: false },
    ]);
    expect(membersOf(await read(ncpdpAdapter, two))).toEqual(['SYN0001', undefined]);
    const ended = await read(ncpdpAdapter, `${two}\r\n`);
    expect(membersOf(ended)).toEqual(['SYN0001', 'SYN0001']);
  });

  it('is WHOLE for a SCRIPT message', async () => {
    const whole = await wholenessOf(ncpdpAdapter, ncpdpFixture('two-answers.xml').toString('latin1'));
    expect(whole).toEqual([{ ...WHOLE, counted: null }]);
  });
});

describe('payload.raw.wholeness of FHIR', () => {
  const patient = (id: string): string =>
    JSON.stringify({ resourceType: 'Patient', id, meta: { source: 'clinic', lastUpdated: '2026-03-01T00:00:00Z' } });

  it('is WHOLE for a resource alone and in a Bundle that ends', async () => {
    const bundle = `{"resourceType":"Bundle","type":"collection","entry":[{"resource":${patient('1')}}]}`;
    for (const text of [patient('1'), `${patient('1')}\n`, bundle])
      expect([text, await wholenessOf(fhirAdapter, text)]).toEqual([text, [{ ...WHOLE, counted: null }]]);
  });

  it('is UNFRAMED for the whole entries of a Bundle that is cut', async () => {
    const cut = `{"resourceType":"Bundle","type":"collection","entry":[{"resource":${patient('1')}},{"resou`;
    expect(await wholenessOf(fhirAdapter, cut)).toEqual([{ ...UNFRAMED, trailer: true, counted: null }]);
  });
});
