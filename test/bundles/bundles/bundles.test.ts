import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
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
  it('contains the events and documents of the member, and verifies offline with the pinned key', async () => {
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
      'proofs/sealing.json',
      'chain.tsv',
      'events.jsonl',
      `documents/${hash}`,
      'proofs/checkpoint.note',
      'proofs/ledger.tsv',
      'proofs/inclusion.jsonl',
      'proofs/facts.jsonl',
      'proofs/map.jsonl',
      'proofs/logs.tsv',
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

  it('contains the records of both ids of a merged person, whichever is requested', async () => {
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
  });

  it('with large documents is stored by the thread, and verifies', async () => {
    const parts = [9, 9, 0].map((mebibytes, n) => Buffer.alloc(mebibytes * 1_048_576 + n, n + 1));
    for (const part of parts) await upload(http, part, { member_id: 'M-large' });
    await postEvents(http, [eventOf('M-large', 950)]);
    const bundle = await sealed(http, { scope: { member_id: 'M-large' } });
    expect(bundle).toMatchObject({ event_count: 1, document_count: parts.length });
    const zip = await download(http, bundle.bundle_id);
    expect(sha256(zip)).toBe(bundle.worm_blob_sha256);
    const { exitCode, report } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
    expect({ exitCode, breaks: report.breaks }).toEqual({ exitCode: 0, breaks: [] });
  });

  it('is sealed empty for an unknown member', async () => {
    const bundle = await sealed(http, { scope: { member_id: 'M-nobody' } });
    expect(bundle).toMatchObject({ event_count: 0, document_count: 0 });
    const zip = await download(http, bundle.bundle_id);
    const { exitCode } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
    expect(exitCode).toBe(0);
  });
});

it('returns 201 with bundle_id and status REQUESTED', async () => {
  const bundle = await requested(http, { scope: { member_id: 'M-1', tenant_id: tenantId }, bundle_type: 'MEMBER' });
  expect(bundle).toMatchObject({ status: 'REQUESTED', tenant_id: tenantId, scope: { member_id: 'M-1' } });
  expect(bundle.bundle_id).toMatch(/^bdl_/);
});

