import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { connectorOf, decisionOf, feedOf, redactionOf } from '../../support/records.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { upload } from '../../vault/vault-kit.js';
import { appended, said } from '../analysis/analysis-kit.js';
import { graph } from './query-kit.js';

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_REDACTION_TWO_PEOPLE: 'false' });
});

afterAll(async () => service.stop());

const administrator = async (): Promise<Http> => (await freshTenant(service.operator, ['admin'])).http;
const made = async (http: Http, path: string, body: object): Promise<Readonly<Record<string, string>>> => {
  const { status, json } = await http.post(path, body);
  expect(status).toBeLessThan(300);
  return json;
};

const MATTER = `query Q($id: String!) {
  legalMatter(matter_id: $id) {
    members { member_id status } holds { name matter { name } } documents { title matter { name } }
    bundles { bundle_type matter { name } } exceptions { exception_id kind }
  }
}`;

/** A legal matter with one record of each kind. */
async function matter(http: Http): Promise<{ readonly id: string; readonly exceptionId: string }> {
  const person = { member_id: 'M-1', name: { family: 'Edge', given: ['Eve'] }, birth_date: '1970-01-01' };
  await made(http, '/v1/members', person);
  await appended(http, [said('1', { outcome: 'PAID' })]);
  await http.post('/v1/events', said('1', { outcome: 'DENIED' }));
  const [exception] = (await http.get('/v1/exceptions?limit=1')).json.items;
  const { matter_id: id = '' } = await made(http, '/v1/legal-matters', {
    name: 'Doe',
    kind: 'LITIGATION',
    member_ids: ['M-1'],
    exception_ids: [exception.exception_id],
  });
  const hold = { name: 'Hold of Doe', reason: 'R.', matter_id: id, scope: { member_ids: ['M-1'] } };
  const { hold_id } = await made(http, '/v1/legal-holds', hold);
  const { bundle_id } = await made(http, '/v1/bundles', { scope: { matter_id: id } });
  const { json: document } = await upload(http, 'text of a letter', { title: 'letter', matter_id: id });
  for (const [kind, ref] of [
    ['holds', hold_id],
    ['bundles', bundle_id],
    ['documents', document.document_id],
  ]) {
    expect((await http.post(`/v1/legal-matters/${id}/${kind}/${ref}`, {})).status).toBe(200);
  }
  return { id, exceptionId: exception.exception_id };
}

