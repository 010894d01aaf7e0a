import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
let http: Http;
let tenantId: string;
let systems = 0;

beforeAll(async () => {
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, ['admin']));
});

afterAll(() => service.stop());

const FEED = { expected_interval_seconds: 3_600, grace_seconds: 300, format: 'x12' };

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
const made = async (over: Readonly<Record<string, unknown>> = {}, as = http): Promise<any> => {
  systems += 1;
  const answer = await as.post('/v1/source-feeds', { source_system: `system-${systems}`, ...FEED, ...over });
  if (answer.status !== 200) throw new Error(`no feed: ${answer.text}`);
  return answer.json;
};
const patch = (id: string, body: unknown) => http.call(`/v1/source-feeds/${id}`, { method: 'PATCH', body });

describe('/v1/source-feeds, 200', () => {
  it('registers, returns, changes, pauses, resumes and deletes a feed', async () => {
    const feed = await made();
    expect(feed).toMatchObject({
      ...FEED,
      tenant_id: tenantId,
      status: 'HEALTHY',
      allowed_actions: ['pause', 'update', 'delete'],
      last_heartbeat_at: null,
      last_event_at: null,
      revision: 1,
    });
    const route = `/v1/source-feeds/${feed.feed_id}`;
    expect((await http.get(route)).json).toEqual(feed);
    const changed = await patch(feed.feed_id, { grace_seconds: 0, format: null, description: 'Nightly.', revision: 1 });
    expect(changed.json).toMatchObject({ grace_seconds: 0, format: null, description: 'Nightly.', revision: 2 });
    expect((await patch(feed.feed_id, { status: 'PAUSED' })).json).toMatchObject({ status: 'PAUSED', due_at: null });
    expect((await patch(feed.feed_id, { status: 'HEALTHY' })).json.status).toBe('HEALTHY');
    expect((await http.call(route, { method: 'DELETE' })).json).toMatchObject({
      status: 'DELETED',
      allowed_actions: [],
    });
    expect((await http.get(route)).json.code).toBe('NOT_FOUND');
    expect((await http.get('/v1/source-feeds?limit=500')).text).not.toContain(feed.feed_id);
  });

  it('shows events and heartbeats; a heartbeat may have any body or none', async () => {
    const feed = await made({ source_system: 'um-core' });
    await http.post('/v1/events', envelope('feed'));
    for (const body of [undefined, {}, { at: 'now' }]) {
      const beat = await http.call(`/v1/source-feeds/${feed.feed_id}/heartbeat`, { method: 'POST', body });
      expect(beat.status).toBe(200);
    }
    const read = (await http.get(`/v1/source-feeds/${feed.feed_id}`)).json;
    expect(Date.parse(read.last_event_at)).toBeGreaterThanOrEqual(Date.parse(feed.created_at));
    expect(Date.parse(read.last_heartbeat_at)).toBeGreaterThanOrEqual(Date.parse(feed.created_at));
    expect(read.revision).toBe(1);
  });

  it('lists by status, system and format, and in pages', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const first = await made({ source_system: 'a', format: 'fhir' }, own);
    const second = await made({ source_system: 'b' }, own);
    await own.call(`/v1/source-feeds/${first.feed_id}`, { method: 'PATCH', body: { status: 'PAUSED' } });
    const ids = async (query: string): Promise<string[]> =>
      (await own.get(`/v1/source-feeds?${query}`)).json.items.map((item: { feed_id: string }) => item.feed_id);
    expect(await ids('')).toEqual([second.feed_id, first.feed_id]);
    expect(await ids('status=PAUSED')).toEqual([first.feed_id]);
    expect(await ids('source_system=b')).toEqual([second.feed_id]);
    expect(await ids('format=fhir')).toEqual([first.feed_id]);
    const page = await own.get('/v1/source-feeds?limit=1');
    expect(await ids(`limit=1&cursor=${page.json.next_cursor}`)).toEqual([first.feed_id]);
  });

  it('returns the result of a sweep, and allows a new feed after a deletion', async () => {
    const feed = await made({ source_system: 'again' });
    expect((await http.post('/v1/source-feeds/sweep', {})).json).toMatchObject({ became_stale: [], recovered: [] });
    await http.call(`/v1/source-feeds/${feed.feed_id}`, { method: 'DELETE' });
    expect((await made({ source_system: 'again' })).feed_id).not.toBe(feed.feed_id);
  });
});

