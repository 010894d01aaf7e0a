import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFile } from '../../app/repository.js';
import { within } from '../../shared/clock/timers.js';
import { openStoredArchive } from '../../shared/evidence/edx/stored-archive.js';
import type { Http } from '../support/http.js';
import type { BundleManifest } from '../verifier/bundle-texts.js';

const DEADLINE_MS = 150_000;
const POLL_MS = 50;

/** An event of a member; `n` makes it another one. */
export const eventOf = (memberId: string, n: number, payload: Record<string, unknown> = {}) => ({
  event_family: 'utilization_management',
  event_type: 'prior_auth.denied',
  source_system: n % 3 === 0 ? 'claims' : 'um-core',
  source_record_id: `PA-${n}`,
  member_id: memberId,
  event_effective_timestamp: new Date(Date.UTC(2026, 2, 1, 0, n)).toISOString(),
  outcome: 'DENIED',
  payload: { rationale: `Not documented\t${n}`, carc: ['50'], ...payload },
});

export async function postEvents(http: Http, events: readonly unknown[]): Promise<readonly string[]> {
  const answer = await http.post('/v1/events', { events });
  if (answer.status !== 200) throw new Error(`not taken: ${answer.text}`);
  return answer.json.results.map(({ event_id }: { event_id: string }) => event_id);
}

export interface Uploaded {
  readonly document_id: string;
  readonly sha256: string;
}

export async function upload(
  http: Http,
  content: string | Uint8Array,
  fields: Readonly<Record<string, string>>,
): Promise<Uploaded> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([content as never], { type: 'text/plain' }), 'note.txt');
  const response = await fetch(`${http.url}/v1/documents`, {
    method: 'POST',
    headers: { 'x-api-key': http.key ?? '' },
    body: form,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`not uploaded: ${text}`);
  return JSON.parse(text) as Uploaded;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
export async function requested(http: Http, body: unknown): Promise<any> {
  const answer = await http.post('/v1/bundles', body);
  if (answer.status !== 201) throw new Error(`not requested: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** Polls until the bundle is no longer REQUESTED. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
export async function ended(http: Http, bundleId: string, deadlineMs = DEADLINE_MS): Promise<any> {
  const polling = (async () => {
    for (;;) {
      const { json } = await http.get(`/v1/bundles/${bundleId}`);
      if (json.status !== 'REQUESTED') return json;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  })();
  const found = await within(deadlineMs, polling);
  if (found === undefined) throw new Error('the bundle was not built in time');
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
export async function sealed(http: Http, body: unknown): Promise<any> {
  const bundle = await ended(http, (await requested(http, body)).bundle_id);
  if (bundle.status !== 'SEALED') throw new Error(`not sealed: ${JSON.stringify(bundle)}`);
  return bundle;
}

export async function download(http: Http, bundleId: string): Promise<Buffer> {
  const response = await fetch(`${http.url}/v1/bundles/${bundleId}/download`, {
    headers: { 'x-api-key': http.key ?? '' },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`no download: ${bytes.toString()}`);
  return bytes;
}

export interface OpenedBundle {
  readonly names: readonly string[];
  readonly manifest: BundleManifest;
  text(name: string): Promise<string>;
}

export async function opened(zip: Buffer): Promise<OpenedBundle> {
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
  return {
    names: archive.entries.map(({ name }) => name),
    manifest: JSON.parse(await text('manifest.json')) as BundleManifest,
    text,
  };
}

export interface Verified {
  readonly exitCode: number;
  // biome-ignore lint/suspicious/noExplicitAny: a report is what the test is about to judge.
  readonly report: any;
}

/** As a recipient would, with the file that travels in the bundle. */
export async function verifiedOffline(zip: Buffer, options: readonly string[] = []): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-verify-'));
  try {
    const path = join(folder, 'bundle.zip');
    await writeFile(path, zip);
    const verifier = repositoryFile('dist/verifier/verify.mjs');
    return await new Promise((resolve, reject) => {
      const options_ = { maxBuffer: 67_108_864 };
      execFile(process.execPath, [verifier, path, '--json', ...options], options_, (error, stdout) => {
        const exitCode = error === null ? 0 : error.code;
        if (typeof exitCode !== 'number') reject(error);
        else resolve({ exitCode, report: JSON.parse(stdout) });
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
