import { describe, expect, it } from '@jest/globals';
import { kindsInto, STORED_EDGE_KINDS } from '../../../subgraphs/members-graph/graph/domain/edge-kinds.js';
import { eventRecord } from '../../../subgraphs/members-graph/graph/domain/event-edges.js';
import { nodeOf, pairNodeOf, parseNode } from '../../../subgraphs/members-graph/graph/domain/node-id.js';
import { lineOf, viewOfRecord } from '../../../subgraphs/members-graph/graph/domain/record.js';
import { documentRecord, tiedRecord } from '../../../subgraphs/members-graph/graph/domain/record-edges.js';
import { shortestPaths } from '../../../subgraphs/members-graph/graph/domain/short-paths.js';
import { touchedBy } from '../../../subgraphs/members-graph/graph/domain/touched-records.js';
import { seeded } from '../../support/random.js';

type ProjectedEvent = Parameters<typeof eventRecord>[0];

const EVENT_ID = 'evt_01JQ0000000000000000000001';

const eventOf = (payload: object, over: Partial<ProjectedEvent> = {}): ProjectedEvent => ({
  event_id: EVENT_ID,
  source_system: 'claims-837',
  recorded_at: '2026-03-02T14:11:10.000Z',
  record: {
    event_family: 'Claim',
    event_type: 'claim_submitted',
    member_id: 'M-1',
    event_effective_timestamp: '2026-03-01T00:00:00Z',
    outcome: 'DENIED',
    payload,
  } as never,
  hidden: [],
  ...over,
});
const edgesIn = (event: ProjectedEvent) =>
  eventRecord(event)?.edges.map(({ kind, to, hidden }) => `${hidden ? '!' : ''}${kind} ${to}`);

describe('node ids', () => {
  it.each([
    'member:M-1',
    'member:a:b/c',
    'claim:claims-837/C 7/8',
    'code:ICD10CM/E11.9',
    'provider:1234567893',
    'member:Zoë 王',
  ])('accept %s', (text) => expect(parseNode(text)?.node).toBe(text));
  it.each([
    '',
    'member:',
    'person:1',
    'provider:12',
    'claim:none',
    'code:/x',
    'event',
    'member:a\nb',
    `member:${'x'.repeat(400)}`,
  ])('reject %j', (text) => expect(parseNode(text)).toBeUndefined());
  it('replace a long id by its hash, and escape a slash in a system', () => {
    expect(nodeOf('member', 'x'.repeat(400))).toMatch(/^member:sha256:[0-9a-f]{64}$/);
    expect(pairNodeOf('claim', 'a/b', 'c')).toBe('claim:a%2Fb/c');
    expect(nodeOf('member', '')).toBeUndefined();
  });
});

describe('the edges of an event', () => {
  it('name its member, providers, claim, codes and matter, unique and sorted', () => {
    const payload = {
      claim_id: 'C-7',
      matter_id: 'mat_1',
      procedure_codes: ['99213', '99213', 'J1885', 'D0120'],
      diagnosis_codes: ['E11.9', 'e119'],
      carc: ['CO-50', '50'],
      rarc: ['N130'],
      providers: [{ npi: '1234567893', role: 'billing' }, { name: 'none' }],
      rendering_npi: '1234567893',
    };
    expect(edgesIn(eventOf(payload))).toEqual([
      'ABOUT_CLAIM claim:claims-837/C-7',
      'CONCERNS member:M-1',
      'DIAGNOSIS code:ICD10CM/E11.9',
      'INVOLVES provider:1234567893',
      'IN_MATTER matter:mat_1',
      'PROCEDURE code:CPT/99213',
      'PROCEDURE code:HCPCS/D0120',
      'PROCEDURE code:HCPCS/J1885',
      'REASON code:CARC/50',
      'REASON code:RARC/N130',
    ]);
  });

  it('are deterministic, and ignore values of another shape', () => {
    const payload = { claim_id: 7, procedure_codes: { a: 1 }, carc: [null, 5], providers: 'x', diagnosis_codes: [''] };
    expect(edgesIn(eventOf(payload))).toEqual(['CONCERNS member:M-1']);
    const twice = [eventOf(payload), eventOf(payload)].map((event) => lineOf(eventRecord(event) ?? fail()));
    expect(twice[0]).toBe(twice[1]);
  });

  it('are marked if a redaction hides them, and consent rules still read them', () => {
    const event = eventOf(
      { diagnosis_codes: ['F10.20', 'E11.9'], sensitivity: '42CFR2' },
      { hidden: ['/payload/diagnosis_codes/0', '/member_id', '/outcome'] },
    );
    expect(edgesIn(event)).toEqual([
      '!CONCERNS member:M-1',
      'DIAGNOSIS code:ICD10CM/E11.9',
      '!DIAGNOSIS code:ICD10CM/F10.20',
    ]);
    const record = eventRecord(event) ?? fail();
    expect(record.status).toBeNull();
    expect(viewOfRecord(record)).toMatchObject({
      member_ids: ['M-1'],
      category: 'claim',
      labels: ['42CFR2'],
      diagnosis_codes: ['E11.9', 'F10.20'],
    });
  });

  it('disappear with its content: a disposed event keeps its node only', () => {
    expect(eventRecord(eventOf({}, { record: null }))).toMatchObject({ status: 'DISPOSED', label: null, edges: [] });
  });
});

