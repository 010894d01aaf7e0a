import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, Http } from '../../support/http.js';
import { itUnless, lackOfCount } from '../../support/needs.js';
import { seeded } from '../../support/random.js';
import { ruleOf } from '../../support/records.js';
import { startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { uploadScanned } from '../../vault/vault-kit.js';

// The graph in a whole service: projected after appends, read over HTTP, rebuilt by the command.

interface View {
  readonly nodes: readonly { id: string; kind: string; label?: string; status?: string; same_as?: string[] }[];
  readonly edges: readonly { from: string; to: string; kind: string; at: string; event_id: string | null }[];
  readonly truncated: boolean;
  readonly next_cursor?: string | null;
  readonly paths?: readonly string[][];
  readonly withheld?: { count: number; reason: string };
}

/** The command opens the same database. */
const MASTER_KEY = '11'.repeat(32);

/** What a killed worker had claimed is free again after half a minute: such a test is for the long run. */
const KILLS = Number(process.env['GRAPH_KILLS'] ?? 0);

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_MASTER_KEY: MASTER_KEY });
});
afterAll(() => service.stop());

const encoded = (query: Readonly<Record<string, string | number>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
const neighbors = async (http: Http, query: Readonly<Record<string, string | number>>): Promise<View> =>
  (await http.get(`/v1/graph/neighbors?${encoded(query)}`)).json;

async function posted(http: Http, n: string, over: object): Promise<string> {
  const { json } = await http.post('/v1/events', envelope(n, { ...over }));
  return json.event_id;
}

const CLAIM = {
  event_family: 'claim',
  event_type: 'claim_submitted',
  source_system: 'claims',
  event_effective_timestamp: '2026-02-01T00:00:00.000Z',
  payload: { claim_id: 'ACCT-1', procedure_codes: ['99213'], carc: ['50'], providers: [{ npi: '1234567893' }] },
};

describe('the graph routes', () => {
  let http: Http;
  let claim: string;
  let remittance: string;

  beforeAll(async () => {
    ({ http } = await freshTenant(service.operator, ['admin']));
    claim = await posted(http, 'claim', { ...CLAIM, member_id: 'M-1' });
    const paid = { claim_id: 'ACCT-1', carc: ['45'] };
    const remit = { event_family: 'remittance', event_type: 'claim_adjudicated', source_system: 'payer' };
    remittance = await posted(http, 'remit', { ...remit, member_id: 'M-1', payload: paid });
    await posted(http, 'other', { ...CLAIM, member_id: 'M-2', payload: { ...CLAIM.payload, claim_id: 'ACCT-2' } });
    await eventually(
      () => neighbors(http, { node: `event:${remittance}`, kinds: 'ADJUDICATES' }),
      ({ edges = [] }) => edges.length > 0,
    );
    // What joins two numbers is there before the records are.
    for (const [node, records] of [
      ['member:M-1', 2],
      ['member:M-2', 1],
    ] as const) {
      await eventually(
        () => neighbors(http, { node }),
        ({ edges = [] }) => edges.length === records,
      );
    }
  });

  it('return the member, codes, provider, claim and linked events of an event', async () => {
    const view = await neighbors(http, { node: `event:${claim}` });
    expect(view.edges.map(({ kind, to, from }) => [kind, from === `event:${claim}` ? to : from]).sort()).toEqual([
      ['ABOUT_CLAIM', 'claim:claims/ACCT-1'],
      ['ADJUDICATES', `event:${remittance}`],
      ['CONCERNS', 'member:M-1'],
      ['INVOLVES', 'provider:1234567893'],
      ['PROCEDURE', 'code:CPT/99213'],
      ['REASON', 'code:CARC/50'],
    ]);
    expect(view.nodes[0]).toMatchObject({ id: `event:${claim}`, label: 'claim_submitted' });
    expect(view.truncated).toBe(false);
  });

  it('page neighbours without repeats, the newest first', async () => {
    const whole = await neighbors(http, { node: 'member:M-1' });
    const seen: string[] = [];
    for (let cursor: string | null | undefined = ''; cursor !== null; ) {
      const page: View = await neighbors(http, { node: 'member:M-1', limit: 1, ...(cursor && { cursor }) });
      seen.push(...page.nodes.slice(1).map(({ id }) => id));
      cursor = page.next_cursor ?? null;
    }
    expect(seen).toEqual(whole.nodes.slice(1).map(({ id }) => id));
    expect(seen).toEqual([`event:${remittance}`, `event:${claim}`]);
  });

  it('limit the walk by times, kinds, depth and number of nodes', async () => {
    const early = await neighbors(http, { node: 'member:M-1', until: '2026-02-15T00:00:00Z' });
    expect(early.nodes.slice(1).map(({ id }) => id)).toEqual([`event:${claim}`]);
    const two = await neighbors(http, { node: 'member:M-1', depth: 2, kinds: 'CONCERNS,REASON' });
    expect(two.nodes.map(({ id }) => id).sort()).toEqual(
      ['code:CARC/45', 'code:CARC/50', `event:${claim}`, `event:${remittance}`, 'member:M-1'].sort(),
    );
    const few: View = (await http.get('/v1/graph/subgraph?roots=member:M-1&depth=4&limit=3')).json;
    expect([few.nodes.length, few.truncated]).toEqual([3, true]);
    const roots: View = (await http.get('/v1/graph/subgraph?roots=member:M-1,member:M-2,member:none&depth=1')).json;
    expect(roots.nodes).toHaveLength(5);
  });

  it('return paths through shared nodes, and none without shared nodes', async () => {
    const paths = (query: string) => http.get(`/v1/graph/paths?${query}`);
    const shared = (await paths('from=member:M-1&to=member:M-2')).json as View;
    expect(shared.paths?.map((path) => [path.length, path[2]])).toEqual([
      [5, 'code:CARC/50'],
      [5, 'code:CPT/99213'],
      [5, 'provider:1234567893'],
    ]);
    expect(shared.edges.every(({ kind }) => ['CONCERNS', 'PROCEDURE', 'REASON', 'INVOLVES'].includes(kind))).toBe(true);
    const short = (await paths('from=member:M-1&to=member:M-2&max_length=3')).json as View;
    expect([short.paths, short.edges]).toEqual([[], []]);
    expect((await paths(`from=event:${claim}&to=event:${remittance}&limit=1`)).json.paths).toEqual([
      [`event:${claim}`, `event:${remittance}`],
    ]);
  });

  it('export every node once and every edge, in both formats', async () => {
    const all: View = (await http.get('/v1/graph/export?format=json')).json;
    const ids = all.nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { from, to } of all.edges) expect(ids).toEqual(expect.arrayContaining([from, to]));
    expect(all.edges.some(({ kind }) => kind === 'ADJUDICATES')).toBe(true);
    const xml = (await http.get('/v1/graph/export?format=graphml')).text;
    expect(xml.match(/<node /g)).toHaveLength(ids.length);
    expect(xml.match(/<edge /g)).toHaveLength(all.edges.length);
    expect(xml.trim().endsWith('</graphml>')).toBe(true);
  });

  it.each([
    ['neighbors?node=person:1', 400],
    ['neighbors?node=member:M-1&depth=5', 400],
    ['neighbors?node=member:M-1&depth=0', 400],
    ['neighbors?node=member:M-1&limit=5001', 400],
    ['neighbors?node=member:M-1&kinds=LIKES', 400],
    ['neighbors?node=member:M-1&depth=2&cursor=abc', 400],
    ['neighbors?node=member:M-1&cursor=abc', 400],
    ['neighbors?node=member:M-1&since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:00Z', 400],
    ['neighbors?node=member:nobody', 404],
    ['neighbors?node=event:evt_01JQ0000000000000000000001', 404],
    ['subgraph?roots=member:nobody', 404],
    ['paths?from=member:M-1&to=member:nobody', 404],
    ['paths?from=member:M-1&to=member:M-2&max_length=9', 400],
    ['export?format=csv', 400],
  ])('answer %s with %i', async (path, status) => {
    expect((await http.get(`/v1/graph/${path}`)).status).toBe(status);
  });

  it('show a tenant only its own graph, and require the scope', async () => {
    const other = await freshTenant(service.operator, ['events:read', 'events:write']);
    await posted(other.http, 'mine', { ...CLAIM, member_id: 'M-1', source_record_id: 'theirs' });
    const view = await eventually(
      () => neighbors(other.http, { node: 'member:M-1' }),
      ({ edges = [] }) => edges.length > 0,
    );
    expect(view.edges).toHaveLength(1);
    expect((await other.http.get(`/v1/graph/neighbors?node=event:${claim}`)).status).toBe(404);
    expect((await other.http.get(`/v1/graph/paths?from=member:M-1&to=event:${claim}`)).status).toBe(404);
    const writer = await freshTenant(service.operator, ['events:write']);
    expect((await writer.http.get('/v1/graph/neighbors?node=member:M-1')).status).toBe(403);
  });
});