describe('a legal matter', () => {
  it('leads to its members, holds, documents, bundles and exceptions, and they lead back to it', async () => {
    const http = await administrator();
    const { id, exceptionId } = await matter(http);
    const { legalMatter } = await graph(http, MATTER, { id });
    expect(legalMatter).toEqual({
      members: [{ member_id: 'M-1', status: 'ACTIVE' }],
      holds: [{ name: 'Hold of Doe', matter: { name: 'Doe' } }],
      documents: [{ title: 'letter', matter: { name: 'Doe' } }],
      bundles: [{ bundle_type: 'MATTER', matter: { name: 'Doe' } }],
      exceptions: [{ exception_id: exceptionId, kind: 'SOURCE_RECORD_CONFLICT' }],
    });
    const other = await administrator();
    expect(await graph(other, MATTER, { id })).toEqual({ legalMatter: null });
    // A sender may state any name of a matter; another tenant's leads nowhere.
    const { json } = await upload(other, 'text', { title: 'theirs', matter_id: id });
    const query = 'query Q($id: String!) { document(document_id: $id) { title matter { name } } }';
    expect(await graph(other, query, { id: json.document_id })).toEqual({
      document: { title: 'theirs', matter: null },
    });
  });

  it('shows null in the place of a hold without holds:read, with the reason', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const { id } = await matter(http);
    const key = await made(service.operator, '/v1/api-keys', {
      tenant_id: tenantId,
      name: 'matters alone',
      scopes: ['matters:read', 'graph:query'],
    });
    const query = 'query Q($id: String!) { legalMatter(matter_id: $id) { name holds { name } } }';
    const { json } = await service.operator.as(key['api_key'] ?? '').post('/graphql', { query, variables: { id } });
    expect(json.data).toEqual({ legalMatter: { name: 'Doe', holds: [null] } });
    expect(json.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('an event', () => {
  const QUERY = `query Q($id: String!) {
    event(event_id: $id) { redaction { status reason } feed { status description connectors { name } } }
  }`;

  it('leads to its redaction, and to the feed and the connectors of its source system', async () => {
    const http = await administrator();
    const { '1': id = '', '2': plain = '' } = await appended(http, [
      said('1', { payload: { note: 'n' } }),
      said('2', {}),
    ]);
    expect(await graph(http, QUERY, { id })).toEqual({ event: { redaction: null, feed: null } });
    await made(http, '/v1/source-feeds', feedOf('claims'));
    await made(http, '/v1/connectors', connectorOf('claims'));
    const { redaction_id } = await made(http, '/v1/redactions', redactionOf({ kind: 'EVENT', id }));
    await made(http, `/v1/redactions/${redaction_id}/apply`, {});
    const feed = { status: 'HEALTHY', description: 'claims', connectors: [{ name: 'claims' }] };
    const redaction = { status: 'APPLIED', reason: 'Named a third person.' };
    expect(await graph(http, QUERY, { id })).toEqual({ event: { redaction, feed } });
    expect(await graph(http, QUERY, { id: plain })).toEqual({ event: { redaction: null, feed } });

    // The feed of a source system of the same name belongs to the tenant that registered it.
    const other = await administrator();
    const theirs = await appended(other, [said('1', {})]);
    expect(await graph(other, QUERY, { id: theirs['1'] })).toEqual({ event: { redaction: null, feed: null } });
  });

  it('shows no feed without feeds:read, with the reason', async () => {
    const { http } = await freshTenant(service.operator, ['events:read', 'events:write', 'search:read', 'graph:query']);
    const { '1': id } = await appended(http, [said('1', {})]);
    const query = 'query Q($id: String!) { event(event_id: $id) { event_type feed { status } } }';
    const { json } = await http.post('/graphql', { query, variables: { id } });
    expect([json.data, json.errors[0].extensions.code]).toEqual([
      { event: { event_type: 'claim_adjudicated', feed: null } },
      'FORBIDDEN',
    ]);
  });
});

describe('an AI decision', () => {
  it('leads to its event, which consent withholds for a purpose, and to the exception that it opened', async () => {
    const http = await administrator();
    const { '1': event_id } = await appended(http, [said('1', { outcome: 'DENIED' })]);
    const adverse = { ...decisionOf('why'), recommendation: 'DENY', event_id };
    const { decision_id: id } = await made(http, '/v1/ai-decisions', adverse);
    const query = `query Q($id: String!, $purpose: String) {
      aiDecision(decision_id: $id) { event(purpose: $purpose) { outcome } exception { kind } }
    }`;
    const exception = { kind: 'AI_ADVERSE_UNREVIEWED' };
    expect(await graph(http, query, { id })).toEqual({ aiDecision: { event: { outcome: 'DENIED' }, exception } });
    await made(http, '/v1/consent', { member_id: 'M-1', decision: 'DENY', purpose: 'MARKETING' });
    const denied = await graph(http, query, { id, purpose: 'MARKETING' });
    expect(denied).toEqual({ aiDecision: { event: null, exception } });
  });
});

describe('an actor of custody', () => {
  const QUERY = `query Q($id: String!) { custody(subject_kind: "EVENT", subject_id: $id, limit: 5) {
    items { actor { type actor { name kind status } api_key { name } } }
  } }`;

  it('leads an administrator to the person or the key, and nobody without admin', async () => {
    const { http, tenantId } = await freshTenant(service.operator, ['admin']);
    const { '1': id = '' } = await appended(http, [said('1', {})]);
    const actor = await made(http, '/v1/actors', { name: 'Jordan Reyes', role_ids: ['tenant-admin'] });
    const keyOf = async (name: string, more: object): Promise<Http> => {
      const asked = { tenant_id: tenantId, name, scopes: ['custody:write', 'graph:query'], ...more };
      return service.operator.as((await made(service.operator, '/v1/api-keys', asked))['api_key'] ?? '');
    };
    const person = await keyOf('of Jordan', { actor_id: actor['actor_id'] });
    const machine = await keyOf('nightly export', { scopes: ['custody:read', 'custody:write', 'graph:query'] });
    for (const one of [person, machine]) {
      await made(one, '/v1/custody', { action: 'NOTED', subject: { kind: 'EVENT', id } });
    }
    const { custody } = await graph(http, QUERY, { id });
    expect(custody.items.map((item: { actor: object }) => item.actor)).toEqual([
      { type: 'ACTOR', actor: { name: 'Jordan Reyes', kind: 'HUMAN', status: 'ACTIVE' }, api_key: null },
      { type: 'KEY', actor: null, api_key: { name: 'nightly export' } },
    ]);
    const { json } = await machine.post('/graphql', { query: QUERY, variables: { id } });
    expect(json.errors[0].extensions.code).toBe('FORBIDDEN');
    for (const { actor: one } of json.data.custody.items) expect([one.actor, one.api_key]).toEqual([null, null]);
  });
});

describe('a delivery', () => {
  it('leads to its webhook', async () => {
    const http = await administrator();
    const url = 'https://receiver.invalid/hook';
    const { webhook_id: id } = await made(http, '/v1/webhooks', { url, event_types: ['bundle.sealed'] });
    await made(http, `/v1/webhooks/${id}/test`, {});
    const query =
      'query Q($id: String!) { webhookDeliveries(webhook_id: $id, limit: 5) { items { webhook { url } } } }';
    const { webhookDeliveries } = await graph(http, query, { id });
    expect(webhookDeliveries.items).toEqual([{ webhook: { url } }]);
  });
});
