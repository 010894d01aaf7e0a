import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { delay } from '../../shared/clock/timers.js';
import { envelope } from '../support/envelopes.js';
import { type Answer, freshTenant, Http } from '../support/http.js';
import { type ServiceProcess, startServiceProcess, TEST_OPERATOR_KEY } from '../support/service-process.js';
import { startWitness, type WitnessProcess } from '../support/witness-process.js';

// `npm start` with its signer as a child: what an attacker, a crash or an operator does to either folder.

let root: string;
let cases = 0;
let running: ServiceProcess[] = [];
const signers: ChildProcess[] = [];
const witnesses: WitnessProcess[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'signer-service-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.kill()));
  for (const signer of signers.splice(0)) signer.kill('SIGKILL');
});
afterAll(async () => {
  for (const one of witnesses) await one.stop();
  await rm(root, { recursive: true, force: true });
});

const freshData = (): string => join(root, `data${cases++}`);

async function start(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const started = await startServiceProcess(dataDir, env);
  running.push(started);
  return started;
}

/** SERVICE_MODE=signer: the process that holds the keys of services that run elsewhere. */
function startSigner(dataDir: string): ChildProcess {
  const child = spawn(process.execPath, [repositoryFile('dist/app/main.js')], {
    env: { SERVICE_MODE: 'signer', SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent' },
    stdio: 'inherit',
  });
  signers.push(child);
  return child;
}

async function end(service: ServiceProcess): Promise<void> {
  running = running.filter((one) => one !== service);
  await service.stop();
}

async function until(call: () => Promise<Answer>, isIt: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (isIt(answer)) return answer;
    await delay(100);
  }
}

const latest = (http: Http) => http.get('/v1/ledger/checkpoints/latest');
const ready = (http: Http) => http.get('/v1/healthz/ready');

/** A tenant with an event that a checkpoint covers. */
async function noted(service: ServiceProcess, tenant?: Http): Promise<{ readonly http: Http; readonly size: number }> {
  const http = tenant ?? (await freshTenant(new Http(service.url, TEST_OPERATOR_KEY), ['admin'])).http;
  const { json } = await http.post('/v1/events', envelope(`n${cases++}`));
  await until(
    () => http.get(`/v1/events/${json.event_id}/proof`),
    ({ status }) => status === 200,
  );
  return { http, size: (await latest(http)).json.tree_size };
}

const regress = (http: Http) =>
  until(
    () => http.get('/v1/exceptions?kind=CHECKPOINT_REGRESS&status=OPEN'),
    ({ json }) => json.items?.length > 0,
  );

/** Replaces each newest note by a text that no key signed. */
async function overwriteNotes(folder: string): Promise<void> {
  for (const file of await readdir(folder, { recursive: true }))
    if (file.endsWith('/checkpoint')) await writeFile(join(folder, file), 'another history\n');
}

