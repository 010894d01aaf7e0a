import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { envelope } from '../support/envelopes.js';
import type { Answer, Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { applied, apply, draft, type People, peopleOf, until } from '../vault/redactions/redaction-kit.js';
import { upload } from '../vault/vault-kit.js';

// What an Idempotency-Key gave once is given again only while nothing of it has been hidden.

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_DOCUMENT_WORK_MS: '30000' });
}, 180_000);
afterAll(() => service.stop());

const SECRET = 'Wilhelmina';
let keys = 0;
const fresh = () => ({ 'idempotency-key': `01JQ3ZK5V0000000000000${String(++keys).padStart(4, '0')}` });
const replayed = (answer: Answer) => answer.headers.get('idempotency-replayed');

async function keyOf(all: People, scopes: readonly string[]): Promise<Http> {
  const made = await service.operator.post('/v1/api-keys', { tenant_id: all.tenantId, name: 'more', scopes });
  return service.operator.as(made.json.api_key);
}

async function eventIn(http: Http, name: string): Promise<string> {
  const payload = { rationale: `Seen by ${SECRET} Testperson`, carc: ['50'] };
  return (await http.post('/v1/events', { ...envelope(name), member_id: 'M-7', payload })).json.event_id;
}

describe('a read by POST with an Idempotency-Key', () => {
  it('is made again: a search shows no word that was redacted since', async () => {
    const all = await peopleOf(service.operator);
    const searcher = await keyOf(all, ['search:read', 'events:read']);
    const id = await eventIn(all.clerk, 'kept-search');
    const headers = fresh();
    const search = () => searcher.post('/v1/search', { query: SECRET }, headers);
    await until(async () => (await searcher.post('/v1/search', { query: SECRET })).json.items.length === 1);
    expect((await search()).text).toContain(SECRET);
    await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/rationale'] });
    const again = await search();
    expect([again.status, again.json.items, replayed(again)]).toEqual([200, [], null]);
  });

  it('is made again: a recode shows no member that was redacted since, and the graph neither', async () => {
    const all = await peopleOf(service.operator);
    const id = await eventIn(all.clerk, 'kept-recode');
    const [headers, graphHeaders] = [fresh(), fresh()];
    const recode = () => all.reader.post(`/v1/advocacy/recode/${id}`, {}, headers);
    const graph = () =>
      all.clerk.post('/graphql', { query: `{ event(event_id: "${id}") { payload member_id } }` }, graphHeaders);
    const [first, before] = [await recode(), await graph()];
    expect([first.status, before.text.includes(SECRET)]).toEqual([200, true]);
    await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/payload/rationale', '/member_id'] });
    expect((await recode()).text).not.toContain('M-7');
    expect((await graph()).text).not.toContain(SECRET);
  });
});

describe('a replayed write', () => {
  it('gives the same bytes while nothing that it names is hidden', async () => {
    const all = await peopleOf(service.operator);
    const headers = fresh();
    const sent = { ...envelope('kept-same'), member_id: 'M-7' };
    const first = await all.clerk.post('/v1/events', sent, headers);
    await applied(all, {
      subject: { kind: 'EVENT', id: await eventIn(all.clerk, 'kept-other') },
      pointers: ['/member_id'],
    });
    const again = await all.clerk.post('/v1/events', sent, headers);
    expect([again.text, replayed(again)]).toEqual([first.text, 'true']);
  });

  it('leaves out the unsalted hash of an event that was redacted since, and appends nothing', async () => {
    const all = await peopleOf(service.operator);
    const headers = fresh();
    const sent = { ...envelope('kept-hash'), member_id: 'M-7' };
    const first = await all.clerk.post('/v1/events', sent, headers);
    const id = first.json.event_id;
    await applied(all, { subject: { kind: 'EVENT', id }, pointers: ['/member_id'] });
    const again = await all.clerk.post('/v1/events', sent, headers);
    expect([again.status, again.json.event_id, replayed(again)]).toEqual([200, id, 'recomputed']);
    expect(again.text).not.toContain(first.json.worm_sha256);
    expect((await all.trusted.get('/v1/events')).json.items).toHaveLength(1);
  });

  it('shows no term of a redaction after it was applied', async () => {
    const all = await peopleOf(service.operator);
    const { document_id: id } = (await upload(all.clerk, `Dear ${SECRET},`)).json;
    const headers = fresh();
    const body = { subject: { kind: 'DOCUMENT', id }, terms: [SECRET], reason: 'Names a person.', basis: '164.502' };
    const first = await all.clerk.post('/v1/redactions', body, headers);
    expect(first.text).toContain(SECRET);
    expect((await apply(all.counsel, first.json.redaction_id)).status).toBe(200);
    const again = await all.clerk.post('/v1/redactions', body, headers);
    expect([again.json.redaction_id, replayed(again)]).toEqual([first.json.redaction_id, 'recomputed']);
    expect(again.text).not.toContain(SECRET);
    expect((await all.clerk.get('/v1/redactions')).json.items).toHaveLength(1);
  });

  it('of an upload is refused once the document is redacted', async () => {
    const all = await peopleOf(service.operator);
    const headers = fresh();
    const send = async () => {
      const form = new FormData();
      form.append('tags', SECRET);
      form.append('file', new Blob([`Dear ${SECRET},`], { type: 'text/plain' }), 'note.txt');
      const response = await fetch(`${service.operator.url}/v1/documents`, {
        method: 'POST',
        headers: { 'x-api-key': all.clerk.key ?? '', ...headers },
        body: form,
      });
      return {
        status: response.status,
        replayed: response.headers.get('idempotency-replayed'),
        text: await response.text(),
      };
    };
    const first = await send();
    const id = JSON.parse(first.text).document_id;
    expect((await send()).replayed).toBe('true');
    const done = await draft(all.clerk, { subject: { kind: 'DOCUMENT', id }, terms: [SECRET] });
    expect((await apply(all.counsel, done.json.redaction_id)).status).toBe(200);
    const again = await send();
    expect([again.status, again.replayed, again.text.includes(SECRET)]).toEqual([403, 'recomputed', false]);
  });
});