it('other records link to the records they belong to, and a released hold has no HOLDS edges', () => {
  const document = documentRecord({
    document_id: 'doc_1',
    member_ids: ['M-1'],
    event_ids: [EVENT_ID],
    matter_id: 'mat_1',
    document_type: 'letter',
    status: 'AVAILABLE',
    source_system: null,
    tags: ['b', 'a'],
    effective_at: null,
    created_at: '2026-03-01T00:00:00Z',
  } as never);
  expect(document?.edges.map(({ kind, to }) => `${kind} ${to}`)).toEqual([
    `ATTACHED_TO event:${EVENT_ID}`,
    'CONCERNS member:M-1',
    'IN_MATTER matter:mat_1',
  ]);
  expect(document?.labels).toEqual(['a', 'b']);
  const hold = { kind: 'hold', id: 'hld_1', at: '2026-03-01T00:00:00Z', label: null } as const;
  const names = ['member:M-1', 'matter:mat_1', 'nonsense'];
  const kindsOf = (status: string) => tiedRecord({ ...hold, status, names })?.edges.map(({ kind }) => kind);
  expect(kindsOf('ACTIVE')).toEqual(['HOLDS', 'IN_MATTER']);
  expect(kindsOf('RELEASED')).toEqual(['IN_MATTER']);
});

describe('entries of reserved partitions', () => {
  it('name the changed records; reads name none', () => {
    const custody = (event_type: string) => ({
      source_system: '_custody',
      event_type,
      payload: { subject: { kind: 'DOCUMENT', id: 'doc_1' }, subjects: [{ kind: 'EVENT', id: EVENT_ID }] },
    });
    expect(touchedBy(custody('READ_CONTENT'))).toEqual([]);
    expect(touchedBy(custody('UPLOAD'))).toEqual([
      { kind: 'document', id: 'doc_1' },
      { kind: 'event', id: EVENT_ID },
    ]);
    expect(touchedBy({ source_system: '_records', payload: { hold_id: 'hld_1', matter_id: 'mat_1' } })).toEqual([
      { kind: 'matter', id: 'mat_1' },
      { kind: 'hold', id: 'hld_1' },
    ]);
    const events = [{ event_id: EVENT_ID, source_system: 'a', sequence: 3 }];
    expect(touchedBy({ source_system: '_system', payload: { disposal_id: 'dsp_1', events } })).toEqual([
      { kind: 'event', id: EVENT_ID, place: { source_system: 'a', seq: 3 } },
    ]);
    expect(touchedBy({ source_system: '_system', payload: { subject_kind: 'EVENT', subject_id: EVENT_ID } })).toEqual([
      { kind: 'event', id: EVENT_ID },
    ]);
  });
});

it('kindsInto returns every kind of edge for its targets', () => {
  for (const [kind, { to }] of Object.entries(STORED_EDGE_KINDS)) {
    for (const target of to) expect(kindsInto(target)).toContain(kind);
  }
});

describe('shortest paths', () => {
  const edge = (from: string, to: string) => ({ from: from as never, to: to as never });
  const pathsIn = (edges: ReturnType<typeof edge>[], from: string, to: string, most: number, limit: number) =>
    shortestPaths(edges, from as never, to as never, most, limit);

  it('follow edges in both directions, the shortest first, without repeated nodes', () => {
    const edges = [edge('a', 'b'), edge('c', 'b'), edge('a', 'd'), edge('d', 'e'), edge('e', 'c'), edge('b', 'd')];
    expect(pathsIn(edges, 'a', 'c', 4, 10)).toEqual([
      ['a', 'b', 'c'],
      ['a', 'd', 'b', 'c'],
      ['a', 'd', 'e', 'c'],
      ['a', 'b', 'd', 'e', 'c'],
    ]);
    expect(pathsIn(edges, 'a', 'c', 2, 10)).toHaveLength(1);
    expect(pathsIn(edges, 'a', 'x', 4, 10)).toEqual([]);
    expect(pathsIn(edges, 'a', 'a', 4, 10)).toEqual([['a']]);
  });

  it('equal the paths of an exhaustive search', () => {
    const random = seeded(12);
    const node = (): string => `n${Math.floor(random() * 8)}`;
    for (let round = 0; round < 20; round++) {
      const edges = Array.from({ length: 14 }, () => edge(node(), node())).filter(({ from, to }) => from !== to);
      const found = pathsIn(edges, 'n0', 'n1', 4, 1_000).map((path) => path.join(' '));
      expect([...found].sort()).toEqual(everyPath(edges, 'n0', 'n1', 4).sort());
      expect(found.map((path) => path.length)).toEqual(found.map((path) => path.length).sort((x, y) => x - y));
    }
  });
});

function everyPath(edges: readonly { from: string; to: string }[], from: string, to: string, most: number): string[] {
  const beside = (node: string) => [
    ...new Set(edges.flatMap((one) => (one.from === node ? [one.to] : one.to === node ? [one.from] : []))),
  ];
  const grow = (path: string[]): string[] =>
    path.at(-1) === to
      ? [path.join(' ')]
      : path.length > most
        ? []
        : beside(path.at(-1) ?? '').flatMap((next) => (path.includes(next) ? [] : grow([...path, next])));
  return grow([from]);
}

function fail(): never {
  throw new Error('no record was made');
}