it('documents, holds, matters and bundles link to the records they name, and a redaction hides its edges', async () => {
  const { http } = await freshTenant(service.operator, ['admin']);
  const id = await posted(http, 'claim', { ...CLAIM, member_id: 'M-9' });
  const matter = (await http.post('/v1/legal-matters', { name: 'x', kind: 'AUDIT', member_ids: ['M-9'] })).json
    .matter_id;
  const hold = { name: 'h', reason: 'r', matter_id: matter, scope: { member_ids: ['M-9'], event_ids: [id] } };
  const holdId = (await http.post('/v1/legal-holds', hold)).json.hold_id;
  const view = await eventually(
    () => neighbors(http, { node: 'member:M-9', depth: 2 }),
    ({ nodes = [] }) =>
      nodes.some((node) => node.id === `hold:${holdId}`) &&
      nodes.some((node) => node.id === `matter:${matter}`) &&
      nodes.some((node) => node.id === `event:${id}`),
  );
  expect(view.edges.map(({ from, kind, to }) => `${from} ${kind} ${to}`)).toEqual(
    expect.arrayContaining([
      `hold:${holdId} HOLDS member:M-9`,
      `hold:${holdId} HOLDS event:${id}`,
      `hold:${holdId} IN_MATTER matter:${matter}`,
      `matter:${matter} CONCERNS member:M-9`,
    ]),
  );
  const draft = { subject: { kind: 'EVENT', id }, pointers: ['/payload/carc'], reason: 'r', basis: 'b' };
  const redaction = (await http.post('/v1/redactions', draft)).json.redaction_id;
  const second = http.as((await http.post('/v1/api-keys', { name: 'second', scopes: ['admin'] })).json.api_key);
  expect((await second.post(`/v1/redactions/${redaction}/apply`, {})).status).toBe(200);
  const after = await eventually(
    () => neighbors(http, { node: `event:${id}` }),
    ({ edges = [] }) => !edges.some(({ kind }) => kind === 'REASON'),
  );
  expect(after.edges.map(({ kind }) => kind)).not.toContain('REASON');
  expect((await http.get('/v1/graph/neighbors?node=code:CARC/50')).status).toBe(404);
});

