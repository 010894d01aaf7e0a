import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { download, eventOf, opened, postEvents, requested, sealed, upload, verifiedOffline } from './bundles-kit.js';

const SCOPES = [
  'events:read',
  'events:write',
  'bundles:read',
  'bundles:request',
  'bundles:export',
  'matters:write',
  'matters:read',
  'documents:write',
  'members:write',
  'members:read',
];

let service: WholeService;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  service = await startWholeService();
  ({ http, tenantId } = await freshTenant(service.operator, SCOPES));
}, 180_000);

afterAll(() => service.stop());

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

describe('a bundle over a member', () => {
  test('holds the events and documents of the member, and verifies offline with the pinned key', async () => {
    const events = Array.from({ length: 40 }, (_, n) => eventOf(n % 2 === 0 ? 'M-1' : 'M-2', n));
    const ids = await postEvents(http, events);
    const { document_id, sha256: hash } = await upload(http, 'A note on the denial.', { member_id: 'M-1' });
    const bundle = await sealed(http, { scope: { member_id: 'M-1' }, requested_by: 'counsel' });
    expect(bundle).toMatchObject({
      bundle_type: 'MEMBER',
      event_count: 20,
      document_count: 1,
      requested_by: 'counsel',
    });
    const zip = await download(http, bundle.bundle_id);
    expect(sha256(zip)).toBe(bundle.worm_blob_sha256);
    const { names, manifest } = await opened(zip);
    expect(names).toEqual([
      'manifest.json',
      'signature.sig',
      'chain.tsv',
      'events.jsonl',
      `documents/${hash}`,
      'proofs/checkpoint.note',
      'proofs/ledger.tsv',
      'proofs/inclusion.jsonl',
      'certificate/fre-902.txt',
      'verify/README.txt',
      'verify/verify.mjs',
      'verify/verify.py',
    ]);
    expect(manifest.events.map(({ event_id }) => event_id).sort()).toEqual(ids.filter((_, n) => n % 2 === 0).sort());
    expect(manifest.documents).toMatchObject([{ document_id, sha256: hash, state: 'INCLUDED' }]);
    const { exitCode, report } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
    expect({ exitCode, breaks: report.breaks, verdict: report.verdict }).toEqual({
      exitCode: 0,
      breaks: [],
      verdict: 'VALID',
    });
  });

  test('of two records that are one person holds what either was written with, whichever is asked for', async () => {
    for (const member_id of ['M-kept', 'M-away']) {
      expect((await http.post('/v1/members', { member_id, name: { family: 'Okafor' } })).status).toBe(200);
    }
    expect((await http.post('/v1/members/M-kept/merge', { source_member_id: 'M-away' })).status).toBe(200);
    await postEvents(http, [eventOf('M-kept', 900), eventOf('M-away', 901), eventOf('M-other', 902)]);
    await upload(http, 'For the one who was merged away.', { member_id: 'M-away' });
    for (const member_id of ['M-kept', 'M-away']) {
      const bundle = await sealed(http, { scope: { member_id } });
      expect(bundle).toMatchObject({ event_count: 2, document_count: 1, scope: { member_id } });
      const zip = await download(http, bundle.bundle_id);
      expect((await opened(zip)).manifest.scope.member_ids).toEqual(['M-away', 'M-kept']);
      const { exitCode } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
      expect(exitCode).toBe(0);
    }
  }, 120_000);

  test('of whom nothing is known is sealed empty', async () => {
    const bundle = await sealed(http, { scope: { member_id: 'M-nobody' } });
    expect(bundle).toMatchObject({ event_count: 0, document_count: 0 });
    const zip = await download(http, bundle.bundle_id);
    const { exitCode } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
    expect(exitCode).toBe(0);
  });
});

test('a request is answered 201 with bundle_id and status REQUESTED', async () => {
  const bundle = await requested(http, { scope: { member_id: 'M-1', tenant_id: tenantId }, bundle_type: 'MEMBER' });
  expect(bundle).toMatchObject({ status: 'REQUESTED', tenant_id: tenantId, scope: { member_id: 'M-1' } });
  expect(bundle.bundle_id).toMatch(/^bdl_/);
});
