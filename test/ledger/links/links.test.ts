import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { mongoLedgerStore } from '../../../subgraphs/ledger/append/model/ledger-store.js';
import { mongoConsumerCursors } from '../../../subgraphs/ledger/followers/model.js';
import { forgetLinks } from '../../../subgraphs/ledger/links/link-events.js';
import { LINK_CURSOR_COLLECTION, LINKS as LINK_ROWS, mongoLinkStore } from '../../../subgraphs/ledger/links/model.js';
import { eventsOf, readBody } from '../formats/x12/reading.js';
import { GraphFault, startLedger } from '../ledger-kit.js';
import { LinksKit } from './links-kit.js';

const LINKS = 'query($id: String!) { eventLinks(event_id: $id) { truncated } }';

const kit = new LinksKit();
const { append, appendAll, envelopeOf, postRaw, caughtUp, later, linksOf, exceptions, told } = kit;
const { claim, remittance, decision } = kit;

beforeAll(kit.start);
afterAll(kit.stop);
beforeEach(kit.begin);
afterEach(kit.end);

describe('links of an event', () => {
  it('follow from numbers, across source systems, from both ends', async () => {
    const decided = await decision({ authorization_number: 'A-1' }, 'approved', { source_system: 'um' });
    const billed = await claim('C-1', ['A-1']);
    const paid = await append(
      'remittance claim_adjudicated paid',
      { claim_id: 'C-1' },
      { source_system: 'payer', event_effective_timestamp: '2026-03-03T00:00:00Z' },
    );
    await caughtUp();
    expect(await linksOf(billed)).toEqual({
      items: [
        { kind: 'ADJUDICATED_BY', event_id: paid, event_type: 'claim_adjudicated', via: 'CLAIM' },
        { kind: 'AUTHORIZED_BY', event_id: decided, event_type: 'authorization_decided', via: 'AUTHORIZATION' },
      ],
      truncated: false,
    });
    expect((await linksOf(paid)).items).toMatchObject([{ kind: 'ADJUDICATES', event_id: billed }]);
    expect((await linksOf(decided)).items).toMatchObject([{ kind: 'AUTHORIZES', event_id: billed }]);
    expect(await told()).toEqual([]);
  });

  it('are empty without numbers, and missing for an unknown event or another tenant', async () => {
    const alone = await append('member member_updated recorded', { claim_id: 'C-1' });
    const billed = await claim('C-1');
    await appendAll([envelopeOf('remittance claim_adjudicated paid', { claim_id: 'C-1' })], 'other-plan');
    await caughtUp();
    expect(await linksOf(alone)).toEqual({ items: [], truncated: false });
    expect(await linksOf(billed)).toEqual({ items: [], truncated: false });
    expect(await linksOf(billed, 'other-plan')).toBeNull();
    expect(await linksOf('evt_01JQ0000000000000000000001')).toBeNull();
    expect(await linksOf('no id')).toBeNull();
  });

  it('require events:read', async () => {
    const reader = await startLedger(kit.database, { scopes: ['exceptions:read'] });
    const fault = await reader.run(LINKS, { id: 'evt_01JQ0000000000000000000001' }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(GraphFault);
    expect((fault as GraphFault).code).toBe('FORBIDDEN');
    await reader.close();
  });

  it('of a hub are marked as truncated', async () => {
    const billed = await claim('1');
    await appendAll(
      Array.from({ length: 130 }, () => envelopeOf('remittance claim_adjudicated denied', { claim_id: '1' })),
    );
    await caughtUp();
    const { items, truncated } = await linksOf(billed);
    expect(items).toHaveLength(100);
    expect(truncated).toBe(true);
  });

  it('are the same after a rebuild, which opens no exception again', async () => {
    const lost = await remittance('C-9');
    const billed = await claim('C-1', ['A-1']);
    await decision({ authorization_number: 'A-1' });
    await remittance('C-1', 'denied', { carc: ['197'] });
    await caughtUp();
    await later(25);
    const before = [await linksOf(billed), await linksOf(lost), await exceptions()];
    const { db } = kit.database;
    const cursors = mongoConsumerCursors(db, LINK_CURSOR_COLLECTION);
    await forgetLinks({ store: mongoLedgerStore(db), cursors, links: mongoLinkStore(db), clock: kit.ledger.clock });
    expect(await db.collection(LINK_ROWS.name).countDocuments({})).toBe(0);
    await caughtUp();
    await later(1);
    expect([await linksOf(billed), await linksOf(lost), await exceptions()]).toEqual(before);
  });

  it('of the fixtures connect the denied claim payment and the approved authorization', async () => {
    const bytes = readFileSync(repositoryFile('test/ledger/formats/x12/fixtures/remittance.835'));
    const mapped = eventsOf(await readBody(bytes)).map(({ envelope }) => envelope);
    const decided = await decision({ authorization_number: 'AUTH-88' }, 'approved', { member_id: 'SYN0002' });
    const ids = await appendAll(mapped.map((envelope) => ({ ...envelope, source_system: 'payer' })));
    await caughtUp();
    // Of one that still has its grace for the claim.
    expect(await told()).toEqual(['AUTHORIZATION_MISMATCH OPEN']);
    const [denied] = (await exceptions()).filter(({ kind }) => kind === 'AUTHORIZATION_MISMATCH');
    expect(ids).toContain(denied?.subject.id);
    expect(denied?.detail).toMatchObject({
      authorization: 'AUTH-88',
      difference: 'DENIED_THOUGH_APPROVED',
      authorization_event_id: decided,
      reasons: ['197'],
    });
  });
});

/** One interchange of one transaction; control numbers from `control`. */
function interchange(control: number, group: string, version: string, body: readonly string[]): string {
  const control9 = String(control).padStart(9, '0');
  const transaction = ({ HI: '278', HC: '837', HP: '835' } as Record<string, string>)[group];
  return [
    `ISA*00*          *00*          *ZZ*SYNCLINIC      *ZZ*SYNPLAN        *260301*0900*^*00501*${control9}*0*T*:`,
    `GS*${group}*SYNCLINIC*SYNPLAN*20260301*0900*${control}*X*${version}`,
    `ST*${transaction}*0001*${version}`,
    ...body,
    `SE*${body.length + 2}*0001`,
    `GE*1*${control}`,
    `IEA*1*${control9}`,
    '',
  ].join('~\n');
}

const review = (control: number, purpose: '13' | '11', day: string, event: readonly string[]): string =>
  interchange(control, 'HI', '005010X217', [
    `BHT*0007*${purpose}*REF-${control}*${day}*0900`,
    'HL*1**20*1',
    'NM1*X3*2*SYNTHETIC PLAN*****PI*SYNPLAN',
    'HL*2*1*21*1',
    'NM1*1P*2*SYNTHETIC CLINIC*****XX*1999999984',
    'HL*3*2*22*1',
    'NM1*IL*1*NAMEONE*GIVEN****MI*SYN0001',
    'HL*4*3*EV*0',
    ...event,
  ]);

const RAW_CLAIM = interchange(43, 'HC', '005010X222A1', [
  'BHT*0019*00*B1*20260310*1023*CH',
  'HL*1**20*1',
  'NM1*85*2*SYNTHETIC CLINIC*****XX*1999999984',
  'HL*2*1*22*0',
  'SBR*P*18*******CI',
  'NM1*IL*1*NAMEONE*GIVEN****MI*SYN0001',
  'NM1*PR*2*SYNTHETIC PLAN*****PI*SYNPLAN',
  'CLM*ACCT-7*480***11:B:1*Y*A*Y*I',
  'REF*G1*AUTH-7',
  'HI*ABK:M1711',
  'LX*1',
  'SV1*HC:97110*480*UN*8***1',
  'DTP*472*D8*20260309',
]);
const RAW_REMITTANCE = interchange(44, 'HP', '005010X221A1', [
  'BPR*I*0*C*NON************20260320',
  'TRN*1*CHECK-1*1999999999',
  'N1*PR*SYNTHETIC PLAN',
  'N1*PE*SYNTHETIC CLINIC*XX*1999999984',
  'LX*1',
  'CLP*ACCT-7*4*480*0**HM*PAY-7',
  'NM1*QC*1*NAMEONE*GIVEN****MI*SYN0001',
  'SVC*HC:97110*480*0',
  'CAS*CO*197*480',
]);

it('links raw 278, 837 and 835 of one case, and reports the late decision and the wrong denial', async () => {
  const asked = ['TRN*1*TRACE-7*9SYNCLINIC', 'UM*HS*I*42*12:B**U', 'HI*ABK:M1711'];
  const remitted = await postRaw(RAW_REMITTANCE, 'payer');
  const billed = await postRaw(RAW_CLAIM, 'clearinghouse');
  const answered = await postRaw(
    review(42, '11', '20260307', ['TRN*2*TRACE-7*9SYNCLINIC', 'UM*HS*I*42*12:B**U', 'HCR*A1*AUTH-7']),
    'um-out',
  );
  const requested = await postRaw(review(41, '13', '20260301', asked), 'um-in');
  await caughtUp();
  const edges = async (id: string) =>
    (await linksOf(id)).items.map(({ kind, event_id, via }: Record<string, string>) => [kind, event_id, via]);
  expect(await edges(billed)).toEqual([
    ['ADJUDICATED_BY', remitted, 'CLAIM'],
    ['AUTHORIZED_BY', answered, 'AUTHORIZATION'],
  ]);
  expect(await edges(answered)).toEqual([
    ['AUTHORIZES', billed, 'AUTHORIZATION'],
    ['ANSWERS', requested, 'TRACE'],
  ]);
  expect(await exceptions()).toMatchObject([
    {
      kind: 'AUTHORIZATION_LATE',
      subject: { id: requested },
      detail: { hours: 144, limit_hours: 72, pace: 'EXPEDITED', answer_event_id: answered },
    },
    {
      kind: 'AUTHORIZATION_MISMATCH',
      subject: { id: remitted },
      detail: {
        difference: 'DENIED_THOUGH_APPROVED',
        authorization: 'AUTH-7',
        claim_event_id: billed,
        authorization_event_id: answered,
      },
    },
  ]);
});
