import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { requestHeader, responseHeader, segment } from '../formats/ncpdp/reading.js';

// Cases as a plan's systems send them, raw and out of order, over the whole service: the links and the missing events.
// There is no grace period, so that missing events are reported at once.

let service: WholeService;
let http: Http;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_REMITTANCE_GRACE_HOURS: '0' });
});
afterAll(() => service.stop());

interface Told {
  readonly kind: string;
  readonly status: string;
  readonly subject: { readonly id: string };
  readonly detail: Record<string, unknown>;
}

async function post(text: string, source: string): Promise<string> {
  const { json } = await http.post(`/v1/ingest/raw?source_system=${source}`, text, { 'content-type': 'text/plain' });
  expect(json).toMatchObject({ accepted: 1, rejected: 0 });
  return json.results[0].event_id;
}

const edgesOf = async (id: string): Promise<string[]> =>
  (await http.get(`/v1/events/${id}/links`)).json.items.map(
    ({ kind, event_id, via }: Record<string, string>) => `${kind} ${event_id} ${via}`,
  );
const linked = async (id: string, edges: readonly string[]): Promise<void> => {
  const seen = await eventually(
    () => edgesOf(id),
    (found) => found.length >= edges.length,
  );
  expect(seen.toSorted()).toEqual(edges.toSorted());
};
const exceptions = async (subject: string): Promise<Told[]> =>
  (await http.get('/v1/exceptions?limit=500')).json.items.filter((one: Told) => one.subject.id === subject);
const told = (subject: string, count = 1): Promise<Told[]> =>
  eventually(
    () => exceptions(subject),
    (found) => found.length >= count,
  );

let controls = 0;
function interchange(group: 'HI' | 'HC' | 'HP', version: string, body: readonly string[]): string {
  controls += 1;
  const control = String(controls).padStart(9, '0');
  const transaction = { HI: '278', HC: '837', HP: '835' }[group];
  return [
    `ISA*00*          *00*          *ZZ*SYNCLINIC      *ZZ*SYNPLAN        *260301*0900*^*00501*${control}*0*T*:`,
    `GS*${group}*SYNCLINIC*SYNPLAN*20260301*0900*${controls}*X*${version}`,
    `ST*${transaction}*0001*${version}`,
    ...body,
    `SE*${body.length + 2}*0001`,
    `GE*1*${controls}`,
    `IEA*1*${control}`,
    '',
  ].join('~\n');
}

const review = (purpose: '13' | '11', at: string, event: readonly string[]): string =>
  interchange('HI', '005010X217', [
    `BHT*0007*${purpose}*REF-${controls}*${at.slice(0, 8)}*${at.slice(8)}`,
    'HL*1**20*1',
    'NM1*X3*2*SYNTHETIC PLAN*****PI*SYNPLAN',
    'HL*2*1*21*1',
    'NM1*1P*2*SYNTHETIC CLINIC*****XX*1999999984',
    'HL*3*2*22*1',
    'NM1*IL*1*NAMEONE*GIVEN****MI*SYN0001',
    'HL*4*3*EV*0',
    ...event,
  ]);
const asked = (trace: string, at: string, urgency = '', code = 'HC:97110'): string =>
  review('13', at, [`TRN*1*${trace}*9SYNCLINIC`, `UM*HS*I*42*12:B**${urgency}`, 'HI*ABK:M1711', `SV1*${code}*1*UN*1`]);
const decided = (trace: string, at: string, decision: string): string =>
  review('11', at, [`TRN*2*${trace}*9SYNCLINIC`, 'UM*HS*I*42*12:B', `HCR*${decision}`]);

const claim = (account: string, authorization = ''): string =>
  interchange('HC', '005010X222A1', [
    `BHT*0019*00*B-${account}*20260310*1023*CH`,
    'HL*1**20*1',
    'NM1*85*2*SYNTHETIC CLINIC*****XX*1999999984',
    'HL*2*1*22*0',
    'SBR*P*18*******CI',
    'NM1*IL*1*NAMEONE*GIVEN****MI*SYN0001',
    'NM1*PR*2*SYNTHETIC PLAN*****PI*SYNPLAN',
    `CLM*${account}*480***11:B:1*Y*A*Y*I`,
    ...(authorization === '' ? [] : [`REF*G1*${authorization}`]),
    'HI*ABK:M1711',
    'LX*1',
    'SV1*HC:97110*480*UN*8***1',
    'DTP*472*D8*20260309',
  ]);

