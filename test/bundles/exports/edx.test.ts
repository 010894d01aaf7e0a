import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStoredArchive } from '../../../shared/evidence/edx/stored-archive.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { eventOf, postEvents, requested, sealed, upload } from '../bundles-kit.js';

let service: WholeService;
let http: Http;
// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
let bundle: any;

beforeAll(async () => {
  service = await startWholeService();
  ({ http } = await freshTenant(service.operator, ['admin']));
  const ids = await postEvents(
    http,
    Array.from({ length: 5 }, (_, n) => eventOf('M-1', n)),
  );
  await upload(http, 'A note.', { member_id: 'M-1', event_ids: JSON.stringify([ids[0]]) });
  bundle = await sealed(http, { scope: { member_id: 'M-1' } });
});
afterAll(() => service.stop());

const edx = (query = '', headers: Record<string, string> = {}) =>
  http.call(`/v1/bundles/${bundle.bundle_id}/edx${query}`, { headers });
const exportsInCustody = async (): Promise<{ detail: Record<string, unknown> }[]> =>
  (await http.get(`/v1/custody?subject_kind=BUNDLE&subject_id=${bundle.bundle_id}`)).json.items.filter(
    ({ action }: { action: string }) => action === 'EXPORT_EDX',
  );

/** A production volume has no manifest. */
async function volumeIn(zip: Buffer) {
  const archive = await openStoredArchive({
    sizeBytes: zip.length,
    async *read(start, end) {
      yield zip.subarray(start, end);
    },
  });
  const text = async (name: string): Promise<string> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of archive.read(name)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  };
  return { names: archive.entries.map(({ name }) => name), text };
}

describe('GET /v1/bundles/{id}/edx', () => {
  it('returns every record of the sealed archive with its control number', async () => {
    const answer = await edx();
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      edx_version: '1',
      bundle_id: bundle.bundle_id,
      worm_blob_sha256: bundle.worm_blob_sha256,
      control_numbers: { count: 6 },
      manifest: { bundle_id: bundle.bundle_id, counts: { events: 5, documents: 1 } },
    });
    const { edrm, load_files, custody, fhir } = answer.json;
    expect(edrm.Documents).toHaveLength(6);
    expect(edrm.Documents[0].Tags).toContainEqual(expect.objectContaining({ TagValue: 'prior_auth.denied' }));
    expect(edrm.Relationships).toMatchObject([{ ChildDocId: edrm.Documents.at(-1).DocID }]);
    expect(edrm.Documents.at(-1).Files).toMatchObject([{ HashType: 'SHA-256', FilePath: 'documents' }]);
    // fetch takes the byte order mark off.
    expect(load_files.dat).toBe(`\ufeff${(await edx('?format=dat')).text}`);
    expect(load_files.csv).toBe((await edx('?format=csv')).text);
    expect(custody.case_jsonld['@graph'].length).toBeGreaterThan(6);
    expect(fhir.provenance).toHaveLength(2);
    expect(fhir.audit_events).not.toEqual([]);
    // What comes later is in no export of this bundle.
    await postEvents(http, [eventOf('M-1', 99)]);
    expect((await edx()).text).toBe(answer.text);
  });

  it.each([
    ['xml', 'application/xml', '<Root '],
    ['dat', 'text/plain', '\u00feBEGDOC\u00fe'],
    ['csv', 'text/csv', 'BEGDOC,ENDDOC'],
    ['case', 'application/ld+json', '"@graph"'],
    ['fhir', 'application/fhir+json', '"resourceType":"Bundle"'],
  ])('as %s', async (format, mediaType, text) => {
    const answer = await edx(`?format=${format}&prefix=ACME-1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain(mediaType);
    expect(answer.headers.get('content-disposition')).toContain(bundle.bundle_id);
    expect(answer.text).toContain(text);
    if (format !== 'fhir') expect(answer.text).toContain('ACME-1-0000006');
  });

  it('as a production volume with the files that its load files name', async () => {
    const answer = await fetch(`${http.url}/v1/bundles/${bundle.bundle_id}/edx?format=zip`, {
      headers: { 'x-api-key': http.key ?? '' },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(answer.headers.get('content-disposition')).toContain(`${bundle.bundle_id}-VOL001.zip`);
    const volume = await volumeIn(Buffer.from(await answer.arrayBuffer()));
    const folder = (name: string) => volume.names.filter((path) => path.startsWith(`VOL001/${name}/`));
    expect([folder('NATIVES').length, folder('TEXT').length]).toEqual([6, 6]);
    expect(await volume.text(folder('TEXT').at(-1) ?? '')).toBe('A note.');
    expect(await volume.text(folder('TEXT')[0] ?? '')).toContain('payload.rationale: Not documented');
    const csv = await volume.text('VOL001/DATA/VOL001.csv');
    expect(csv).toContain(',note.txt,txt,');
    for (const path of [...folder('NATIVES'), ...folder('TEXT')]) expect(csv).toContain(path.replaceAll('/', '\\'));
    expect((await exportsInCustody()).at(-1)?.detail).toMatchObject({ format: 'zip', volume: 1 });
    expect(await edx('?format=zip&volume=2')).toMatchObject({ status: 400, json: { errors: [{ path: '/volume' }] } });
  });

  it('records custody before it responds, unless it returns no content', async () => {
    const before = (await exportsInCustody()).length;
    const given = await edx('?format=csv');
    const after = await exportsInCustody();
    expect(after).toHaveLength(before + 1);
    expect(after.at(-1)?.detail).toMatchObject({ format: 'csv', bundle_sha256: bundle.worm_blob_sha256 });
    const etag = given.headers.get('etag') ?? '';
    expect((await edx('?format=csv', { 'if-none-match': etag })).status).toBe(304);
    const head = await fetch(`${http.url}/v1/bundles/${bundle.bundle_id}/edx`, {
      method: 'HEAD',
      headers: { 'x-api-key': http.key ?? '' },
    });
    expect(head.status).toBe(200);
    expect(await exportsInCustody()).toHaveLength(before + 1);
  });

  it.each([['?format=pdf'], ['?prefix=a%20b'], ['?page=2']])('returns 400 for %s', async (query) => {
    expect(await edx(query)).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } });
  });

  it('returns 409 NOT_SEALED, 404 for an unknown bundle, and 403 without the scope', async () => {
    const fresh = await requested(http, { scope: { member_id: 'M-1' } });
    const early = await http.get(`/v1/bundles/${fresh.bundle_id}/edx`);
    expect([early.status, early.json.code]).toEqual(early.status === 200 ? [200, undefined] : [409, 'NOT_SEALED']);
    expect((await http.get('/v1/bundles/bdl_01JQ0000000000000000000001/edx')).status).toBe(404);
    const { http: reader } = await freshTenant(service.operator, ['bundles:read']);
    expect((await reader.get(`/v1/bundles/${bundle.bundle_id}/edx`)).status).toBe(403);
  });
});