it('documents, bundles and rules link to the records they name', async () => {
  const { http } = await freshTenant(service.operator, ['admin']);
  const id = await posted(http, 'claim', { ...CLAIM, member_id: 'M-7' });
  const uploaded = await uploadScanned(http, 'a letter', { member_id: 'M-7', event_ids: id });
  expect(uploaded.status).toBe(200);
  const document = `document:${uploaded.json.document_id}`;
  const bundle = `bundle:${(await http.post('/v1/bundles', { scope: { member_id: 'M-7' } })).json.bundle_id}`;
  const codes = ['CPT/99213'];
  const rule = `rule:${(await http.post('/v1/rules', { ...ruleOf('mine'), codes })).json.rule_id}`;
  const view = await eventually(
    () => neighbors(http, { node: `event:${id}`, depth: 2 }),
    ({ nodes = [] }) => [document, bundle, rule].every((one) => nodes.some((node) => node.id === one)),
  );
  expect(view.edges.map(({ from, kind, to }) => `${from} ${kind} ${to}`)).toEqual(
    expect.arrayContaining([
      `${document} CONCERNS member:M-7`,
      `${document} ATTACHED_TO event:${id}`,
      `${bundle} CONCERNS member:M-7`,
      `${rule} APPLIES_TO code:CPT/99213`,
    ]),
  );
});

