import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delay } from '../../../shared/clock/timers.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { programOf } from '../../vault/vault-kit.js';
import {
  download,
  ended,
  eventOf,
  opened,
  postEvents,
  requested,
  sealed,
  upload,
  verifiedOffline,
} from '../bundles-kit.js';

const ULID = '01JQ00000000000000000000ZZ';
const MINUTE = 60_000;

let service: WholeService;
let http: Http;
let tenantId: string;
let eventIds: readonly string[];
// biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests are about to judge.
let first: any;

beforeAll(async () => {
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, ['admin', 'documents:unredacted']));
  eventIds = await postEvents(http, [
    ...Array.from({ length: 6 }, (_, n) => eventOf('M-1', n)),
    eventOf('M-2', 6, { incident_id: 'INC-1', matter_id: 'CASE-1' }),
  ]);
  first = await sealed(http, { scope: { member_id: 'M-1' } });
}, 3 * MINUTE);

afterAll(() => service.stop());

const custodyOf = async (bundleId: string, action: string): Promise<number> => {
  const { json } = await http.get(`/v1/custody?subject_kind=BUNDLE&subject_id=${bundleId}&limit=500`);
  return json.items.filter((entry: { action: string }) => entry.action === action).length;
};
const headers = () => ({ 'x-api-key': http.key ?? '' });

describe('POST /v1/bundles', () => {
  it.each([
    ['no scope id', { scope: {} }, '/scope'],
    ['two scope ids', { scope: { member_id: 'M-1', incident_id: 'I' } }, '/scope'],
    ['a type that does not agree', { scope: { member_id: 'M-1' }, bundle_type: 'MATTER' }, '/bundle_type'],
    [
      'a window upside down',
      { scope: { member_id: 'M-1', from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' } },
      '/scope/to',
    ],
  ])('%s', async (_what, body, path) => {
    const { status, json } = await http.post('/v1/bundles', body);
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    expect(json.errors.map((fault: { path: string }) => fault.path)).toContain(path);
  });

  it('rejects a key without bundles:request', async () => {
    const { http: reader } = await freshTenant(service.operator, ['bundles:read']);
    expect((await reader.post('/v1/bundles', { scope: { member_id: 'M-1' } })).status).toBe(403);
  });
});

describe('the tenant that a scope names', () => {
  const scope = () => ({ member_id: 'M-1', tenant_id: tenantId });

  it('suffices for an operator’s key, and must match the tenant named elsewhere', async () => {
    const asked = await service.operator.post('/v1/bundles', { scope: scope() });
    expect([asked.status, asked.json.tenant_id]).toEqual([201, tenantId]);
    const elsewhere = { 'x-tenant-id': 'another' };
    const torn = await service.operator.post('/v1/bundles', { scope: scope() }, elsewhere);
    expect([torn.status, torn.json.code]).toEqual([404, 'NOT_FOUND']);
    const both = await service.operator.post('/v1/bundles', { tenant_id: 'another', scope: scope() });
    expect([both.status, both.json.errors?.[0].path]).toEqual([400, '/scope/tenant_id']);
  });

  it('is rejected if the key belongs to another tenant', async () => {
    const { http: stranger } = await freshTenant(service.operator, ['bundles:request']);
    const answer = await stranger.post('/v1/bundles', { scope: scope() });
    expect([answer.status, answer.json.code]).toEqual([403, 'TENANT_MISMATCH']);
  });
});

it('creates one bundle for repeated requests with one Idempotency-Key', async () => {
  const ask = () => http.post('/v1/bundles', { scope: { member_id: 'M-9' } }, { 'idempotency-key': ULID });
  const [one, other] = [await ask(), await ask()];
  expect([one.status, other.status]).toEqual([201, 201]);
  expect(other.json.bundle_id).toBe(one.json.bundle_id);
});

describe('GET /v1/bundles/{id}/download', () => {
  it('returns the ZIP with its hash and records custody; HEAD, 304 and 416 record nothing', async () => {
    const path = `/v1/bundles/${first.bundle_id}/download`;
    const before = await custodyOf(first.bundle_id, 'DOWNLOAD_BUNDLE');
    const etag = `"${first.worm_blob_sha256}"`;
    const head = await fetch(`${http.url}${path}`, { method: 'HEAD', headers: headers() });
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      200,
      etag,
      String(first.size),
    ]);
    expect((await http.get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await http.get(path, { range: `bytes=${first.size}-` })).status).toBe(416);
    expect(await custodyOf(first.bundle_id, 'DOWNLOAD_BUNDLE')).toBe(before);
    const zip = await download(http, first.bundle_id);
    expect(createHash('sha256').update(zip).digest('hex')).toBe(first.worm_blob_sha256);
    const part = await fetch(`${http.url}${path}`, { headers: { ...headers(), range: 'bytes=2-99' } });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(zip.subarray(2, 100));
    expect(await custodyOf(first.bundle_id, 'DOWNLOAD_BUNDLE')).toBe(before + 2);
  });

  it('requires bundles:export', async () => {
    const { http: reader } = await freshTenant(service.operator, ['bundles:read']);
    expect((await reader.get(`/v1/bundles/bdl_${ULID}/download`)).status).toBe(403);
  });
});

