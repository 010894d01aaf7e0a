import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ed25519Sign } from '../../shared/crypto/ed25519.js';
import { parseCheckpoint } from '../../shared/notes/checkpoint.js';
import { COSIGNATURE_V1, type NoteKey } from '../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../shared/notes/open-checkpoint.js';
import { parseNote, signatureLine } from '../../shared/notes/signed-note.js';
import { askWitness } from '../../subgraphs/ledger/transparency/adapters/witness-client.js';
import { WitnessQuorum } from '../../subgraphs/ledger/transparency/adapters/witness-quorum.js';
import type { CosignRequest } from '../../subgraphs/ledger/transparency/ports/checkpoint-sinks.js';
import { Witness } from '../../witness/add-checkpoint.js';
import { witnessServer } from '../../witness/server.js';
import { Signer } from '../shared/notes/signer.js';
import { ManualClock, recordingLogger } from '../support/fakes.js';
import { ORIGIN, StandInLog } from './log-stand-in.js';

const log = new StandInLog(40);
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const serving = (handle: RequestListener): Promise<string> => listening(createServer(handle));
const answering = (status: number, body: string): Promise<string> =>
  serving((_, response) => response.writeHead(status).end(body));

const signerOf = (n: number): Signer => new Signer(`witness.example/w${n}`, 60 + n, COSIGNATURE_V1);

/** A real witness on its own port. */
async function realWitness(n: number): Promise<{ readonly url: string; readonly key: NoteKey }> {
  const signer = signerOf(n);
  const seen = new Map<string, ReturnType<typeof parseCheckpoint>>();
  const witness = new Witness({
    key: signer.key,
    sign: (message) => ed25519Sign(signer.seed, message),
    nowMs: () => 1_772_460_670_000,
    state: {
      seen: async (origin) => seen.get(origin) ?? null,
      remember: async (origin, note) => void seen.set(origin, parseCheckpoint(parseNote(note).text)),
    },
    logs: new Map([[ORIGIN, [log.signer.key]]]),
  });
  return { url: await listening(witnessServer(witness, () => undefined)), key: signer.key };
}

const requestOf = async (size: number, from = log): Promise<CosignRequest> => ({
  origin: ORIGIN,
  size,
  text: await from.text(size),
  note: await from.note(size),
  likelySize: 0,
  proofFrom: (old) => from.proof(old, size),
});
const quorumOf = (
  witnesses: ConstructorParameters<typeof WitnessQuorum>[1],
  quorum: number,
  clock = new ManualClock(),
) => new WitnessQuorum({ clock, logger: recordingLogger().logger }, witnesses, quorum);

