import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { upload } from '../../vault/vault-kit.js';
import { appended, said } from '../analysis/analysis-kit.js';
import { graph } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
});

afterAll(async () => service.stop());

const QUERY = `query Q($purpose: String) {
  eventConnection(first: 50, orderBy: EFFECTIVE_AT_ASC, purpose: $purpose) {
    nodes {
      source_record_id
      member { member_id status }
      links(purpose: $purpose) { kind event_id via }
      documents(purpose: $purpose) { document_id title }
    }
  }
}`;

const nodesOf = async (http: Http, purpose?: string) => (await graph(http, QUERY, { purpose })).eventConnection.nodes;

const at = (day: number) => ({ event_effective_timestamp: `2026-03-0${day}T12:00:00.000Z` });
const EVENTS = [
  said('837', { event_type: 'claim_submitted', payload: { claim_id: 'C-1' }, ...at(1) }),
  said('835', {
    event_family: 'remittance',
    event_type: 'claim_paid',
    outcome: 'PAID',
    payload: { claim_id: 'C-1', sensitivity: ['42CFR2'] },
    ...at(2),
  }),
  said('other', { member_id: 'M-none', payload: {}, ...at(3) }),
];

/** A tenant with three events, a member and two documents; returns their ids. */
async function filled(): Promise<{ http: Http; ids: Readonly<Record<string, string>>; documents: readonly string[] }> {
  const { http } = await freshTenant(service.operator, ['admin']);
  await http.post('/v1/members', {
    member_id: 'M-1',
    name: { family: 'Edge', given: ['Eve'] },
    birth_date: '1970-01-01',
  });
  const ids = await appended(http, EVENTS);
  const documents: string[] = [];
  for (const [title, event_id] of [
    ['first', ids['837']],
    ['second', ids['837']],
    ['third', ids['835']],
  ]) {
    const { json } = await upload(http, `text of ${title}`, {
      title: title ?? '',
      event_ids: [event_id ?? ''],
      member_id: 'M-1',
    });
    expect(json).toHaveProperty('document_id');
    documents.push(json.document_id);
  }
  const linked = async () => (await http.get(`/v1/events/${ids['837']}/links`)).json.items.length > 0;
  await eventually(linked, (isLinked) => isLinked);
  return { http, ids, documents };
}

describe('edges of events', () => {
  it('lead to the member, the linked events and the documents of each event', async () => {
    const { http, ids, documents } = await filled();
    const [first, second, third] = documents;
    const nodes = await nodesOf(http);
    const member = { member_id: 'M-1', status: 'ACTIVE' };
    expect(nodes).toEqual([
      {
        source_record_id: '837',
        member,
        links: [{ kind: 'ADJUDICATED_BY', event_id: ids['835'], via: 'CLAIM' }],
        documents: [
          { document_id: second, title: 'second' },
          { document_id: first, title: 'first' },
        ],
      },
      {
        source_record_id: '835',
        member,
        links: [{ kind: 'ADJUDICATES', event_id: ids['837'], via: 'CLAIM' }],
        documents: [{ document_id: third, title: 'third' }],
      },
      { source_record_id: 'other', member: null, links: [], documents: [] },
    ]);
    const { json } = await http.get(`/v1/events/${ids['837']}/links`);
    expect(json.items).toMatchObject(nodes[0].links);
  });

  it('leave out linked events and documents that consent withholds for a stated purpose', async () => {
    const { http, documents } = await filled();
    const nodes = await nodesOf(http, 'MARKETING');
    expect(nodes.map(({ source_record_id }: { source_record_id: string }) => source_record_id)).toEqual([
      '837',
      'other',
    ]);
    expect(nodes[0].links).toEqual([]);
    expect(nodes[0].documents).toHaveLength(2);
    await http.post('/v1/consent', { member_id: 'M-1', decision: 'DENY', purpose: 'MARKETING' });
    const query = `query Q($id: String!) { event(event_id: $id) { documents(purpose: "MARKETING") { document_id } } }`;
    const [node] = await nodesOf(http);
    expect(node.documents).toHaveLength(2);
    const { json } = await http.get('/v1/events?source_record_id=837');
    const { event } = await graph(http, query, { id: json.items[0].event_id });
    expect(event.documents).toEqual([]);
    expect(JSON.stringify(event)).not.toContain(documents[0]);
  });
});

describe('the custody of a bundle', () => {
  it('names the people and keys that acted, and no actor of another tenant', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    await http.post('/v1/events', EVENTS);
    const actor = (await http.post('/v1/actors', { name: 'Jordan Reyes, appeals', role_ids: ['tenant-admin'] })).json;
    const keyOf = async (name: string, more: object) =>
      service.operator.as(
        (
          await service.operator.post('/v1/api-keys', {
            tenant_id: tenantId,
            name,
            scopes: ['admin', 'custody:write'],
            ...more,
          })
        ).json.api_key,
      );
    const [person, machine] = [
      await keyOf('of Jordan', { actor_id: actor.actor_id }),
      await keyOf('nightly export', {}),
    ];
    const { json: bundle } = await person.post('/v1/bundles', { scope: { member_id: 'M-1' } });
    expect(bundle).toHaveProperty('bundle_id');
    const subject = { kind: 'BUNDLE', id: bundle.bundle_id };
    for (const one of [person, machine]) {
      const act = { action: 'TRANSFERRED', subject, recipient: 'Outside counsel' };
      expect((await one.post('/v1/custody', act)).status).toBe(200);
    }
    const look = async () => {
      const { json } = await http.get('/v1/questions');
      const { query } = json.items.find(({ name }: { name: string }) => name === 'bundleCustody');
      return (await graph(http, query, { bundle_id: bundle.bundle_id })).custody.items;
    };
    const types = (items: { actor: { type: string } }[]) => new Set(items.map(({ actor: { type } }) => type));
    const acts = await eventually(look, (items) => types(items).has('ACTOR') && types(items).has('KEY'));
    const names = acts.map((act: { actor: { type: string; name: string; kind: string } }) => [
      act.actor.type,
      act.actor.name,
      act.actor.kind,
    ]);
    expect(names).toContainEqual(['ACTOR', 'Jordan Reyes, appeals', 'HUMAN']);
    expect(names).toContainEqual(['KEY', 'nightly export', 'KEY']);
    const { http: other } = await freshTenant(service.operator, ['admin']);
    const query = '{ custody(subject_kind: "BUNDLE", limit: 5) { items { actor { name } } } }';
    expect((await graph(other, query)).custody.items).toEqual([]);
  });

  it('shows no name without custody:read', async () => {
    const { http } = await freshTenant(service.operator, ['search:read', 'graph:query']);
    const { json } = await http.post('/graphql', { query: '{ custody(limit: 1) { items { actor { name } } } }' });
    expect(json.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