const remittance = (account: string, paid: number, carc = ''): string =>
  interchange('HP', '005010X221A1', [
    `BPR*I*${paid}*C*NON************20260320`,
    `TRN*1*CHECK-${account}*1999999999`,
    'N1*PR*SYNTHETIC PLAN',
    'N1*PE*SYNTHETIC CLINIC*XX*1999999984',
    'LX*1',
    `CLP*${account}*${paid > 0 ? 1 : 4}*480*${paid}**HM*PAY-${account}`,
    'NM1*QC*1*NAMEONE*GIVEN****MI*SYN0001',
    `SVC*HC:97110*480*${paid}`,
    ...(carc === '' ? [] : [`CAS*CO*${carc}*${480 - paid}`]),
  ]);

describe('one case, raw and out of order', () => {
  beforeAll(async () => {
    ({ http } = await freshTenant(service.operator, ['admin']));
  });

  it('denied for a missing authorization that was approved: both events are evidence', async () => {
    const remitted = await post(remittance('ACCT-1', 0, '197'), 'payer');
    const billed = await post(claim('ACCT-1', 'AUTH-1'), 'clearinghouse');
    const answered = await post(decided('T-1', '202603050900', 'A1*AUTH-1'), 'um');
    const requested = await post(asked('T-1', '202603010900'), 'clinic');
    await linked(billed, [`ADJUDICATED_BY ${remitted} CLAIM`, `AUTHORIZED_BY ${answered} AUTHORIZATION`]);
    await linked(requested, [`ANSWERED_BY ${answered} TRACE`]);
    const [mismatch] = await eventually(
      async () => (await exceptions(remitted)).filter(({ kind }) => kind === 'AUTHORIZATION_MISMATCH'),
      (found) => found.length > 0,
    );
    expect(mismatch).toMatchObject({
      status: 'OPEN',
      detail: {
        difference: 'DENIED_THOUGH_APPROVED',
        authorization: 'AUTH-1',
        claim_event_id: billed,
        authorization_event_id: answered,
        reasons: ['197'],
      },
    });
    expect(await exceptions(requested)).toEqual([]);
  });

  it('a remittance without its claim has an exception until the claim arrives', async () => {
    const remitted = await post(remittance('ACCT-2', 480), 'payer');
    expect(await told(remitted)).toMatchObject([
      { kind: 'UNMATCHED_REMITTANCE', status: 'OPEN', detail: { claim_id: 'ACCT-2', payer_claim_id: 'PAY-ACCT-2' } },
    ]);
    const billed = await post(claim('ACCT-2'), 'clearinghouse');
    await linked(remitted, [`ADJUDICATES ${billed} CLAIM`]);
    const after = await eventually(
      () => exceptions(remitted),
      ([one]) => one?.status === 'RESOLVED',
    );
    expect(after).toMatchObject([{ kind: 'UNMATCHED_REMITTANCE', status: 'RESOLVED' }]);
  });

  it('paid under an authorization that was denied', async () => {
    const answered = await post(decided('T-3', '202603020900', 'A3**82'), 'um');
    const billed = await post(claim('ACCT-3', 'AUTH-3'), 'clearinghouse');
    const named = await post(
      review('11', '202603020901', ['TRN*2*T-3*9SYNCLINIC', 'UM*HS*I*42*12:B', 'HCR*A3*AUTH-3*82']),
      'um',
    );
    const remitted = await post(remittance('ACCT-3', 480), 'payer');
    // Without grace the exceptions follow the present links: first unmatched and paid without a claim, then by the later
    // links.
    const isMismatch = ({ kind, detail }: Told): boolean =>
      kind === 'AUTHORIZATION_MISMATCH' && detail['difference'] === 'PAID_NOT_APPROVED';
    const seen = await eventually(
      () => exceptions(remitted),
      (found) => found.some(isMismatch),
    );
    expect(seen.filter(({ kind }) => kind === 'AUTHORIZATION_MISMATCH')).toMatchObject([
      { detail: { difference: 'PAID_NOT_APPROVED', claim_event_id: billed, authorization_event_id: named } },
    ]);
    expect((await edgesOf(answered)).join()).toContain('SAME_AUTHORIZATION');
  });
});

