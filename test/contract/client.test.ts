import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryRoot } from '../../app/repository.js';
import { type ApiClient, createApiClient, downloadBundle, ingestRaw, unwrap } from '../../client/index.js';
import { ended } from '../bundles/bundles-kit.js';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const MESSAGE = 'MSH|^~\\&|LAB|X|EAS|Y|20260302141109||ADT^A01|42|P|2.5\rPID|1||M-77^^^X^MR||Doe^J\r';

let service: WholeService;
let http: Http;
let client: ApiClient;
beforeAll(async () => {
  service = await startWholeService();
  ({ http } = await freshTenant(service.operator, ['admin']));
  client = createApiClient({ baseUrl: http.url, apiKey: http.key ?? '' });
}, 180_000);
afterAll(() => service.stop());

describe('the typed client', () => {
  it('is imported by the name of the package', async () => {
    const program =
      "import { createApiClient, ingestRaw } from 'evidentiary-audit-service/client';console.log(typeof ingestRaw)";
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repositoryRoot() });
    expect(stdout.trim()).toBe('function');
  });

  it('sends raw messages as they are, text and bytes', async () => {
    const sent = await ingestRaw(client, MESSAGE, { sourceSystem: 'lab' });
    expect(sent).toMatchObject({ format: 'hl7v2', accepted: 1 });
    const again = await ingestRaw(client, new TextEncoder().encode(MESSAGE), { sourceSystem: 'lab', format: 'hl7v2' });
    expect(again).toMatchObject({ accepted: 0, duplicated: 1 });
  });

  it('downloads a sealed bundle as a stream, and throws the error of another one', async () => {
    const made = await unwrap(client.POST('/v1/bundles', { body: { scope: { member_id: 'M-77' } } }));
    await ended(http, made.bundle_id);
    const bytes = await new Response(await downloadBundle(client, made.bundle_id)).arrayBuffer();
    expect(Buffer.from(bytes).subarray(0, 2).toString()).toBe('PK');
    const missing = downloadBundle(client, 'bdl_01JQ0000000000000000000009');
    await expect(missing).rejects.toMatchObject({ name: 'ApiError', code: 'NOT_FOUND', status: 404 });
  });
});
