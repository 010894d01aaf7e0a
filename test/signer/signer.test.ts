import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../shared/clock/clock.js';
import { ed25519Verify } from '../../shared/crypto/ed25519.js';
import { systemRandomness } from '../../shared/ids/ids.js';
import { leafHash } from '../../shared/merkle/hashes.js';
import { formatCheckpoint } from '../../shared/notes/checkpoint.js';
import { acceptIncarnation, type JoinedSigner, type JoinOptions, joinSigner } from '../../signer/index.js';
import { SignerClient } from '../../signer/socket/client.js';
import { recordingLogger } from '../support/fakes.js';
import { treeOf } from './tree-of.js';

let root: string;
let folders = 0;
const open: JoinedSigner[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'signer-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const freshFolder = (): string => join(root, `s${folders++}`);

async function join1(folder: string, over: Partial<JoinOptions> = {}): Promise<JoinedSigner> {
  const base = { folder, masterKeyHex: null, clock: systemClock, randomness: systemRandomness() };
  const joined = await joinSigner({ ...base, logger: recordingLogger().logger, start: 'inside', ...over });
  open.push(joined);
  return joined;
}

const KEY = { key_id: 'sgk_1', tenant_id: 'plan', purpose: 'CHECKPOINT' } as const;
const ORIGIN = 'plan.example/log_1/inc-1';
const leaves = (count: number, other = ''): Buffer[] =>
  Array.from({ length: count }, (_, n) => leafHash(Buffer.from(`${other}${n}`)));

/** Asks for the checkpoint of a tree that should extend the first `from` leaves. */
async function ask(signer: JoinedSigner, tree: readonly Buffer[], from: number, origin = ORIGIN, size = tree.length) {
  const { root: top, consistency } = treeOf(tree.slice(0, size));
  const text = Buffer.from(formatCheckpoint({ origin, size, root: top }));
  const proof = from === 0 ? [] : consistency(from).map((hash) => hash.toString('base64'));
  return { text, signature: await signer.sign(KEY.key_id, text, { purpose: 'CHECKPOINT', from, proof }) };
}

describe('a signer', () => {
  it('signs what extends its last note, and returns signatures that its public key verifies', async () => {
    const signer = await join1(freshFolder());
    const x = await signer.createKey(KEY);
    for (const [size, from] of [
      [3, 0],
      [3, 3],
      [700, 3],
      [701, 700],
    ] as const) {
      const { text, signature } = await ask(signer, leaves(size), from);
      expect(ed25519Verify({ kty: 'OKP', crv: 'Ed25519', x }, text, signature)).toBe(true);
    }
    expect(await signer.lastSigned(ORIGIN)).toMatchObject({ size: 701 });
  });

  it('refuses a smaller tree, another history, equal size with another root, and a proof from another size', async () => {
    const signer = await join1(freshFolder());
    await signer.createKey(KEY);
    await ask(signer, leaves(40), 0);
    await expect(ask(signer, leaves(40), 0, ORIGIN, 39)).rejects.toMatchObject({ code: 'TREE_SMALLER' });
    await expect(ask(signer, leaves(60, 'other'), 40)).rejects.toMatchObject({ code: 'NOT_CONSISTENT' });
    await expect(ask(signer, leaves(40, 'other'), 40)).rejects.toMatchObject({ code: 'NOT_CONSISTENT' });
    await expect(ask(signer, leaves(60), 20)).rejects.toMatchObject({ code: 'NOT_CONSISTENT' });
    expect(await signer.lastSigned(ORIGIN)).toMatchObject({ size: 40 });
  });

  it('keeps its last note over a restart, and refuses what it refused before', async () => {
    const folder = freshFolder();
    const first = await join1(folder);
    await first.createKey(KEY);
    await ask(first, leaves(40), 0);
    await first.close();
    const second = await join1(folder);
    expect(await second.lastSigned(ORIGIN)).toMatchObject({ size: 40 });
    await expect(ask(second, leaves(60, 'other'), 40)).rejects.toMatchObject({ code: 'NOT_CONSISTENT' });
    await ask(second, leaves(60), 40);
  });

  it('begins a new incarnation only after the word of an operator in its folder, and never goes back', async () => {
    const folder = freshFolder();
    const signer = await join1(folder);
    await signer.createKey(KEY);
    await ask(signer, leaves(40), 0);
    const next = ORIGIN.replace('inc-1', 'inc-2');
    await expect(ask(signer, leaves(10, 'n'), 0, next)).rejects.toMatchObject({ code: 'INCARNATION_NOT_ACCEPTED' });
    const word = { log: 'plan.example/log_1', incarnation: 2, reason: 'restored', at: '2026-03-02T00:00:00.000Z' };
    await acceptIncarnation(folder, word);
    await ask(signer, leaves(10, 'n'), 0, next);
    await expect(ask(signer, leaves(41), 40)).rejects.toMatchObject({ code: 'INCARNATION_NOT_ACCEPTED' });
  });

  it('signs with a key only for its purpose, and never after its end', async () => {
    const signer = await join1(freshFolder());
    await signer.createKey(KEY);
    await signer.createKey({ key_id: 'sgk_2', tenant_id: 'plan', purpose: 'SEGMENT' });
    const segment = { purpose: 'SEGMENT' } as const;
    const message = Buffer.from('a seal');
    await expect(signer.sign('sgk_1', message, segment)).rejects.toMatchObject({ code: 'WRONG_PURPOSE' });
    await expect(signer.sign('sgk_3', message, segment)).rejects.toMatchObject({ code: 'UNKNOWN_KEY' });
    const bundle = { purpose: 'BUNDLE', sealing: '{}' } as const;
    await signer.createKey({ key_id: 'sgk_4', tenant_id: 'plan', purpose: 'BUNDLE' });
    await expect(signer.sign('sgk_4', message, bundle)).rejects.toMatchObject({ code: 'NOT_SEALED' });
    await signer.sign('sgk_2', message, segment);
    await signer.endKey('sgk_2');
    await expect(signer.sign('sgk_2', message, segment)).rejects.toMatchObject({ code: 'KEY_ENDED' });
  });

  it.each(['', 'one line', `${ORIGIN}\n5\nAAAA\n`, `${ORIGIN}\n0\n${'A'.repeat(43)}=\nmore\n`])(
    'refuses to sign %j as a checkpoint',
    async (text) => {
      const signer = await join1(freshFolder());
      await signer.createKey(KEY);
      const asked = signer.sign(KEY.key_id, Buffer.from(text), { purpose: 'CHECKPOINT', from: 0, proof: [] });
      await expect(asked).rejects.toMatchObject({ code: 'MALFORMED' });
    },
  );

  it('ends a key that many end at once, and starts over what a crash left of that', async () => {
    const folder = freshFolder();
    const signer = await join1(folder);
    await signer.createKey(KEY);
    await Promise.all(Array.from({ length: 20 }, () => signer.endKey(KEY.key_id)));
    await expect(ask(signer, leaves(3), 0)).rejects.toMatchObject({ code: 'KEY_ENDED' });
    await open.pop()?.close();
    await writeFile(join(folder, 'keys', 'sgk_1.json.99-1.new'), '{"key_id":');
    const again = await join1(folder);
    expect((await again.status()).keys).toBe(1);
    expect(await readdir(join(folder, 'keys'))).toEqual(['sgk_1.json']);
    await expect(ask(again, leaves(3), 0)).rejects.toMatchObject({ code: 'KEY_ENDED' });
  });

  it('keeps folder, keys and socket for its owner alone', async () => {
    const folder = freshFolder();
    const signer = await join1(folder);
    await signer.createKey(KEY);
    const modeOf = async (...path: string[]) => ((await stat(join(folder, ...path))).mode & 0o777).toString(8);
    expect(await modeOf()).toBe('700');
    for (const name of ['wrapping.key', 'master.key', 'signatures.log', 'keys/sgk_1.json'])
      expect([name, await modeOf(...name.split('/'))]).toEqual([name, '600']);
    const seedOrNot = await readFile(join(folder, 'keys/sgk_1.json'), 'utf8');
    expect(Object.keys(JSON.parse(seedOrNot)).sort()).toEqual(
      ['ended_at', 'key_id', 'purpose', 'tenant_id', 'wrapped_seed', 'x'].sort(),
    );
  });

  it('refuses to start over a log of signatures that was altered, and forgives a last line that was never finished', async () => {
    const folder = freshFolder();
    const signer = await join1(folder);
    await signer.createKey(KEY);
    await ask(signer, leaves(3), 0);
    await ask(signer, leaves(5), 3);
    await signer.close();
    const path = join(folder, 'signatures.log');
    const whole = await readFile(path, 'utf8');
    await appendFile(path, '{"n":3,"at":"20');
    const again = await join1(folder);
    expect(await again.status()).toEqual({ keys: 1, signatures: 2 });
    await again.close();
    expect(await readFile(path, 'utf8')).toBe(whole);
    await writeFile(path, whole.replace('"size":3', '"size":2'));
    await expect(join1(folder)).rejects.toThrow('was altered or cut at line 2');
    await truncate(path, 0);
    await appendFile(path, whole.slice(whole.indexOf('\n') + 1));
    await expect(join1(folder)).rejects.toThrow('was altered or cut at line 1');
  });
});

describe('processes that share a folder', () => {
  it('have one signer, and the next takes over when it ends', async () => {
    const folder = freshFolder();
    const [one, two] = [await join1(folder), await join1(folder)];
    const x = await one.createKey(KEY);
    expect(await two.createKey(KEY)).toBe(x);
    await ask(two, leaves(3), 0);
    await one.close();
    await ask(two, leaves(5), 3);
    expect(await two.dataKey()).toHaveLength(32);
  });

  it('start it as a child, which comes back after a kill', async () => {
    const folder = freshFolder();
    const { logger, lines } = recordingLogger();
    const signer = await join1(folder, { start: 'child', logger });
    await signer.createKey(KEY);
    await ask(signer, leaves(3), 0);
    const { pid } = JSON.parse(await readFile(join(folder, 'pid.json'), 'utf8')) as { readonly pid: number };
    process.kill(pid, 'SIGKILL');
    await ask(signer, leaves(5), 3);
    expect(await signer.lastSigned(ORIGIN)).toMatchObject({ size: 5 });
    expect(lines.join('')).not.toContain('does not answer');
  });
});

describe('a signer that does not answer as one', () => {
  const served: Server[] = [];
  afterEach(() => {
    for (const server of served.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  const wrong = async (answer: (end: (status: number, body: string) => void) => void): Promise<string> => {
    const path = join(root, `w${folders++}.sock`);
    const server = createServer((_, response) => answer((status, body) => response.writeHead(status).end(body)));
    served.push(server);
    await new Promise<void>((done) => server.listen(path, done));
    return path;
  };

  it.each([
    ['nothing', () => undefined],
    ['garbage', (end: (status: number, body: string) => void) => end(200, '<html>')],
    ['another shape', (end: (status: number, body: string) => void) => end(200, '{"x":1}')],
    ['an error', (end: (status: number, body: string) => void) => end(500, '')],
    ['too much', (end: (status: number, body: string) => void) => end(200, 'x'.repeat(1 << 17))],
  ] as const)('is unavailable when it answers %s', async (_, answer) => {
    const client = new SignerClient(await wrong(answer), 300);
    await expect(client.status()).rejects.toThrow(/signer (does not answer|answers in another language)/);
  });

  it('is unavailable when no signer listens, and the log says so once', async () => {
    const folder = freshFolder();
    const host = await join1(folder);
    const { logger, lines } = recordingLogger();
    const guest = await join1(folder, { start: 'never', logger });
    await host.close();
    for (let n = 0; n < 3; n++) await expect(guest.status()).rejects.toThrow('does not answer');
    expect(lines.filter((line) => line.includes('nothing is signed'))).toHaveLength(1);
    await join1(folder);
    await guest.status();
    expect(lines.filter((line) => line.includes('answers again'))).toHaveLength(1);
  });
});
