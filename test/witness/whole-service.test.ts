import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { delay } from '../../shared/clock/timers.js';
import { verifyConsistency } from '../../shared/merkle/verify-proofs.js';
import { parseVerifier } from '../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../shared/notes/open-checkpoint.js';
import { verifyTlogProof } from '../shared/notes/read-tlog-proof.js';
import { envelope } from '../support/envelopes.js';
import { type Answer, freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { startWitness, type WitnessProcess } from '../support/witness-process.js';

// What an auditor and a witness do from outside, on the running service, with its routes and keys alone.

const DEADLINE_MS = 150_000;
const TEXT = { accept: 'text/plain' };
let service: WholeService;
let http: Http;
let folder: string;
const witnesses: WitnessProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whole-witness-'));
  service = await startWholeService({ SERVICE_CHECKPOINT_DIR: join(folder, 'notes') });
  http = (await freshTenant(service.operator, ['admin'])).http;
});
afterAll(async () => {
  for (const witness of witnesses) await witness.stop();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function until(call: () => Promise<Answer>, isIt: (answer: Answer) => boolean): Promise<Answer> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await call();
    if (isIt(answer) || Date.now() > deadlineMs) return answer;
    await delay(100);
  }
}

const post = async (n: number): Promise<string> => String((await http.post('/v1/events', envelope(n))).json.event_id);
const proven = (eventId: string): Promise<Answer> =>
  until(
    () => http.get(`/v1/events/${eventId}/proof`),
    ({ status }) => status !== 409,
  );

/** The word of who may enter the signer's folder. */
const accept = (origin: string): Promise<unknown> =>
  promisify(execFile)(
    process.execPath,
    [repositoryFile('dist/app/commands/signer.js'), 'accept', origin, '--reason', 'Restored in a test.'],
    { env: { SERVICE_DATA_DIR: service.dataDir } },
  );