it('a disposed event stays as a node without edges', async () => {
  const { http } = await freshTenant(service.operator, ['admin']);
  const over = { ...CLAIM, member_id: 'M-old', event_effective_timestamp: '2010-01-01T00:00:00.000Z' };
  const id = await posted(http, 'old', over);
  const kept = await posted(http, 'kept', { ...CLAIM, member_id: 'M-old' });
  await eventually(
    () => neighbors(http, { node: 'member:M-old' }),
    ({ edges = [] }) => edges.length === 2,
  );
  const policies = [{ event_family: 'claim', years: 6, counts_from: 'EFFECTIVE' }];
  const put = await http.call('/v1/retention-policies', { method: 'PUT', body: { policies } });
  expect(put.status).toBe(200);
  expect((await http.post('/v1/retention/sweep', {})).json).toMatchObject({ events: { disposed: 1 } });
  const gone = await eventually(
    () => neighbors(http, { node: `event:${id}` }),
    // The links by shared numbers are removed by the ledger, at a later time.
    ({ nodes = [], edges = [] }) => nodes[0]?.status === 'DISPOSED' && edges.length === 0,
  );
  expect([gone.nodes.length, gone.nodes[0]?.label, gone.edges]).toEqual([1, undefined, []]);
  const left = await neighbors(http, { node: 'member:M-old' });
  expect(left.edges.map(({ from }) => from)).toEqual([`event:${kept}`]);
  expect((await http.get('/v1/graph/export')).text).not.toContain('2010-');
}, 120_000);

it('merged members are one node, and two nodes after an unmerge', async () => {
  const { http } = await freshTenant(service.operator, ['admin']);
  const ids = [];
  for (const member_id of ['M-stays', 'M-goes']) {
    await http.post('/v1/members', { member_id, name: { family: 'Graphson' } });
    ids.push(`event:${await posted(http, member_id, { ...CLAIM, member_id })}`);
  }
  const of = (node: string) => neighbors(http, { node, kinds: 'CONCERNS' });
  await eventually(
    () => of('member:M-goes'),
    ({ edges = [] }) => edges.length > 0,
  );
  const merge = { source_member_id: 'M-goes', reason: 'One person.' };
  expect((await http.post('/v1/members/M-stays/merge', merge)).status).toBe(200);
  for (const node of ['member:M-stays', 'member:M-goes']) {
    const view = await of(node);
    expect(view.nodes[0]).toMatchObject({ id: 'member:M-stays', same_as: ['member:M-goes'] });
    expect(new Set(view.edges.map(({ from, to }) => `${from} ${to}`))).toEqual(
      new Set(ids.map((id) => `${id} member:M-stays`)),
    );
  }
  const paths = (
    await http.get(`/v1/graph/paths?${encoded({ from: ids[0] ?? '', to: ids[1] ?? '', kinds: 'CONCERNS' })}`)
  ).json as View;
  expect(paths.paths?.[0]).toEqual([ids[0], 'member:M-stays', ids[1]]);
  expect((await http.post('/v1/members/M-stays/unmerge', merge)).status).toBe(200);
  expect((await of('member:M-goes')).edges.map(({ from }) => from)).toEqual([ids[1]]);
});

it('a purpose counts withheld records, and no path crosses them', async () => {
  const { http } = await freshTenant(service.operator, ['admin']);
  const open = await posted(http, 'open', { ...CLAIM, member_id: 'M-5' });
  const secret = { claim_id: 'ACCT-5', carc: ['97'], sensitivity: ['42CFR2'] };
  await posted(http, 'secret', { ...CLAIM, member_id: 'M-5', payload: secret });
  const walk = (query: object) => neighbors(http, { node: 'member:M-5', depth: 2, kinds: 'CONCERNS,REASON', ...query });
  const all = await eventually(
    () => walk({}),
    ({ nodes = [] }) => nodes.length === 5,
  );
  expect([all.nodes.length, all.withheld]).toEqual([5, undefined]);
  const stated = await walk({ purpose: 'treatment' });
  expect(stated.nodes.map(({ id }) => id).sort()).toEqual(['code:CARC/50', `event:${open}`, 'member:M-5']);
  expect(stated.withheld).toEqual({ count: 1, reason: '42CFR2' });
  expect((await neighbors(http, { node: 'member:M-5', purpose: 'treatment' })).nodes).toHaveLength(2);
  const paths = `from=member:M-5&to=code:CARC/97&purpose=treatment`;
  expect((await http.get(`/v1/graph/paths?${paths}`)).json.paths ?? []).toEqual([]);
  await http.post('/v1/consent', { member_id: 'M-5', decision: 'DENY', purpose: 'treatment' });
  expect((await walk({ purpose: 'treatment' })).withheld).toEqual({ count: 2, reason: 'CONSENT_DENIED' });
});