describe('the signer of a service', () => {
  it('has every private key; the data folder and the database have none', async () => {
    const data = freshData();
    const service = await start(data);
    await noted(service);
    expect(await readdir(data)).not.toContain('master.key');
    const kept = await readdir(`${data}-signer`);
    expect(kept).toEqual(expect.arrayContaining(['keys', 'master.key', 'signatures.log', 'wrapping.key']));
    expect(await readdir(join(`${data}-signer`, 'keys'))).not.toEqual([]);
  });

  it('comes back after a kill, and the service keeps working', async () => {
    const data = freshData();
    const service = await start(data);
    const { http, size } = await noted(service);
    const { pid } = JSON.parse(await readFile(join(`${data}-signer`, 'pid.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    const after = await noted(service, http);
    expect(after.size).toBeGreaterThan(size);
    expect((await ready(http)).json).toMatchObject({ status: 'ok', checks: { signer: { status: 'ok' } } });
  });

  it('is missed in readiness and signs nothing while it is away; events and reads go on', async () => {
    const data = freshData();
    const alone = startSigner(data);
    const service = await start(data, { SERVICE_SIGNER_START: 'never' });
    const { http, size } = await noted(service);
    alone.kill('SIGKILL');
    const away = await until(
      () => ready(http),
      ({ json }) => json.checks.signer.status === 'failed',
    );
    expect([away.status, away.json.status]).toEqual([200, 'ok']);
    const { json } = await http.post('/v1/events', envelope('while it is away'));
    expect((await http.get(`/v1/events/${json.event_id}`)).status).toBe(200);
    expect((await latest(http)).json.tree_size).toBe(size);
    expect(service.output().match(/the signer does not answer/g)).toHaveLength(1);
    startSigner(data);
    expect((await noted(service, http)).size).toBeGreaterThan(size);
  });
});

/** The three folders of a deployment, each from one of two times. */
const PARTS = { data: '', signer: '-signer', checkpoints: '-checkpoints' } as const;
type Part = keyof typeof PARTS;
type From = 'before' | 'after' | 'nothing' | 'other notes';

describe('folders that were set back', () => {
  let key: string;
  let witness: string;
  /** Sizes of the published trees. */
  let sizes: { readonly before: number; readonly after: number };

  const copyOf = (time: string, part: Part): string => join(root, `${time}${PARTS[part]}`);
  const copied = async (from: string, to: string): Promise<void> => {
    for (const part of Object.keys(PARTS) as Part[])
      await cp(`${from}${PARTS[part]}`, `${to}${PARTS[part]}`, {
        recursive: true,
        filter: (path) => !path.endsWith('.sock'),
      });
  };

  beforeAll(async () => {
    const data = freshData();
    const first = await start(data);
    const early = await noted(first);
    key = early.http.key ?? '';
    const { verifier_key } = (await latest(early.http)).json;
    await end(first);
    await copied(data, copyOf('before', 'data'));
    const started = await startWitness(root, [verifier_key]);
    witnesses.push(started);
    witness = started.entry;
    const second = await start(data, { SERVICE_WITNESSES: witness });
    const late = await noted(second, new Http(second.url, key));
    expect((await latest(late.http)).json.witnesses).toEqual(['witness.example/w1']);
    await end(second);
    await copied(data, copyOf('after', 'data'));
    sizes = { before: early.size, after: late.size };
  });

  async function startOf(from: Readonly<Record<Part, From>>, env: Readonly<Record<string, string>>): Promise<Http> {
    const data = freshData();
    for (const part of Object.keys(PARTS) as Part[]) {
      if (from[part] === 'nothing') continue;
      const time = from[part] === 'other notes' ? 'after' : from[part];
      await cp(copyOf(time, part), `${data}${PARTS[part]}`, { recursive: true });
    }
    if (from.checkpoints === 'other notes') await overwriteNotes(`${data}${PARTS.checkpoints}`);
    return new Http((await start(data, env)).url, key);
  }

  it.each<[From, From, From, boolean, string]>([
    ['before', 'after', 'after', false, 'TREE_(SMALLER|CHANGED)'],
    ['before', 'after', 'nothing', false, 'TREE_(SMALLER|CHANGED)'],
    ['before', 'before', 'after', false, 'TREE_(SMALLER|CHANGED)'],
    ['before', 'before', 'before', true, 'WITNESS_AHEAD'],
    ['after', 'after', 'other notes', false, 'FILE_NOTE_INVALID'],
  ])(
    'data from %s, signer from %s, checkpoints from %s, a witness: %s: is named %s, and nothing is signed over it',
    async (data, signer, checkpoints, isWitnessed, reason) => {
      const http = await startOf({ data, signer, checkpoints }, isWitnessed ? { SERVICE_WITNESSES: witness } : {});
      await http.post('/v1/events', envelope('after the roll back'));
      expect((await regress(http)).json.items[0].detail).toMatchObject({
        reason: expect.stringMatching(new RegExp(`^${reason}$`)),
      });
      expect((await latest(http)).json.tree_size).toBe(data === 'before' ? sizes.before : sizes.after);
      const { verdict, breaks } = (await http.get('/v1/ledger/verify')).json;
      expect(verdict).toBe('INVALID');
      expect(breaks.map(({ kind }: { kind: string }) => kind)).toContain('CHECKPOINT_REGRESS');
    },
  );

  it.each<[From, From, From]>([
    ['after', 'after', 'nothing'],
    ['after', 'before', 'after'],
  ])('data from %s, signer from %s, checkpoints from %s: the history continues', async (data, signer, checkpoints) => {
    const http = await startOf({ data, signer, checkpoints }, {});
    const { json } = await http.post('/v1/events', envelope('goes on'));
    await until(
      () => http.get(`/v1/events/${json.event_id}/proof`),
      ({ status }) => status === 200,
    );
    expect((await latest(http)).json.tree_size).toBeGreaterThan(sizes.after);
    expect((await http.get('/v1/ledger/verify')).json.verdict).toBe('VALID_UNANCHORED');
  });

  it.each<[string, (data: string) => Record<string, string>, RegExp]>([
    ['of data in clear', () => ({ SERVICE_ENCRYPT_AT_REST: 'false' }), /the folder of the signer is another/],
    [
      'of encrypted data, whose keys are elsewhere',
      (data) => ({
        SERVICE_DATA_KEYS_FILE: `${data}-data-keys.json`,
        SERVICE_CONTENT_KEYS_FILE: `${data}-content-keys.json`,
      }),
      /the folder of the signer is another/,
    ],
    [
      'of encrypted data, with the content keys in it',
      (data) => ({ SERVICE_DATA_KEYS_FILE: `${data}-data-keys.json` }),
      /the write-once store is encrypted and its keys are missing/,
    ],
    [
      'of encrypted data, with the data keys in it',
      () => ({}),
      /is encrypted and its keys in \S+-signer\/data-keys\.json/,
    ],
  ])('an empty folder in place of the signer %s is refused, and named', async (_, settingsOf, refusal) => {
    const data = freshData();
    const settings = settingsOf(data);
    const first = await start(data, settings);
    await noted(first);
    await end(first);
    await rm(`${data}-signer`, { recursive: true });
    await expect(startServiceProcess(data, settings)).rejects.toThrow(refusal);
  });
});

describe('npm run signer', () => {
  const run = (data: string, ...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [repositoryFile('dist/app/commands/signer.js'), ...args], {
      env: { SERVICE_DATA_DIR: data },
    });

  it('move is refused while a service runs, and changes nothing where there is nothing to move', async () => {
    const data = freshData();
    const service = await start(data);
    await noted(service);
    await expect(run(data, 'move')).rejects.toThrow('stop the service first');
    await end(service);
    expect((await run(data, 'move')).stdout).toMatch(/moved 0 signing keys/);
  });

  it.each([[['accept', 'no-origin', '--reason', 'x']], [['accept', 'a/inc-2']], [['nothing']]])(
    'refuses %j with its usage',
    async (args) => {
      await expect(run(freshData(), ...args)).rejects.toThrow('usage: npm run signer');
    },
  );
});