describe('a bundle with a stated purpose', () => {
  const SECRET = { sensitivity: ['42CFR2'] };
  const PURPOSE = { scope: { member_id: 'P-1' }, purpose: 'Treatment' };
  let own: Http;
  let [open, secret]: string[] = [];
  let documents: { id: string; withheld: boolean }[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
  let bundle: any;
  let zip: Buffer;

  beforeAll(async () => {
    ({ http: own } = await freshTenant(service.operator, ['admin']));
    [open, secret] = await postEvents(own, [eventOf('P-1', 1), eventOf('P-1', 2, SECRET)]);
    const uploads: [Record<string, string>, boolean][] = [
      [{ member_id: 'P-1' }, false],
      [{ member_id: 'P-1', tags: '42CFR2' }, true],
      [{ event_ids: JSON.stringify([secret]) }, true],
      [{ member_id: 'P-1', event_ids: JSON.stringify([open, secret]) }, false],
    ];
    documents = [];
    for (const [n, [fields, withheld]] of uploads.entries()) {
      documents.push({ id: (await upload(own, `Note ${n}`, fields)).document_id, withheld });
    }
    bundle = await sealed(own, PURPOSE);
    zip = await download(own, bundle.bundle_id);
  });

  it('contains the records that consent permits, and only counts of the rest', async () => {
    expect(bundle).toMatchObject({ purpose: 'TREATMENT', event_count: 1, document_count: 2 });
    expect(bundle.withheld).toEqual({ count: 3, reason: '42CFR2' });
    const { manifest, names, text } = await opened(zip);
    expect(manifest.consent).toEqual({
      purpose: 'TREATMENT',
      withheld: [{ reason: '42CFR2', events: 1, documents: 2 }],
    });
    expect(manifest.events.map(({ event_id }) => event_id)).toEqual([open]);
    const given = documents.filter(({ withheld }) => !withheld).map(({ id }) => id);
    expect(manifest.documents.map(({ document_id }) => document_id).sort()).toEqual(given.sort());
    expect(manifest.documents.flatMap(({ referenced_by }) => referenced_by)).toEqual([open]);
    const all = (await Promise.all(names.slice(0, 8).map((name) => text(name)))).join();
    for (const id of [open, ...given]) expect(all).toContain(id);
    for (const id of [secret, ...documents.filter(({ withheld }) => withheld).map((one) => one.id)]) {
      expect(all).not.toContain(id);
    }
    const certificate = (await text('certificate/fre-902.txt')).replaceAll(/\s+/g, ' ');
    expect(certificate).toContain('Purpose: TREATMENT Not included: 1 events, 2 documents (42CFR2)');
  });

  it('verifies offline and in place, and states its purpose', async () => {
    const { exitCode, report } = await verifiedOffline(zip, ['--key', bundle.signing_key_id]);
    expect({ exitCode, breaks: report.breaks }).toEqual({ exitCode: 0, breaks: [] });
    expect(report.bundle.consent).toEqual((await opened(zip)).manifest.consent);
    const inPlace = await own.post(`/v1/bundles/${bundle.bundle_id}/verify-signature`, {});
    expect(inPlace.json).toMatchObject({ valid: true });
  });

  it('differs from a bundle without a purpose, which contains everything and no consent section', async () => {
    const whole = await sealed(own, { scope: PURPOSE.scope });
    expect(whole).toMatchObject({ event_count: 2, document_count: 4 });
    expect(Object.keys(whole)).not.toEqual(expect.arrayContaining(['purpose']));
    const { manifest, text } = await opened(await download(own, whole.bundle_id));
    expect(manifest.consent).toBeUndefined();
    expect(await text('certificate/fre-902.txt')).not.toContain('Purpose');
    const diff = await own.get(`/v1/bundles/${bundle.bundle_id}/diff?against=${whole.bundle_id}`);
    expect([diff.status, diff.json.code]).toEqual([409, 'SCOPE_MISMATCH']);
  });

  it('checks consent again when it is regenerated', async () => {
    const permit = { member_id: 'P-1', decision: 'PERMIT', purpose: 'TREATMENT', categories: ['42CFR2'] };
    expect((await own.post('/v1/consent', permit)).status).toBe(200);
    const again = await own.post(`/v1/bundles/${bundle.bundle_id}/regenerate`, {});
    const later = await ended(own, again.json.bundle_id);
    expect(later).toMatchObject({ status: 'SEALED', purpose: 'TREATMENT', event_count: 2, document_count: 4 });
    expect(later.withheld).toBeUndefined();
    const diff = await own.get(`/v1/bundles/${later.bundle_id}/diff?against=${bundle.bundle_id}`);
    expect(diff.json.events).toEqual({ added: [secret], removed: [], changed: [] });
    const others = await sealed(own, { ...PURPOSE, purpose: 'RESEARCH' });
    expect(others.withheld).toEqual({ count: 3, reason: '42CFR2' });
  });

  it('applies the consent of each member of a matter separately', async () => {
    const [theirs] = await postEvents(own, [eventOf('P-2', 3)]);
    await own.post('/v1/consent', { member_id: 'P-2', decision: 'DENY', purpose: '*' });
    const matter = { name: 'Case', kind: 'AUDIT', member_ids: ['P-1', 'P-2'] };
    const { matter_id } = (await own.post('/v1/legal-matters', matter)).json;
    const found = await sealed(own, { scope: { matter_id }, purpose: 'TREATMENT' });
    expect(found).toMatchObject({ event_count: 2, withheld: { count: 1, reason: 'CONSENT_DENIED' } });
    const { manifest } = await opened(await download(own, found.bundle_id));
    expect(manifest.events.map(({ event_id }) => event_id)).not.toContain(theirs);
    const empty = await sealed(own, { scope: { member_id: 'P-2' }, purpose: 'TREATMENT' });
    expect(empty).toMatchObject({ event_count: 0, document_count: 0, withheld: { count: 1 } });
    const { exitCode } = await verifiedOffline(await download(own, empty.bundle_id), ['--key', empty.signing_key_id]);
    expect(exitCode).toBe(0);
  });

  it('checks consent for the recipient as well as the requester', async () => {
    await postEvents(own, [eventOf('P-3', 4)]);
    const deny = { member_id: 'P-3', decision: 'DENY', purpose: 'TREATMENT', actors: ['counsel'] };
    expect((await own.post('/v1/consent', deny)).status).toBe(200);
    const counts = async (over: object) =>
      (await sealed(own, { scope: { member_id: 'P-3' }, purpose: 'TREATMENT', ...over })).event_count;
    expect([await counts({}), await counts({ requested_by: 'counsel' })]).toEqual([1, 0]);
  });

  it('is rejected for an unknown purpose', async () => {
    const { status, json } = await own.post('/v1/bundles', { ...PURPOSE, purpose: 'no purpose' });
    expect([status, json.errors?.[0]?.path]).toEqual([400, '/purpose']);
  });
});