describe('the clock of a request', () => {
  beforeAll(async () => {
    ({ http } = await freshTenant(service.operator, ['admin']));
  });

  it.each([
    ['standard, on the seventh day', '', '202603010900', '202603080900', null],
    ['standard, a minute after it', '', '202603010900', '202603080901', { limit_hours: 168, pace: 'STANDARD' }],
    ['urgent, within 72 hours', 'U', '202603010900', '202603040900', null],
    ['urgent, after 72 hours', 'U', '202603010900', '202603040901', { limit_hours: 72, pace: 'EXPEDITED' }],
    ['received in 2025, on the fourteenth day', '', '202512310900', '202601140900', null],
    ['received in 2026, on the fourteenth day', '', '202601010900', '202601150900', { limit_hours: 168, hours: 336 }],
  ] as const)(
    '%s',
    async (name, urgency, at, answeredAt, late) => {
      const trace = `CLOCK ${name}`.toUpperCase();
      const requested = await post(asked(trace, at, urgency), 'clinic');
      const answered = await post(decided(trace, answeredAt, 'A1*AUTH'), 'um');
      await eventually(
        () => edgesOf(requested),
        (edges) => edges.includes(`ANSWERED_BY ${answered} TRACE`),
      );
      if (late === null) {
        // What stood open before the answer came was taken back by it.
        const seen = await eventually(
          () => exceptions(requested),
          (found) => found.every(({ status }) => status === 'RESOLVED'),
        );
        expect(seen.filter(({ status }) => status !== 'RESOLVED')).toEqual([]);
        return;
      }
      const seen = await eventually(
        () => exceptions(requested),
        ([one]) => one?.status === 'OPEN' && one.detail['answered_at'] !== null,
      );
      expect(seen).toMatchObject([
        { kind: 'AUTHORIZATION_LATE', status: 'OPEN', detail: { ...late, answer_event_id: answered, program: null } },
      ]);
      expect(String(seen[0]?.detail['rule'])).toContain('422.568(b)(1)');
    },
    120_000,
  );

  it('does not exist for drugs', async () => {
    const requested = await post(asked('DRUGS', '202603010900', '', 'HC:J0135'), 'clinic');
    const answered = await post(decided('DRUGS', '202605010900', 'A1*AUTH-D'), 'um');
    await linked(requested, [`ANSWERED_BY ${answered} TRACE`]);
    expect(await exceptions(requested)).toEqual([]);
  });
});

it('links a pharmacy request, its answer, its reversal and the answer to that', async () => {
  ({ http } = await freshTenant(service.operator, ['admin']));
  const fill = (id: string) => segment(id, 'EM1', 'D2RX-1', 'D300');
  const ask = (code: string) => `${requestHeader({ code })}${segment('AM04', 'C2SYN-1')}\x1d${fill('AM07')}`;
  const answer = (code: string, status: string) =>
    `${responseHeader({ code })}\x1d${segment('AM21', `AN${status}`, 'F3A-1')}${segment('AM22', 'EM1', 'D2RX-1')}`;
  const done = await post(answer('B2', 'A'), 'pbm');
  const paid = await post(answer('B1', 'P'), 'pbm');
  const back = await post(ask('B2'), 'pharmacy');
  const billed = await post(ask('B1'), 'pharmacy');
  await linked(billed, [`ANSWERED_BY ${paid} PRESCRIPTION`, `REVERSED_BY ${back} PRESCRIPTION`]);
  await linked(back, [
    `REVERSES ${billed} PRESCRIPTION`,
    `REVERSES ${paid} PRESCRIPTION`,
    `ANSWERED_BY ${done} PRESCRIPTION`,
  ]);
});