describe('a service with witnessed checkpoints', () => {
  it('proves an event to a caller with its key, in JSON and as plain text', async () => {
    const eventId = await post(1);
    const answer = await proven(eventId);
    expect(answer.status).toBe(200);
    const { checkpoint, tlog_proof, tree_index, entry_hash } = answer.json;
    const event = (await http.get(`/v1/events/${eventId}`)).json;
    expect(event).toMatchObject({ tree_index, entry_hash });
    const trust = { logKeys: [parseVerifier(checkpoint.verifier_key)], origin: checkpoint.origin };
    expect(verifyTlogProof(tlog_proof, Buffer.from(event.entry_hash, 'hex'), trust).index).toBe(tree_index);
    const bare = await http.get(`/v1/events/${eventId}/proof`, TEXT);
    expect(bare.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(verifyTlogProof(bare.text, Buffer.from(event.entry_hash, 'hex'), trust).index).toBe(tree_index);
    // The published set of keys contains the same key.
    const jwks = (await http.get('/v1/signing-keys/jwks')).json;
    const jwk = jwks.keys.find(({ kid }: { kid: string }) => kid === checkpoint.key_id);
    expect(Buffer.from(jwk.x, 'base64url')).toEqual(trust.logKeys[0]?.publicKey);
  });

  it('answers requests for which it has no proof', async () => {
    expect((await http.get('/v1/events/evt_01JQ0000000000000000000001/proof')).status).toBe(404);
    expect((await http.get('/v1/ledger/checkpoints/chk_01JQ0000000000000000000001')).status).toBe(404);
    const listed = (await http.get('/v1/ledger/checkpoints')).json;
    const [latest] = listed.items;
    const beyond = `/v1/ledger/consistency?first=${latest.tree_size}&second=${latest.tree_size + 1_000_000}`;
    expect((await http.get(beyond)).status).toBe(400);
    expect((await http.get(`/v1/ledger/consistency?first=2&second=1`)).status).toBe(400);
    const one = await http.get(`/v1/ledger/checkpoints/${latest.checkpoint_id}`);
    expect(one.json).toEqual(latest);
    expect((await http.get(`/v1/ledger/checkpoints/${latest.checkpoint_id}`, TEXT)).text).toBe(latest.note);
    const inFolder = join(folder, 'notes', latest.origin.split('/').slice(2).join('/'), 'history.notes');
    expect(await readFile(inFolder, 'utf8')).toContain(latest.note);
  });

  it('only grows from one checkpoint to the next, as a witness in another process verifies', async () => {
    const first = (await http.get('/v1/ledger/checkpoints/latest')).json;
    const witness = await startWitness(folder, ['# the logs', first.verifier_key]);
    witnesses.push(witness);
    const ask = async (oldSize: number, proof: string, note: string) => {
      const body = `old ${oldSize}\n${proof}\n${note}`;
      const answer = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', body });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await ask(0, '', first.note)).status).toBe(200);
    const eventId = await post(2);
    const second = (await proven(eventId)).json.checkpoint;
    expect(second.tree_size).toBeGreaterThan(first.tree_size);
    const range = `/v1/ledger/consistency?first=${first.tree_size}&second=${second.tree_size}`;
    const { json } = await http.get(range);
    const hash = (text: string): Buffer => Buffer.from(text, 'hex');
    const roots = { firstRoot: hash(first.root_hash), secondRoot: hash(second.root_hash) };
    const sizes = { first: first.tree_size, second: second.tree_size };
    expect(verifyConsistency({ ...sizes, ...roots, proof: json.hashes.map(hash) })).toBe(true);
    expect(json.first_checkpoint.checkpoint_id).toBe(first.checkpoint_id);
    const lines = (await http.get(range, TEXT)).text;
    expect((await ask(0, '', second.note)).text).toBe(`${first.tree_size}\n`);
    const cosigned = await ask(first.tree_size, lines, second.note);
    expect(cosigned.status).toBe(200);
    const trust = {
      logKeys: [parseVerifier(first.verifier_key)],
      witnesses: [parseVerifier(witness.verifier)],
      quorum: 1,
    };
    expect(openCheckpoint(second.note + cosigned.text, trust)).toMatchObject({ witnesses: ['witness.example/w1'] });
    // For an older note, the witness answers with the size that it has seen.
    expect(await ask(first.tree_size, '', first.note)).toEqual({ status: 409, text: `${second.tree_size}\n` });
  });

  it('verifies as VALID_UNANCHORED by what is on this machine, and as VALID with the note of the caller', async () => {
    const { tree_size, root_hash } = (await http.get('/v1/ledger/checkpoints/latest')).json;
    const alone = (await http.get('/v1/ledger/verify')).json;
    expect(alone).toMatchObject({
      valid: true,
      verdict: 'VALID_UNANCHORED',
      unanchored: { since_size: 0, since: null },
    });
    const kinds = alone.anchors.map(({ kind }: { kind: string }) => kind);
    expect(kinds.sort()).toEqual(['FOLDER', 'SIGNER']);
    const known = (await http.get(`/v1/ledger/verify?known_size=${tree_size}&known_root=${root_hash}`)).json;
    expect(known).toMatchObject({ valid: true, verdict: 'VALID', unanchored: { since_size: tree_size } });
  });

  it('verifies also while the checkpoint folder cannot be read, and says so', async () => {
    const { origin } = (await http.get('/v1/ledger/checkpoints/latest')).json;
    const file = join(folder, 'notes', origin.split('/').slice(2).join('/'), 'checkpoint');
    const note = await readFile(file);
    await rm(file);
    await mkdir(file);
    const { verdict, not_checked } = (await http.get('/v1/ledger/verify')).json;
    await rm(file, { recursive: true });
    await writeFile(file, note);
    expect(verdict).toBe('VALID_UNANCHORED');
    expect(not_checked).toContainEqual({ what: 'the checkpoint folder', why: 'It cannot be read.' });
  });

  it('starts a new incarnation of its tree only for an administrator, and records it permanently', async () => {
    const reader = (await http.post('/v1/api-keys', { name: 'reader', scopes: ['events:read'] })).json.api_key;
    expect((await http.as(reader).post('/v1/ledger/incarnations', { reason: 'no' })).status).toBe(403);
    expect((await http.post('/v1/ledger/incarnations', {})).status).toBe(400);
    const declared = await http.post('/v1/ledger/incarnations', { reason: 'Restored in a test.' });
    expect(declared.json).toMatchObject({ incarnation: 2, reason: 'Restored in a test.' });
    const refused = await until(
      () => http.get('/v1/exceptions?kind=CHECKPOINT_REGRESS&status=OPEN'),
      ({ json }) => json.items.length > 0,
    );
    expect(refused.json.items).toMatchObject([{ subject: { id: 'inc-2' }, detail: { reason: 'SIGNER_REFUSED' } }]);
    const { origin } = (await http.get('/v1/ledger/checkpoints/latest')).json;
    await accept(origin.replace(/inc-1$/, 'inc-2'));
    const latest = await until(
      () => http.get('/v1/ledger/checkpoints/latest'),
      ({ json }) => json.incarnation === 2,
    );
    expect(latest.json.origin).toMatch(/\/inc-2$/);
    const told = await http.get('/v1/events?source_system=_system&event_type=ledger.incarnation_declared');
    expect(told.json.items).toMatchObject([{ payload: { incarnation: 2, reason: 'Restored in a test.' } }]);
  });
});
