import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { delay, within } from '../../../shared/clock/timers.js';
import { freshTenant, Http } from '../../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../../support/service-process.js';
import { HAS_PYTHON } from '../../verifier/verify-kit.js';
import { download, ended, eventOf, opened, postEvents, sealed, upload } from '../bundles-kit.js';

// The whole service, eleven years ahead (test/support/clock-ahead.mjs): every bundle that would have held a disposed record
// lists its disposal.

const ELEVEN_YEARS_MS = 11 * 365.25 * 24 * 3_600_000;
const MINUTES = 60_000;
const SECRET = 'Told to nobody';

let folder: string;
let service: ServiceProcess;
let http: Http;
let ids: readonly string[];
let documentId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-disposed-'));
  service = await startServiceProcess(folder, {
    SERVICE_RATE_LIMIT_PER_MINUTE: '0',
    NODE_OPTIONS: `--import=${pathToFileURL(repositoryFile('test/support/clock-ahead.mjs')).href}`,
    CLOCK_STEP_MS: String(ELEVEN_YEARS_MS),
  });
  ({ http } = await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin', 'documents:unredacted']));
  ids = await postEvents(http, [
    eventOf('M-1', 1, { rationale: SECRET }),
    eventOf('M-1', 2, { incident_id: 'INC-1' }),
    eventOf('M-2', 3, { matter_id: 'CASE-1' }),
    eventOf('M-2', 4),
  ]);
  ({ document_id: documentId } = await upload(http, SECRET, { member_id: 'M-1' }));
  service.process.kill('SIGUSR2');
  const all = [...ids.map((id) => `/v1/events/${id}`), `/v1/documents/${documentId}`];
  if ((await within(2 * MINUTES, sweptAway(all))) === undefined) throw new Error('not disposed of in time');
  await postEvents(http, [eventOf('M-1', 5)]);
}, 5 * MINUTES);

/**
 * Sweeps until all of these are gone. The signal may be taken after the first request; and after the leap the daily sweep is
 * due as well, so that no one sweep need have disposed of everything.
 */
async function sweptAway(paths: readonly string[]): Promise<true> {
  for (;;) {
    const { status, text } = await http.post('/v1/retention/sweep', {});
    if (status !== 200) throw new Error(`not swept: ${text}`);
    const answers = await Promise.all(paths.map((path) => http.get(path)));
    if (answers.every((answer) => answer.status === 410)) return true;
    await delay(100);
  }
}

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Shipped {
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
  readonly bundle: any;
  readonly zip: Buffer;
}

async function shipped(scope: object, over: object = {}): Promise<Shipped> {
  const bundle = await sealed(http, { scope, ...over });
  return { bundle, zip: await download(http, bundle.bundle_id) };
}

/** By a program that travels in the bundle, as its recipient runs it; one of the service's own for a bundle without. */
async function verifiedBy(program: 'verify.mjs' | 'verify.py', { bundle, zip }: Shipped) {
  const place = await mkdtemp(join(folder, 'verify-'));
  const [script, file] = [join(place, program), join(place, 'bundle.zip')];
  const { names, text } = await opened(zip);
  const name = `verify/${program}`;
  await writeFile(
    script,
    names.includes(name) ? await text(name) : await readFile(repositoryFile(`dist/verifier/${program}`)),
  );
  await writeFile(file, zip);
  const command = program === 'verify.py' ? 'python3' : process.execPath;
  const words = [script, file, '--json', '--key', bundle.signing_key_id];
  return new Promise((resolve) => {
    execFile(command, words, { maxBuffer: 67_108_864 }, (error, stdout, stderr) => {
      const report = JSON.parse(stdout || '{}') as { verdict?: string; breaks?: unknown };
      resolve({ exitCode: error?.code ?? 0, verdict: report.verdict, breaks: report.breaks ?? stderr });
    });
  });
}

const WHOLE = { exitCode: 0, verdict: 'VALID', breaks: [] };
/** Of a bundle without proofs; neither verifier may find a break. */
const UNPROVEN = { exitCode: 4, verdict: 'VALID_WITH_NOTES', breaks: [] };

async function verifyBoth(all: Shipped, expected: object): Promise<void> {
  expect(await verifiedBy('verify.mjs', all)).toEqual(expected);
  if (HAS_PYTHON) expect(await verifiedBy('verify.py', all)).toEqual(expected);
}

const disposedOf = async ({ zip }: Shipped): Promise<readonly string[]> =>
  (await opened(zip)).manifest.events.filter(({ state }) => state === 'DISPOSED').map(({ event_id }) => event_id);