describe('/v1/source-feeds, 400, 403, 404 and 409', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no system', { expected_interval_seconds: 60 }, '/source_system'],
    ['a reserved system', { source_system: '_custody', expected_interval_seconds: 60 }, '/source_system'],
    [
      'the partition of AI decisions',
      { source_system: 'ai-provenance', expected_interval_seconds: 60 },
      '/source_system',
    ],
    ['no interval', { source_system: 'x' }, '/expected_interval_seconds'],
    ['an interval of nothing', { source_system: 'x', expected_interval_seconds: 0 }, '/expected_interval_seconds'],
    [
      'a grace below nothing',
      { source_system: 'x', expected_interval_seconds: 1, grace_seconds: -1 },
      '/grace_seconds',
    ],
    ['a format that is none', { source_system: 'x', expected_interval_seconds: 1, format: 'edifact' }, '/format'],
  ])('%s', async (_what, body, path) => {
    const refused = await http.post('/v1/source-feeds', body);
    expect(refused).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
    expect(refused.json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('allows one feed per source system, even for parallel requests', async () => {
    const body = { source_system: 'raced', ...FEED };
    const answers = await Promise.all(Array.from({ length: 6 }, () => http.post('/v1/source-feeds', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await http.get('/v1/source-feeds?source_system=raced')).json.items).toHaveLength(1);
  });

  it('returns CONFLICT for another revision and NOT_FOUND for an unknown feed', async () => {
    const { feed_id } = await made();
    expect((await patch(feed_id, { grace_seconds: 1, revision: 7 })).json.code).toBe('CONFLICT');
    const never = '/v1/source-feeds/fed_01JQ0000000000000000000001';
    for (const [path, method] of [
      [never, 'GET'],
      [never, 'DELETE'],
      [`${never}/heartbeat`, 'POST'],
    ] as const) {
      expect((await http.call(path, { method })).json.code).toBe('NOT_FOUND');
    }
  });

  it('allows heartbeats but no reads with events:write', async () => {
    const { feed_id } = await made();
    const made_ = await service.operator.post('/v1/api-keys', {
      tenant_id: tenantId,
      name: 'k',
      scopes: ['events:write'],
    });
    const writer = http.as(made_.json.api_key);
    expect((await writer.post(`/v1/source-feeds/${feed_id}/heartbeat`, {})).status).toBe(200);
    expect((await writer.get('/v1/source-feeds')).json.code).toBe('FORBIDDEN');
  });
});

const X12 = { 'content-type': 'application/edi-x12' };

/** One professional claim of a synthetic sender, under these control numbers. */
function interchange(number: number, { claim = number, group = number } = {}): string {
  const isa13 = String(number).padStart(9, '0');
  const fields = ['00', ' '.repeat(10), '00', ' '.repeat(10), 'ZZ', 'CLEARING1      ', 'ZZ', 'PLAN           '];
  return [
    `ISA*${fields.join('*')}*260301*1200*^*00501*${isa13}*0*T*:`,
    `GS*HC*CLEARING1*PLAN*20260301*1200*${group}*X*005010X222A1`,
    'ST*837*0001*005010X222A1',
    `BHT*0019*00*${claim}*20260301*1200*CH`,
    'NM1*41*2*SENDER*****46*S1',
    'NM1*40*2*PLAN*****46*P1',
    'HL*1**20*1',
    'NM1*85*2*CLINIC*****XX*1234567893',
    'HL*2*1*22*0',
    'SBR*P*18*******CI',
    'NM1*IL*1*DOE*SYN****MI*SYN0001',
    'NM1*PR*2*PLAN*****PI*P1',
    `CLM*CLAIM-${claim}*100***11:B:1*Y*A*Y*Y`,
    'HI*ABK:J209',
    'LX*1',
    'SV1*HC:99213*100*UN*1***1',
    'DTP*472*D8*20260301',
    'SE*16*0001',
    `GE*1*${group}`,
    `IEA*1*${isa13}`,
    '',
  ].join('~');
}

interface Gap {
  readonly status: string;
  readonly subject: Readonly<Record<string, unknown>>;
  readonly detail: Readonly<Record<string, unknown>>;
}

describe('control numbers of a sender', () => {
  const gapsOf = async (own: Http): Promise<Gap[]> =>
    (await own.get('/v1/exceptions?kind=CONTROL_NUMBER_GAP&order=asc')).json.items;
  const send = async (own: Http, body: string) => {
    const answer = await own.post('/v1/ingest/raw', body, X12);
    expect([answer.status, answer.json?.accepted + answer.json?.duplicated]).toEqual([200, 1]);
  };

  it('with a gap open an exception with expected and found numbers, resolved when the number arrives', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    for (const number of [101, 102, 105]) await send(own, interchange(number, { group: 1 }));
    const [gap, ...others] = await gapsOf(own);
    expect(others).toEqual([]);
    expect(gap).toMatchObject({
      status: 'OPEN',
      subject: {
        kind: 'CONTROL_NUMBERS',
        level: 'interchange',
        sender: 'CLEARING1',
        missing_from: 103,
        missing_to: 104,
      },
      detail: { what: 'GAP', expected: 103, found: 105, missing_count: 2 },
    });
    await send(own, interchange(104, { group: 1 }));
    expect(await gapsOf(own)).toMatchObject([{ status: 'OPEN' }]);
    await send(own, interchange(103, { group: 1 }));
    expect(await gapsOf(own)).toMatchObject([{ status: 'RESOLVED' }]);
  });

  it('reused with other bytes open an exception; the same bytes do not', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    for (const number of [7, 8]) await send(own, interchange(number, { group: 1 }));
    await send(own, interchange(8, { group: 1 }));
    expect(await gapsOf(own)).toEqual([]);
    await send(own, interchange(8, { claim: 99, group: 1 }));
    expect(await gapsOf(own)).toMatchObject([
      { subject: { repeated: 8 }, detail: { what: 'REPEAT', expected: 9, found: 8 } },
    ]);
  });

  it('are message control ids in HL7 v2', async () => {
    const { http: own } = await freshTenant(service.operator, ['admin']);
    const admit = (number: number): string =>
      [
        `MSH|^~\\&|ADTAPP|NORTH|EAS|PLAN|20260302120000||ADT^A01^ADT_A01|${number}|P|2.5.1`,
        `EVN|A01|2026030212000${number}`,
        `PID|1||SYN000${number}^^^PLAN^MB||DOE^SYN`,
        'PV1|1|I',
        '',
      ].join('\r');
    for (const number of [1, 2, 4]) {
      const answer = await own.post('/v1/ingest/raw', admit(number), { 'content-type': 'application/hl7-v2' });
      expect([answer.status, answer.json?.accepted]).toEqual([200, 1]);
    }
    expect(await gapsOf(own)).toMatchObject([
      { subject: { level: 'message', sender: 'ADTAPP|NORTH', missing_from: 3, missing_to: 3 } },
    ]);
  });
});