describe('bundles that differ', () => {
  it(
    'name their source when regenerated, and a diff lists the records added since',
    async () => {
      const [added] = await postEvents(http, [eventOf('M-1', 100)]);
      const answer = await http.post(`/v1/bundles/${first.bundle_id}/regenerate`, {});
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ status: 'REQUESTED', regenerated_from: first.bundle_id });
      const again = await ended(http, answer.json.bundle_id);
      expect(again.status).toBe('SEALED');
      const { json } = await http.get(`/v1/bundles/${again.bundle_id}/diff?against=${first.bundle_id}`);
      expect(json).toMatchObject({ same_content: false, events: { added: [added], removed: [], changed: [] } });
      expect(json.chain_head.to.tree_size).toBeGreaterThan(json.chain_head.from.tree_size);
      const back = await http.get(`/v1/bundles/${first.bundle_id}/diff?against=${again.bundle_id}`);
      expect(back.json.events).toEqual({ added: [], removed: [added], changed: [] });
    },
    MINUTE,
  );

  it(
    'over other scopes return SCOPE_MISMATCH; a missing bundle and another tenant’s are not found',
    async () => {
      const other = await sealed(http, { scope: { member_id: 'M-2' } });
      const { http: stranger } = await freshTenant(service.operator, ['admin']);
      const theirs = await sealed(stranger, { scope: { member_id: 'M-1' } });
      const diff = (against: string) => http.get(`/v1/bundles/${first.bundle_id}/diff?against=${against}`);
      expect((await diff(other.bundle_id)).json).toMatchObject({ status: 409, code: 'SCOPE_MISMATCH' });
      expect((await diff(theirs.bundle_id)).json).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      expect((await diff(`bdl_${ULID}`)).json).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    },
    MINUTE,
  );
});

it('rejects a diff without the other bundle, as the description states', async () => {
  const answer = await http.get(`/v1/bundles/${first.bundle_id}/diff`);
  expect([answer.status, answer.json.errors]).toEqual([
    400,
    [{ path: '/against', code: 'required', message: 'Required.' }],
  ]);
  const { paths } = (await http.get('/v1/openapi.json')).json;
  const { parameters } = paths['/v1/bundles/{id}/diff'].get;
  expect(parameters).toContainEqual(expect.objectContaining({ in: 'query', name: 'against', required: true }));
});

it('verifies the stored copy by verify-signature', async () => {
  const { status, json } = await http.post(`/v1/bundles/${first.bundle_id}/verify-signature`, {});
  expect(status).toBe(200);
  expect(json).toMatchObject({
    valid: true,
    verdict: 'VALID',
    breaks: 0,
    signing_key_id: first.signing_key_id,
    worm_blob_sha256: first.worm_blob_sha256,
  });
  expect(json.checks.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['blob', 'signature', 'key', 'files', 'chain', 'inclusion']),
  );
});

describe('scopes', () => {
  it(
    'an incident selects the records with its id',
    async () => {
      const bundle = await sealed(http, { scope: { incident_id: 'INC-1' }, bundle_type: 'INCIDENT' });
      const { manifest } = await opened(await download(http, bundle.bundle_id));
      expect(manifest.events.map(({ event_id }) => event_id)).toEqual([eventIds[6]]);
    },
    MINUTE,
  );

  it(
    'a matter selects its members, its documents and the records with its id',
    async () => {
      const document = await upload(http, 'Linked to the case.', {});
      const matter = await http.post('/v1/legal-matters', {
        name: 'Case',
        kind: 'LITIGATION',
        member_ids: ['M-2'],
        document_ids: [document.document_id],
      });
      expect(matter.status).toBe(200);
      const bundle = await sealed(http, { scope: { matter_id: matter.json.matter_id } });
      const { manifest } = await opened(await download(http, bundle.bundle_id));
      expect(manifest.events.map(({ event_id }) => event_id)).toEqual([eventIds[6]]);
      expect(manifest.documents.map(({ document_id }) => document_id)).toEqual([document.document_id]);
      const carried = await sealed(http, { scope: { matter_id: 'CASE-1' } });
      expect(carried).toMatchObject({ event_count: 1, document_count: 0 });
      const mistyped = await http.post('/v1/bundles', { scope: { matter_id: 'CASE-l' } });
      expect(mistyped).toMatchObject({
        status: 400,
        json: { errors: [{ path: '/scope/matter_id', code: 'unknown' }] },
      });
    },
    MINUTE,
  );

  it(
    'a window is half-open over the effective time',
    async () => {
      const scope = { member_id: 'M-1', from: '2026-03-01T00:01:00Z', to: '2026-03-01T00:03:00Z' };
      expect(await sealed(http, { scope })).toMatchObject({ event_count: 2 });
    },
    MINUTE,
  );
});

