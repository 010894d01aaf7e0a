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

const EVENTS = [
  said('837', { event_type: 'claim_submitted', payload: { claim_id: 'C-1' } }),
  said('835', {
    event_family: 'remittance',
    event_type: 'claim_paid',
    outcome: 'PAID',
    payload: { claim_id: 'C-1', sensitivity: ['42CFR2'] },
  }),
];

interface Filled {
  readonly http: Http;
  readonly ids: Readonly<Record<string, string>>;
  readonly documentId: string;
}

/** A tenant with a member, a claim, its remittance, and a document of the claim. */
async function filled(): Promise<Filled> {
  const { http } = await freshTenant(service.operator, ['admin']);
  await http.post('/v1/members', {
    member_id: 'M-1',
    name: { family: 'Edge', given: ['Eve'] },
    birth_date: '1970-01-01',
  });
  const ids = await appended(http, EVENTS);
  const { json } = await upload(http, 'text of a letter', { title: 'letter', event_ids: [ids['837'] ?? ''] });
  const linked = async () => (await http.get(`/v1/events/${ids['837']}/links`)).json.items.length > 0;
  await eventually(linked, (isLinked) => isLinked);
  return { http, ids, documentId: json.document_id };
}

const ACTS = 'custody { action actor { type name } }';

describe('edges of records', () => {
  it('lead from a link to the other event, from a member to its claims, and from a document to its events', async () => {
    const { http, ids, documentId } = await filled();
    const query = `query Q($event: String!, $document: String!, $purpose: String) {
      event(event_id: $event) {
        links { event(purpose: $purpose) { event_id outcome links { event { event_id } } } }
        member { status claims(purpose: $purpose) { event_id event_type } }
      }
      document(document_id: $document) { events(purpose: $purpose) { event_id event_type } }
    }`;
    const variables = { event: ids['837'], document: documentId };
    const { event, document } = await graph(http, query, variables);
    const claim = { event_id: ids['837'], event_type: 'claim_submitted' };
    expect(event).toEqual({
      links: [{ event: { event_id: ids['835'], outcome: 'PAID', links: [{ event: { event_id: ids['837'] } }] } }],
      member: { status: 'ACTIVE', claims: [claim] },
    });
    expect(document).toEqual({ events: [claim] });

    const forMarketing = await graph(http, query, { ...variables, purpose: 'MARKETING' });
    expect(forMarketing.event.links).toEqual([{ event: null }]);
    await http.post('/v1/consent', { member_id: 'M-1', decision: 'DENY', purpose: 'MARKETING' });
    const denied = await graph(http, query, { ...variables, purpose: 'MARKETING' });
    expect([denied.event.member.claims, denied.document.events]).toEqual([[], []]);
  });

  it('lead from a bundle, a document, a hold and an event to their custody with the people', async () => {
    const { http, ids, documentId } = await filled();
    const { json: bundle } = await http.post('/v1/bundles', { scope: { member_id: 'M-1' } });
    const hold = await http.post('/v1/legal-holds', { name: 'h', reason: 'R.', scope: { member_ids: ['M-1'] } });
    const subjects = [
      ['EVENT', ids['837']],
      ['DOCUMENT', documentId],
      ['BUNDLE', bundle.bundle_id],
      ['HOLD', hold.json.hold_id],
    ] as const;
    for (const [kind, id] of subjects) {
      const act = { action: 'TRANSFERRED', subject: { kind, id }, recipient: 'Outside counsel' };
      expect((await http.post('/v1/custody', act)).status).toBe(200);
    }
    const query = `query Q($event: String!, $document: String!, $bundle: String!, $hold: String!) {
      event(event_id: $event) { ${ACTS} }
      document(document_id: $document) { ${ACTS} }
      bundle(bundle_id: $bundle) { ${ACTS} }
      legalHold(hold_id: $hold) { ${ACTS} }
    }`;
    const [event, document, bundleId, holdId] = subjects.map(([, id]) => id);
    const variables = { event, document, bundle: bundleId, hold: holdId };
    const found = await graph(http, query, variables);
    const act = { action: 'TRANSFERRED', actor: { type: 'KEY', name: expect.any(String) } };
    for (const name of ['event', 'document', 'bundle', 'legalHold']) expect(found[name].custody).toContainEqual(act);

    const { http: other } = await freshTenant(service.operator, ['admin']);
    const nothing = { event: null, document: null, bundle: null, legalHold: null };
    expect(await graph(other, query, variables)).toEqual(nothing);
  });

  it('show no custody without custody:read', async () => {
    const { http } = await freshTenant(service.operator, ['documents:read', 'documents:write', 'graph:query']);
    const { json } = await upload(http, 'text of a letter', { title: 'letter' });
    const query = `query Q($id: String!) { document(document_id: $id) { title custody { action } } }`;
    const answer = await http.post('/graphql', { query, variables: { id: json.document_id } });
    expect(answer.json.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(answer.json.data).toEqual({ document: null });
  });

  it('lead from an event to the proof that the route returns, once a checkpoint covers it', async () => {
    const { http, ids } = await filled();
    const query = `query Q($id: String!) {
      event(event_id: $id) { entry_hash proof { entry_hash tree_index hashes checkpoint { checkpoint_id } } }
    }`;
    const look = async () => (await graph(http, query, { id: ids['835'] })).event;
    const event = await eventually(look, ({ proof }) => proof !== null);
    expect(event.proof.entry_hash).toBe(event.entry_hash);
    const { json } = await http.get(`/v1/events/${ids['835']}/proof`);
    expect(json.tree_index).toBe(event.proof.tree_index);
  });

  it('lead from a member to the timeline, and record the read in custody', async () => {
    const { http, ids } = await filled();
    const query = `{ member(member_id: "M-1") {
      timeline(limit: 10) { member_ids identities { timeline_events(limit: 10) { items { id } } } }
    } }`;
    const { member } = await graph(http, query);
    expect(member.timeline.member_ids).toEqual(['M-1']);
    const [identity] = member.timeline.identities;
    const shown = identity.timeline_events.items.map(({ id }: { id: string }) => id);
    expect(shown.sort()).toEqual([ids['837'], ids['835']].sort());
    const { json } = await http.get('/v1/custody?action=READ_TIMELINE');
    expect(json.items).toHaveLength(1);
  });
});
