import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delay } from '../../../shared/clock/timers.js';
import { EICAR } from '../../../subgraphs/vault/scan/adapters/byte-search.js';
import { keyed } from '../../rest-facade/edge-kit.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { programOf, upload, uploadScanned } from '../vault-kit.js';

const REVIEW = { reason: 'A tool of the claims department.', reviewed_by: 'j.doe' };
const DEADLINE_MS = 150_000;

let inline: WholeService;
let behind: WholeService;

/** In place of an engine: takes every connection, says nothing, and from `hangUp` on closes each. */
const silent = (() => {
  const sockets = new Set<Socket>();
  let hasHungUp = false;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (hasHungUp) socket.destroy();
    else sockets.add(socket);
  });
  const hangUp = (): void => {
    hasHungUp = true;
    for (const socket of sockets) socket.destroy();
  };
  return { server, hangUp };
})();

beforeAll(async () => {
  inline = await startWholeService({ SERVICE_CONTENT_SCAN_INLINE: 'true' });
  await new Promise<void>((resolve) => silent.server.listen(0, '127.0.0.1', resolve));
  const { port } = silent.server.address() as AddressInfo;
  behind = await startWholeService({ SERVICE_CLAMAV_HOST: `127.0.0.1:${port}`, SERVICE_CLAMAV_TIMEOUT_MS: '60000' });
});
afterAll(async () => {
  await inline.stop();
  silent.hangUp();
  await behind.stop();
  silent.server.close();
});
const adminOf = async (service: WholeService): Promise<Http> => (await freshTenant(service.operator, ['admin'])).http;

/** Exceptions of quarantines, once there are as many in that status. */
async function exceptions(http: Http, status: string, count: number): Promise<{ subject: unknown; status: string }[]> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const { json } = await http.get(`/v1/exceptions?kind=DOCUMENT_QUARANTINED&status=${status}`);
    if (json.items.length >= count || Date.now() > deadlineMs) return json.items;
    await delay(50);
  }
}

describe('a scan before the answer', () => {
  it('passes clean content, and returns it without a mark', async () => {
    const http = await adminOf(inline);
    const { json } = await upload(http, 'a letter');
    expect(json).toMatchObject({ status: 'AVAILABLE', scan: { status: 'CLEAN', engine: 'built-in', findings: [] } });
    expect((await http.get(`/v1/documents/${json.document_id}`)).headers.get('x-content-scan')).toBeNull();
  });

  it('quarantines flagged content: it is unreadable, and an exception opens', async () => {
    const http = await adminOf(inline);
    const { json } = await upload(http, { bytes: EICAR });
    expect(json).toMatchObject({ status: 'QUARANTINED', scan: { status: 'FLAGGED' } });
    expect(json.scan.findings).toEqual([{ engine: 'built-in', code: 'MALWARE', detail: 'EICAR test file' }]);
    const read = await http.get(`/v1/documents/${json.document_id}`);
    expect([read.status, read.json.code]).toEqual([409, 'QUARANTINED']);
    const queue = await http.get('/v1/quarantine');
    expect(queue.json.items.map((item: { document_id: string }) => item.document_id)).toEqual([json.document_id]);
    const [opened] = await exceptions(http, 'OPEN', 1);
    expect(opened?.subject).toEqual({ document_id: json.document_id });
  });
});

describe('the review', () => {
  it('releases with a reason and a reviewer: the content is readable, the exception resolved, and custody recorded', async () => {
    const http = await adminOf(inline);
    const { document_id } = (await upload(http, { bytes: programOf(1), type: 'application/octet-stream' })).json;
    await exceptions(http, 'OPEN', 1);
    const released = await http.post(`/v1/quarantine/${document_id}/release`, REVIEW);
    expect([released.status, released.json.status, released.json.review]).toEqual([
      200,
      'AVAILABLE',
      { decision: 'RELEASED', ...REVIEW, reviewed_at: expect.any(String) },
    ]);
    expect((await http.get(`/v1/documents/${document_id}`)).status).toBe(200);
    expect(await exceptions(http, 'RESOLVED', 1)).toHaveLength(1);
    const { json } = await http.get(`/v1/custody?subject_kind=DOCUMENT&subject_id=${document_id}`);
    expect(json.items.map(({ action }: { action: string }) => action)).toEqual(['UPLOAD', 'RELEASE', 'READ_CONTENT']);
    // Released content is no longer in quarantine.
    const again = await http.post(`/v1/quarantine/${document_id}/release`, REVIEW);
    expect([again.status, again.json.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('rejects a document for good', async () => {
    const http = await adminOf(inline);
    const { document_id } = (await upload(http, { bytes: programOf(2) })).json;
    const key = keyed();
    const reject = () => http.post(`/v1/quarantine/${document_id}/reject`, REVIEW, key);
    expect((await reject()).json).toMatchObject({ status: 'REJECTED', allowed_actions: [] });
    expect((await reject()).headers.get('idempotency-replayed')).toBe('true');
    const read = await http.get(`/v1/documents/${document_id}`);
    expect([read.status, read.json.code]).toEqual([409, 'DOCUMENT_REJECTED']);
    expect((await http.post(`/v1/quarantine/${document_id}/release`, REVIEW)).status).toBe(409);
    expect(await exceptions(http, 'RESOLVED', 1)).toHaveLength(1);
  });

  it.each([{}, { reason: 'x' }, { reviewed_by: 'x' }, { reason: ' ', reviewed_by: 'x' }, { ...REVIEW, by: 'x' }])(
    'rejects %j',
    async (body) => {
      const http = await adminOf(inline);
      const { document_id } = (await upload(http, { bytes: programOf(3) })).json;
      const { status, json } = await http.post(`/v1/quarantine/${document_id}/release`, body);
      expect([status, json.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect((await http.get(`/v1/documents/${document_id}/metadata`)).json.status).toBe('QUARANTINED');
    },
  );

  it('requires the scope', async () => {
    const { http } = await freshTenant(inline.operator, ['events:read', 'events:write']);
    const { document_id } = (await upload(http, { bytes: programOf(4) })).json;
    for (const step of ['release', 'reject']) {
      expect((await http.post(`/v1/quarantine/${document_id}/${step}`, REVIEW)).status).toBe(403);
    }
  });
});

describe('a scan behind the answer', () => {
  it('marks unscanned content, and quarantines it if an engine does not answer', async () => {
    const http = await adminOf(behind);
    const made = await upload(http, 'a letter');
    expect(made.json).toMatchObject({ status: 'AVAILABLE', scan: { status: 'PENDING' } });
    const read = await http.get(`/v1/documents/${made.json.document_id}`);
    expect([read.status, read.text, read.headers.get('x-content-scan')]).toEqual([200, 'a letter', 'pending']);
    silent.hangUp();
    const { json } = await uploadScanned(http, 'another');
    expect(json).toMatchObject({ status: 'QUARANTINED', scan: { status: 'FLAGGED', engine: 'built-in+clamav' } });
    expect(json.scan.findings).toMatchObject([{ engine: 'clamav', code: 'ENGINE_UNAVAILABLE' }]);
  });
});