describe('agreed faults of /v1/source-feeds', () => {
  const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const agreement = { agreed_faults: ['SEGMENT_COUNT_MISMATCH', 'OTHER_SUBSCRIBER_AFTER_LINES'] };
  const miscounted = readFileSync(
    repositoryFile('test/ledger/formats/x12/fixtures/professional.837'),
    'latin1',
  ).replace(/SE\*\d+\*/, 'SE*7*');
  const ingest = async (as: Http, source: string) =>
    (await as.post(`/v1/ingest/raw?source_system=${source}&strict=true`, miscounted, { 'content-type': 'text/plain' }))
      .json;

  it('excuse the sender of this feed, and the result names the feed', async () => {
    const feed = await made({ ...agreement, agreed_from: day(-1), agreed_until: day(1) });
    expect(feed).toMatchObject(agreement);
    const result = await ingest(http, feed.source_system);
    expect(result).toMatchObject({ accepted: 3, rejected: 0 });
    expect(result.warnings).toEqual([
      expect.objectContaining({ code: 'SEGMENT_COUNT_MISMATCH', agreed_by: feed.feed_id }),
    ]);
    expect(result.acknowledgement.content).toContain('IK5*A~');
  });

  it.each([
    ['before the first day', { agreed_from: 1, agreed_until: 2 }],
    ['after the last day', { agreed_from: -2, agreed_until: -1 }],
  ])('do not excuse %s', async (_, { agreed_from, agreed_until }) => {
    const feed = await made({ ...agreement, agreed_from: day(agreed_from), agreed_until: day(agreed_until) });
    expect(await ingest(http, feed.source_system)).toMatchObject({ accepted: 0 });
  });

  it('do not excuse another format, a deleted feed, another source system or the same one of another tenant', async () => {
    const feed = await made(agreement);
    const { http: other } = await freshTenant(service.operator, ['admin']);
    for (const [as, system] of [
      [http, 'another-system'],
      [other, feed.source_system],
    ] as const)
      expect(await ingest(as, system)).toMatchObject({ accepted: 0 });
    const hl7 = await made({ ...agreement, format: 'hl7v2' });
    expect(await ingest(http, hl7.source_system)).toMatchObject({ accepted: 0 });
    await http.call(`/v1/source-feeds/${feed.feed_id}`, { method: 'DELETE' });
    expect(await ingest(http, feed.source_system)).toMatchObject({ accepted: 0 });
  });

  it('take a key that may write exceptions: a sender does not excuse itself', async () => {
    const { http: sender } = await freshTenant(service.operator, ['events:write']);
    expect((await sender.post('/v1/source-feeds', { source_system: 'own', ...FEED, ...agreement })).status).toBe(403);
    const plain = (await sender.post('/v1/source-feeds', { source_system: 'own', ...FEED })).json;
    const changed = await sender.call(`/v1/source-feeds/${plain.feed_id}`, { method: 'PATCH', body: agreement });
    expect([changed.status, changed.json.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('are of a closed list, and end no earlier than they begin', async () => {
    const feed = await made(agreement);
    for (const body of [
      { agreed_faults: ['MEMBER_MISSING'] },
      { agreed_from: '2026-05-02', agreed_until: '2026-05-01' },
      { agreed_until: 'tomorrow' },
    ])
      expect((await patch(feed.feed_id, body)).json.code).toBe('VALIDATION_ERROR');
    const ended = await patch(feed.feed_id, { agreed_faults: null });
    expect(ended.json.agreed_faults).toBeNull();
    expect(await ingest(http, feed.source_system)).toMatchObject({ accepted: 0 });
  });

  it('are on record in the ledger, each change with its actor', async () => {
    const feed = await made(agreement);
    const found = await eventually(
      async () => (await http.get('/v1/events?source_system=_records&event_family=source-feed&limit=500')).json.items,
      (items) => JSON.stringify(items).includes(feed.feed_id),
    );
    expect(JSON.stringify(found)).toContain('OTHER_SUBSCRIBER_AFTER_LINES');
  });
});