describe('documents without content', () => {
  it(
    'lists a quarantined document without an entry, and the bundle verifies',
    async () => {
      const { document_id, sha256 } = await upload(http, programOf(1), { member_id: 'M-5' });
      const bundle = await sealed(http, { scope: { member_id: 'M-5' } });
      const zip = await download(http, bundle.bundle_id);
      const { manifest, names } = await opened(zip);
      expect(manifest.documents).toMatchObject([{ document_id, sha256, state: 'QUARANTINED' }]);
      expect(manifest.counts.quarantined).toBe(1);
      expect(names).not.toContain(`documents/${sha256}`);
      expect((await verifiedOffline(zip, ['--key', bundle.signing_key_id])).report.breaks).toEqual([]);
    },
    MINUTE,
  );
});

/** Redacts as two people do: one who drafts, and another who applies. */
async function redact(kind: string, id: string, target: object): Promise<void> {
  const drafted = await http.post('/v1/redactions', {
    subject: { kind, id },
    ...target,
    reason: 'Personal.',
    basis: 'PRIVACY',
  });
  expect(drafted.text).toContain('rdx_');
  const key = { tenant_id: tenantId, name: 'second', scopes: ['admin'] };
  const second = http.as((await http.post('/v1/api-keys', key)).json.api_key as string);
  const applied = await second.post(`/v1/redactions/${drafted.json.redaction_id}/apply`, {});
  expect(applied.status).toBe(200);
}

describe('the minimal profile', () => {
  it(
    'contains only the contract’s entries',
    async () => {
      const bundle = await sealed(http, { scope: { member_id: 'M-2' }, profile: 'minimal' });
      const zip = await download(http, bundle.bundle_id);
      expect((await opened(zip)).names).toEqual(['manifest.json', 'signature.sig', 'chain.tsv', 'events.jsonl']);
      expect((await verifiedOffline(zip, ['--key', bundle.signing_key_id])).exitCode).toBe(4);
    },
    MINUTE,
  );

  it(
    'is rejected if an event is redacted; the full profile shows the rest, and verifies',
    async () => {
      const [eventId] = await postEvents(http, [eventOf('M-7', 700)]);
      const letter = await upload(http, 'Jane Doe lives here', { member_id: 'M-7' });
      await redact('EVENT', eventId ?? '', { pointers: ['/payload/rationale'] });
      await redact('DOCUMENT', letter.document_id, { terms: ['Jane Doe'] });
      const minimal = await http.post('/v1/bundles', { scope: { member_id: 'M-7' }, profile: 'minimal' });
      expect([minimal.status, minimal.json.errors?.[0]?.path]).toEqual([400, '/profile']);
      const bundle = await sealed(http, { scope: { member_id: 'M-7' } });
      const zip = await download(http, bundle.bundle_id);
      const { manifest, text } = await opened(zip);
      expect(manifest.events).toMatchObject([{ event_id: eventId, state: 'REDACTED' }]);
      expect(await text('events.jsonl')).not.toContain('Not documented');
      // The hash of the original has no salt: it would let the hidden words be guessed. The rendition's is there.
      const [shown] = manifest.documents;
      expect([shown?.state, zip.includes(letter.sha256)]).toEqual(['REDACTED', false]);
      expect(await text('chain.tsv')).toContain(`\tREDACT\t`);
      expect(await text('chain.tsv')).toContain(`\t${shown?.sha256}\t`);
      const { report } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
      expect(report.breaks).toEqual([]);
    },
    MINUTE,
  );
});

it('records a request and its seal in the ledger of the tenant', async () => {
  const deadlineMs = Date.now() + MINUTE;
  for (;;) {
    const { json } = await http.get('/v1/events?source_system=_records&event_family=bundle&limit=500&order=asc');
    const types = json.items
      .filter((event: { payload: { bundle_id: string } }) => event.payload.bundle_id === first.bundle_id)
      .map((event: { event_type: string }) => event.event_type);
    if (types.length >= 3 || Date.now() > deadlineMs) {
      expect(types).toEqual(['bundle.requested', 'bundle.sealing', 'bundle.sealed']);
      break;
    }
    await delay(100);
  }
  expect((await requested(http, { scope: { member_id: 'M-1' } })).tenant_id).toBe(tenantId);
});