describe('a bundle with disposed records', () => {
  it(
    'of its member lists the line and the entry that explains it, and no disposed value',
    async () => {
      const all = await shipped({ member_id: 'M-1' });
      const { manifest, text, names } = await opened(all.zip);
      expect(manifest.counts).toMatchObject({ events: 3, documents: 1, disposed: 3 });
      expect(await disposedOf(all)).toEqual(expect.arrayContaining([ids[0], ids[1]]));
      expect(manifest.documents).toMatchObject([{ document_id: documentId, sha256: null, state: 'DISPOSED' }]);
      expect(await text('events.jsonl')).toContain(`{"event_id":"${ids[0]}","state":"DISPOSED"}\n`);
      expect(await text('chain.tsv')).toContain('\trecords.disposed\t');
      for (const name of names.slice(2)) expect(await text(name)).not.toContain(SECRET);
      expect(await verifiedBy('verify.mjs', all)).toEqual(WHOLE);
      if (HAS_PYTHON) expect(await verifiedBy('verify.py', all)).toEqual(WHOLE);
    },
    2 * MINUTES,
  );

  it.each([
    ['matter', { matter_id: 'CASE-1' }, 2],
    ['incident', { incident_id: 'INC-1' }, 1],
  ])(
    'of its %s lists the disposed record and verifies',
    async (_kind, scope, at) => {
      const all = await shipped(scope);
      expect(await disposedOf(all)).toEqual([ids[at]]);
      expect(await verifiedBy('verify.mjs', all)).toEqual(WHOLE);
    },
    2 * MINUTES,
  );

  it(
    'in any window includes them, because their time was disposed of too',
    async () => {
      const all = await shipped({ member_id: 'M-2', from: '1999-01-01T00:00:00Z', to: '1999-01-02T00:00:00Z' });
      expect([...(await disposedOf(all))].sort()).toEqual([ids[2], ids[3]].sort());
    },
    2 * MINUTES,
  );

  it('lists only its own acts: an id of another kind finds nothing', async () => {
    expect(await disposedOf(await shipped({ incident_id: 'M-1' }))).toEqual([]);
  });

  it('is rejected with the minimal profile', async () => {
    const { status, json } = await http.post('/v1/bundles', { scope: { member_id: 'M-1' }, profile: 'minimal' });
    expect([status, json.errors?.[0]?.path]).toEqual([400, '/profile']);
  });
});

describe('a bundle with a stated purpose and disposed records', () => {
  const deny = (member_id: string, purpose: string) =>
    http.post('/v1/consent', { member_id, decision: 'DENY', purpose, categories: ['clinical'] });

  it(
    'lists a record if no denial applies to that purpose, and has the same content when rebuilt',
    async () => {
      const all = await shipped({ member_id: 'M-1' }, { purpose: 'TREATMENT' });
      const { manifest, text } = await opened(all.zip);
      expect([...(await disposedOf(all))].sort()).toEqual([ids[0], ids[1]].sort());
      expect(manifest.counts).toMatchObject({ events: 3, documents: 1, disposed: 3 });
      expect(manifest.consent).toEqual({ purpose: 'TREATMENT', withheld: [] });
      expect(all.bundle.withheld).toBeUndefined();
      expect(await text('events.jsonl')).toContain(`{"event_id":"${ids[0]}","state":"DISPOSED"}\n`);
      expect(await text('chain.tsv')).toContain('\trecords.disposed\t');
      await verifyBoth(all, WHOLE);
      const { json } = await http.post(`/v1/bundles/${all.bundle.bundle_id}/regenerate`, {});
      const again = await ended(http, json.bundle_id);
      const rebuilt = await opened(await download(http, again.bundle_id));
      expect(rebuilt.manifest.consent).toEqual(manifest.consent);
      expect(rebuilt.manifest.content_digest).toBe(manifest.content_digest);
    },
    2 * MINUTES,
  );

  it(
    'leaves out a record under any denial of its member, because its categories are unknown, and counts it',
    async () => {
      expect((await deny('M-1', 'RESEARCH')).status).toBe(200);
      const all = await shipped({ member_id: 'M-1' }, { purpose: 'RESEARCH' });
      const { manifest, names, text } = await opened(all.zip);
      // Today's event is not clinical; the document still shows its category.
      expect(manifest.counts).toMatchObject({ events: 1, documents: 1, disposed: 1 });
      expect(manifest.events.map(({ state }) => state)).toEqual(['INCLUDED']);
      const withheld = [{ reason: 'CONSENT_DENIED', events: 2, documents: 0 }];
      expect(manifest.consent).toEqual({ purpose: 'RESEARCH', withheld });
      expect(all.bundle.withheld).toEqual({ count: 2, reason: 'CONSENT_DENIED' });
      for (const name of names) for (const id of ids.slice(0, 2)) expect(await text(name)).not.toContain(id);
      await verifyBoth(all, WHOLE);
    },
    2 * MINUTES,
  );

  it(
    'omits the proofs only if it omits every record that needs them',
    async () => {
      const minimal = { scope: { member_id: 'M-2' }, profile: 'minimal', purpose: 'RESEARCH' };
      const before = await http.post('/v1/bundles', minimal);
      expect([before.status, before.json.code, before.json.errors?.[0]?.path]).toEqual([
        400,
        'VALIDATION_ERROR',
        '/profile',
      ]);
      expect((await deny('M-2', 'RESEARCH')).status).toBe(200);
      const [id] = await postEvents(http, [eventOf('M-2', 6)]);
      const all = await shipped(minimal.scope, minimal);
      const { manifest, names } = await opened(all.zip);
      expect(names).toEqual(['manifest.json', 'signature.sig', 'chain.tsv', 'events.jsonl']);
      expect(manifest.events.map(({ event_id, state }) => [event_id, state])).toEqual([[id, 'INCLUDED']]);
      const withheld = [{ reason: 'CONSENT_DENIED', events: 2, documents: 0 }];
      expect(manifest.consent).toEqual({ purpose: 'RESEARCH', withheld });
      await verifyBoth(all, UNPROVEN);
    },
    2 * MINUTES,
  );
});