describe('a log that asks its witnesses', () => {
  it('gets verifiable cosignatures, also from a witness that knows an earlier size', async () => {
    const witnesses = [await realWitness(1), await realWitness(2)];
    const trust = { logKeys: [log.signer.key], witnesses: witnesses.map(({ key }) => key), quorum: 2 };
    for (const size of [5, 9, 40]) {
      // Another process than the last time: it knows nothing of what the witnesses have seen.
      const { signatures, short, contradictions } = await quorumOf(witnesses, 2).cosign(await requestOf(size));
      expect({ short, contradictions }).toEqual({ short: false, contradictions: [] });
      const note = (await log.note(size)) + signatures.map(signatureLine).join('');
      expect(openCheckpoint(note, trust).witnesses).toHaveLength(2);
    }
  });

  it('accepts k of n cosignatures, and reports when there are fewer', async () => {
    const [one, dead] = [await realWitness(1), { url: 'http://127.0.0.1:1', key: signerOf(2).key }];
    expect(await quorumOf([one, dead], 1).cosign(await requestOf(5))).toMatchObject({ short: false });
    const { short, signatures } = await quorumOf([one, dead], 2).cosign(await requestOf(9));
    expect(short).toBe(true);
    expect(signatures).toHaveLength(1);
  });

  it('skips a failed witness for a minute', async () => {
    let asked = 0;
    const url = await serving((_, response) => {
      asked++;
      response.writeHead(500).end();
    });
    const clock = new ManualClock();
    const quorum = quorumOf([{ url, key: signerOf(1).key }], 0, clock);
    await quorum.cosign(await requestOf(5));
    await quorum.cosign(await requestOf(6));
    expect(asked).toBe(1);
    clock.advance(60_000);
    await quorum.cosign(await requestOf(7));
    expect(asked).toBe(2);
  });

  it('keeps asking a witness that does not know one of its logs', async () => {
    const witness = await realWitness(1);
    const quorum = quorumOf([witness], 1);
    const unknown = {
      ...(await requestOf(5)),
      origin: 'unknown.example/log',
      note: (await log.note(5)).replace(ORIGIN, 'unknown.example/log'),
    };
    expect((await quorum.cosign(unknown)).signatures).toEqual([]);
    expect((await quorum.cosign(await requestOf(5))).signatures).toHaveLength(1);
  });

  it('reports that a witness has seen more entries than the log has', async () => {
    const witness = await realWitness(1);
    await quorumOf([witness], 1).cosign(await requestOf(20));
    const { contradictions, signatures } = await quorumOf([witness], 1).cosign(await requestOf(9));
    expect(contradictions).toEqual([{ witness: 'witness.example/w1', size: 20 }]);
    expect(signatures).toEqual([]);
  });

  it('gets no cosignature for a split view', async () => {
    const witness = await realWitness(1);
    await quorumOf([witness], 1).cosign(await requestOf(20));
    const fork = new StandInLog(40, { fork: 'x', forkAt: 10 });
    expect(await askWitness(witness, await requestOf(30, fork), 20)).toEqual({ kind: 'disagrees' });
    const sameSize = await quorumOf([witness], 1).cosign(await requestOf(20, fork));
    expect(sameSize.contradictions).toEqual([{ witness: 'witness.example/w1', size: null }]);
  });

  it('compares its last note with each witness once a process, and again after a failure', async () => {
    const witness = await realWitness(1);
    const dead = { url: 'http://127.0.0.1:1', key: signerOf(2).key };
    await quorumOf([witness], 1).cosign(await requestOf(20));
    expect(await quorumOf([witness, dead], 1).compare(await requestOf(9))).toEqual([
      { witness: 'witness.example/w1', size: 20 },
    ]);
    const quorum = quorumOf([witness, dead], 1);
    expect(await quorum.compare(await requestOf(20))).toEqual([]);
    expect(await quorum.compare(await requestOf(9))).toEqual([]);
  });
});

describe('a malicious witness', () => {
  const signer = signerOf(1);
  const asked = async (url: string) => askWitness({ url, key: signer.key }, await requestOf(9), 0);

  it('cannot pass off a cosignature that it did not make', async () => {
    const text = await log.text(9);
    const other = await log.text(8);
    const stranger = new Signer('witness.example/w1', 99, COSIGNATURE_V1);
    const plain = new Signer('witness.example/w1', 61);
    for (const line of [
      signatureLine(signer.cosign(other, 1)),
      signatureLine(stranger.cosign(text, 1)),
      signatureLine(plain.sign(text)),
      signatureLine({ ...signer.cosign(text, 1), signature: Buffer.alloc(72) }),
      signatureLine({ ...signer.cosign(text, 1), name: 'witness.example/w2' }),
    ]) {
      expect(await asked(await answering(200, line))).toEqual({ kind: 'failed', why: 'NO_VALID_COSIGNATURE' });
    }
    const good = signatureLine(stranger.cosign(text, 1)) + signatureLine(signer.cosign(text, 7));
    expect(await asked(await answering(200, good))).toMatchObject({ kind: 'cosigned' });
  });

  it('cannot occupy the service or fill its memory', async () => {
    expect(await asked(await answering(409, '3\n'))).toEqual({ kind: 'failed', why: 'CONFLICT' });
    expect(await asked(await answering(409, 'many\n'))).toEqual({ kind: 'failed', why: 'CONFLICT_WITHOUT_SIZE' });
    expect(await asked(await answering(200, ''))).toEqual({ kind: 'failed', why: 'MALFORMED' });
    expect(await asked(await answering(200, 'x'.repeat(1_000_000)))).toEqual({ kind: 'failed', why: 'MALFORMED' });
    const elsewhere = await serving((_, response) =>
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    );
    expect(await asked(elsewhere)).toEqual({ kind: 'failed', why: 'UNREACHABLE' });
  });
});