itUnless(lackOfCount(KILLS, 'GRAPH_KILLS'))(
  'a service that is killed while its graph is behind takes the rest in when it comes back',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'graph-killed-'));
    const env = { SERVICE_MASTER_KEY: MASTER_KEY };
    try {
      let running = await startServiceProcess(dataDir, env);
      const { http } = await freshTenant(new Http(running.url, TEST_OPERATOR_KEY), ['admin']);
      const events = Array.from({ length: 400 }, (_, n) => envelope(n, { ...CLAIM, member_id: `M-${n % 7}` }));
      expect((await http.post('/v1/events', events)).status).toBe(200);
      for (let kill = 0; kill < KILLS; kill++) {
        await running.kill();
        running = await startServiceProcess(dataDir, env);
      }
      const again = new Http(running.url, http.key);
      const taken = await eventually(
        async () => (await again.get('/v1/graph/export?kinds=CONCERNS')).json as View,
        ({ edges = [] }) => edges.length === 400,
      );
      expect(new Set(taken.edges.map(({ from }) => from)).size).toBe(400);
      await running.stop();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  600_000,
);

it('a rebuild equals the live graph after a random run', async () => {
  const { http, tenantId } = await freshTenant(service.operator, ['admin']);
  const random = seeded(2_026);
  const pick = (n: number): number => Math.floor(random() * n);
  for (let round = 0; round < 4; round++) {
    const events = Array.from({ length: 40 }, (_, n) =>
      envelope(`${round}-${n}`, {
        ...CLAIM,
        member_id: `M-${pick(12)}`,
        source_system: `s-${pick(3)}`,
        payload: { claim_id: `C-${pick(20)}`, procedure_codes: [`9921${pick(5)}`], carc: [String(pick(9))] },
      }),
    );
    expect((await http.post('/v1/events', events)).status).toBe(200);
    await http.post('/v1/legal-matters', { name: 'x', kind: 'AUDIT', member_ids: [`M-${pick(12)}`] });
  }
  const count = async (): Promise<number> => (await http.get('/v1/graph/export')).json.nodes.length;
  await eventually(count, (nodes) => nodes > 160 + 4);
  await eventually(
    async () => (await http.get('/v1/graph/export?kinds=CONCERNS')).json.edges.length as number,
    (edges) => edges === 164,
  );
  const stored = '/v1/graph/export?kinds=CONCERNS,PROCEDURE,REASON,ABOUT_CLAIM';
  const before = (await http.get(stored)).json as View;
  const dataDir = await mkdtemp(join(tmpdir(), 'graph-rebuild-'));
  const env = {
    ...process.env,
    MONGODB_URI: service.databaseUri,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_MASTER_KEY: MASTER_KEY,
    SERVICE_LOG_LEVEL: 'silent',
  };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/app/commands/graph-rebuild.js', tenantId], {
      env,
    });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ tenant_id: tenantId, generation: 2, equal: true });
    expect(report.rebuilt).toEqual(report.live);
    expect(report.rebuilt.records).toBe(164);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  expect((await http.get(stored)).json).toEqual(before);
  const late = await posted(http, 'late', { ...CLAIM, member_id: 'M-late' });
  const view = await eventually(
    () => neighbors(http, { node: 'member:M-late' }),
    ({ edges = [] }) => edges.length > 0,
  );
  expect(view.edges[0]?.from).toBe(`event:${late}`);
}, 180_000);
