import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { applied, type People, peopleOf } from '../../vault/redactions/redaction-kit.js';
import { download, eventOf, opened, postEvents, sealed, upload } from '../bundles-kit.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_DOCUMENT_WORK_MS: '30000' });
}, 180_000);
afterAll(() => service.stop());

const SECRET = 'Wilhelmina';

async function keyOf(all: People, scopes: readonly string[]): Promise<Http> {
  const made = await service.operator.post('/v1/api-keys', { tenant_id: all.tenantId, name: 'exports', scopes });
  return service.operator.as(made.json.api_key);
}

/** A sealed bundle over an event and a document that name a person. */
async function bundleOf(all: People) {
  const [eventId = ''] = await postEvents(all.clerk, [eventOf('M-1', 1, { seen_by: SECRET })]);
  const { document_id: documentId } = await upload(all.clerk, `Dear ${SECRET},`, { member_id: 'M-1' });
  const bundle = await sealed(all.clerk, { scope: { member_id: 'M-1' } });
  return { eventId, documentId, bundleId: bundle.bundle_id as string };
}

const leaving = (http: Http, bundleId: string) =>
  Promise.all(
    ['download', 'edx', 'edx?format=csv', 'edx?format=zip'].map((path) => http.get(`/v1/bundles/${bundleId}/${path}`)),
  );

describe('a bundle that was sealed before a redaction', () => {
  it.each(['EVENT', 'DOCUMENT'])('leaves only to readers of originals after the redaction of its %s', async (kind) => {
    const all = await peopleOf(service.operator);
    const exporter = await keyOf(all, ['bundles:export', 'bundles:read', 'bundles:request']);
    const trusted = await keyOf(all, ['bundles:export', 'documents:unredacted']);
    const { eventId, documentId, bundleId } = await bundleOf(all);
    for (const answer of await leaving(exporter, bundleId)) expect(answer.status).toBe(200);
    const order = kind === 'EVENT' ? { pointers: ['/payload/seen_by'] } : { terms: [SECRET] };
    const id = kind === 'EVENT' ? eventId : documentId;
    const done = await applied(all, { subject: { kind, id }, ...order });
    expect(done.status).toBe(200);
    for (const answer of await leaving(exporter, bundleId)) {
      expect(answer).toMatchObject({
        status: 403,
        json: {
          code: 'FORBIDDEN',
          redaction_ids: [done.json.redaction_id],
          regenerate: `/v1/bundles/${bundleId}/regenerate`,
        },
      });
      expect(answer.text).not.toContain(SECRET);
    }
    for (const answer of await leaving(trusted, bundleId)) expect(answer.status).toBe(200);
  });

  it('leaves again as a regenerated bundle, without the hidden words', async () => {
    const all = await peopleOf(service.operator);
    const { eventId, bundleId } = await bundleOf(all);
    await applied(all, { subject: { kind: 'EVENT', id: eventId }, pointers: ['/payload/seen_by'] });
    expect((await all.clerk.get(`/v1/bundles/${bundleId}/download`)).status).toBe(403);
    const again = await sealed(all.clerk, { scope: { member_id: 'M-1' } });
    const zip = await opened(await download(all.clerk, again.bundle_id));
    expect(await zip.text('events.jsonl')).not.toContain(SECRET);
    // A second redaction of the same event concerns the newer bundle too.
    await applied(all, { subject: { kind: 'EVENT', id: eventId }, pointers: ['/member_id'] });
    expect((await all.clerk.get(`/v1/bundles/${again.bundle_id}/download`)).status).toBe(403);
  });

  it('leaves as before if another record was redacted', async () => {
    const all = await peopleOf(service.operator);
    const { bundleId } = await bundleOf(all);
    const [other = ''] = await postEvents(all.clerk, [eventOf('M-2', 2)]);
    await applied(all, { subject: { kind: 'EVENT', id: other }, pointers: ['/member_id'] });
    for (const answer of await leaving(all.clerk, bundleId)) expect(answer.status).toBe(200);
  });
});

describe('a bundle for a purpose', () => {
  it('does not leave after the member denies the purpose', async () => {
    const all = await peopleOf(service.operator);
    await postEvents(all.clerk, [eventOf('M-1', 1)]);
    const bundle = await sealed(all.clerk, { scope: { member_id: 'M-1' }, purpose: 'RESEARCH' });
    expect((await all.clerk.get(`/v1/bundles/${bundle.bundle_id}/download`)).status).toBe(200);
    const consent = { member_id: 'M-1', purpose: 'RESEARCH', decision: 'DENY' };
    const denied = await all.clerk.post('/v1/consent', consent);
    expect(denied.status).toBe(200);
    for (const answer of await leaving(all.clerk, bundle.bundle_id)) {
      expect(answer).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', redaction_ids: [] } });
    }
  });
});
