import { describe, expect, it } from '@jest/globals';
import { formatCheckpoint, formatTlogProof } from '../../../shared/notes/checkpoint.js';
import { COSIGNATURE_V1 } from '../../../shared/notes/note-keys.js';
import { openCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { formatNote, NoteFault, type NoteSignature } from '../../../shared/notes/signed-note.js';
import { formatWitnessRequest, parseWitnessRequest } from '../../../shared/notes/witness-request.js';
import { entries, entry, path, root } from '../merkle/reference-tree.js';
import { parseTlogProof, verifyTlogProof } from './read-tlog-proof.js';
import { Signer } from './signer.js';

const ORIGIN = 'eas.example/eas/log_1/inc-1';
const TIME = 1_772_460_670;
const log = new Signer(ORIGIN, 1);
const witnesses = [1, 2, 3].map((n) => new Signer(`witness.example/${n}`, 10 + n, COSIGNATURE_V1));
const [first, second] = witnesses as [Signer, Signer, Signer];

/** The note of a tree of `size` leaves, signed by the log and these witnesses. */
function noteOf(size: number, cosigners: readonly Signer[] = [], text = textOf(size)): string {
  const signatures: NoteSignature[] = [log.sign(text), ...cosigners.map((witness) => witness.cosign(text, TIME))];
  return formatNote({ text, signatures });
}
const textOf = (size: number, origin = ORIGIN): string => formatCheckpoint({ origin, size, root: root(entries(size)) });

const TRUST: Parameters<typeof openCheckpoint>[1] = { logKeys: [log.key], origin: ORIGIN };

const proofOf = (index: number, size: number, checkpoint = noteOf(size)): string =>
  formatTlogProof({ index, hashes: path(index, entries(size)), checkpoint });

describe('a checkpoint', () => {
  it('is accepted only from its log', () => {
    expect(openCheckpoint(noteOf(5), TRUST)).toMatchObject({ origin: ORIGIN, size: 5, root: root(entries(5)) });
    const elsewhere = textOf(5, 'eas.example/eas/log_2/inc-1');
    expect(() => openCheckpoint(noteOf(5, [], elsewhere), TRUST)).toThrow('another origin');
    expect(() => openCheckpoint(noteOf(5, [], elsewhere), { logKeys: [log.key] })).toThrow('not signed by the log');
  });

  it('needs cosignatures of as many different witnesses as the policy requires', () => {
    const policy = { ...TRUST, witnesses: witnesses.map(({ key }) => key), quorum: 2 };
    expect(openCheckpoint(noteOf(5, [first, second]), policy).witnesses).toEqual([first.name, second.name]);
    expect(() => openCheckpoint(noteOf(5, [first]), policy)).toThrow('too few');
    expect(() => openCheckpoint(noteOf(5, [first, first]), policy)).toThrow('too few');
    const alias = new Signer('witness.example/alias', 11, COSIGNATURE_V1);
    const twoNames = { ...policy, witnesses: [first.key, alias.key] };
    expect(() => openCheckpoint(noteOf(5, [first, alias]), twoNames)).toThrow('too few');
    const stranger = new Signer('witness.example/stranger', 99, COSIGNATURE_V1);
    expect(() => openCheckpoint(noteOf(5, [first, stranger]), policy)).toThrow('too few');
  });

  it('is rejected with keys in the wrong role', () => {
    expect(() => openCheckpoint(noteOf(5), { logKeys: [log.key], witnesses: [log.key] })).toThrow('wrong type');
    expect(() => openCheckpoint(noteOf(5, [first]), { logKeys: [first.key] })).toThrow('wrong type');
  });
});

describe('a proof in the form of tlog-proof', () => {
  it('proves only its own entry in the tree of a checkpoint', () => {
    for (const size of [1, 2, 7, 12]) {
      for (let index = 0; index < size; index++) {
        const proof = proofOf(index, size);
        expect(verifyTlogProof(proof, entry(index), TRUST)).toMatchObject({ index, checkpoint: { size } });
        expect(() => verifyTlogProof(proof, entry(index + 1), TRUST)).toThrow('not in the tree');
      }
    }
  });

  it('of a malicious server is rejected', () => {
    const proof = proofOf(3, 7);
    const forged = noteOf(8).split('\n\n')[0] as string;
    for (const bad of [
      // Another index, one hash less, one more, the text of another tree under the old signature.
      proof.replace('index 3', 'index 2'),
      proof.replace(/index 3\n.*\n/, 'index 3\n'),
      proof.replace('index 3\n', `index 3\n${Buffer.alloc(32).toString('base64')}\n`),
      formatTlogProof({ index: 3, hashes: path(3, entries(7)), checkpoint: noteOf(8) }),
      proof.replace(textOf(7), `${forged}\n`),
    ]) {
      expect(() => verifyTlogProof(bad, entry(3), TRUST)).toThrow(NoteFault);
    }
  });

  it('has one form', () => {
    const proof = proofOf(3, 7);
    expect(proof.split('\n').slice(0, 2)).toEqual(['c2sp.org/tlog-proof@v1', 'index 3']);
    expect(formatTlogProof(parseTlogProof(proof))).toBe(proof);
    expect(parseTlogProof(proof.replace('\nindex', '\nextra AAAA\nindex')).index).toBe(3);
    for (const bad of [
      proof.replace('@v1', '@v2'),
      proof.replace('index 3', 'index 03'),
      proof.replace('index 3', 'index -3'),
      proof.replace('=\n', '\n'),
      proof.split('\n\n')[0] as string,
      '',
    ]) {
      expect(() => parseTlogProof(bad)).toThrow(NoteFault);
    }
  });
});

describe('an add-checkpoint request', () => {
  it('has one form', () => {
    const request = { oldSize: 3, proof: entries(2), checkpoint: noteOf(7) };
    const body = formatWitnessRequest(request);
    expect(parseWitnessRequest(body)).toEqual(request);
    expect(parseWitnessRequest(formatWitnessRequest({ ...request, oldSize: 0, proof: [] })).proof).toEqual([]);
    for (const bad of [
      body.replace('old 3', 'old 03'),
      body.replace('old 3', 'new 3'),
      body.replace('=\n', '\n'),
      formatWitnessRequest({ ...request, proof: entries(64) }),
      'old 3\n',
      '',
    ]) {
      expect(() => parseWitnessRequest(bad)).toThrow(NoteFault);
    }
  });
});
