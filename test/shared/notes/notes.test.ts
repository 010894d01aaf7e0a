import { describe, expect, it } from '@jest/globals';
import { formatCheckpoint, parseCheckpoint } from '../../../shared/notes/checkpoint.js';
import {
  COSIGNATURE_V1,
  NOTE_SIGNATURE,
  noteKey,
  parseVerifier,
  verifierText,
} from '../../../shared/notes/note-keys.js';
import { openNote } from '../../../shared/notes/open-note.js';
import { formatNote, NoteFault, parseNote } from '../../../shared/notes/signed-note.js';
import { Signer } from './signer.js';

// Key and note of the documentation of golang.org/x/mod/sumdb/note.
const GO_VERIFIER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const GO_NOTE = `${GO_TEXT}
\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

const log = new Signer('log.example/a', 1);
const other = new Signer('log.example/b', 2);
const witness = new Signer('witness.example/w', 3, COSIGNATURE_V1);

describe('a signed note', () => {
  it('of the Go implementation is opened with its key', () => {
    const key = parseVerifier(GO_VERIFIER);
    expect(verifierText(key)).toBe(GO_VERIFIER);
    expect(openNote(GO_NOTE, [key])).toMatchObject({ text: GO_TEXT, signedBy: [key] });
    expect(formatNote(parseNote(GO_NOTE))).toBe(GO_NOTE);
  });

  it('is accepted with one trusted signature, among any others', () => {
    const note = formatNote({ text: 'hello\n', signatures: [other.sign('hello\n'), log.sign('hello\n')] });
    expect(openNote(note, [log.key]).signatures.map(({ name }) => name)).toEqual(['log.example/a']);
    expect(openNote(note, [log.key, other.key]).signedBy).toHaveLength(2);
    expect(() => openNote(note, [witness.key])).toThrow(NoteFault);
    expect(() => openNote(note, [])).toThrow(NoteFault);
  });

  it('with a wrong signature of a trusted key is rejected, whatever else is valid', () => {
    const wrong = { ...log.sign('hello\n'), signature: Buffer.alloc(64, 9) };
    const note = formatNote({ text: 'hello\n', signatures: [other.sign('hello\n'), wrong] });
    expect(() => openNote(note, [log.key, other.key])).toThrow('does not fit');
    expect(openNote(note, [other.key]).signedBy).toHaveLength(1);
  });

  it('of a key with the same name and another id is not trusted', () => {
    const namesake = new Signer('log.example/a', 7);
    const note = formatNote({ text: 'hello\n', signatures: [namesake.sign('hello\n')] });
    expect(() => openNote(note, [log.key])).toThrow('signed by no trusted key');
  });

  it('is no cosignature, and a cosignature is no note signature', () => {
    const asWitness = noteKey(log.name, COSIGNATURE_V1, log.key.publicKey);
    const note = formatNote({ text: 'hello\n', signatures: [log.sign('hello\n')] });
    expect(() => openNote(note, [asWitness])).toThrow(NoteFault);
    const cosigned = formatNote({ text: 'hello\n', signatures: [witness.cosign('hello\n', 1_772_460_670)] });
    expect(openNote(cosigned, [witness.key]).signedBy).toEqual([witness.key]);
    expect(() => openNote(cosigned.replace('hello', 'hallo'), [witness.key])).toThrow(NoteFault);
    const asLog = noteKey(witness.name, NOTE_SIGNATURE, witness.key.publicKey);
    expect(() => openNote(cosigned, [asLog])).toThrow(NoteFault);
  });

  it('in another form than the specification’s is rejected', () => {
    const good = formatNote({ text: 'hello\n', signatures: [log.sign('hello\n')] });
    const bad = [
      '',
      'hello\n',
      good.slice(0, -1),
      good.replace('\n\n', '\n'),
      good.replace('hello', 'hel\rlo'),
      good.replace('hello', 'hel\u0000lo'),
      good.replace('hello', 'hel\ud800lo'),
      good.replace('\u2014', '-'),
      good.replace('log.example/a', 'log+example/a'),
      good.replace('log.example/a', 'log.\u00a0example/a'),
      `${good}\u2014 log.example/a AAAA\n`,
      `${good}\n`,
      good.replace(/=\n$/, '\n'),
      `${'x'.repeat(65_536)}\n${good}`,
    ];
    for (const note of bad) expect(() => openNote(note, [log.key])).toThrow(NoteFault);
    expect(openNote(good, [log.key]).text).toBe('hello\n');
  });

  it('may contain empty lines: the last one ends the text', () => {
    const text = 'one\n\ntwo\n';
    expect(openNote(formatNote({ text, signatures: [log.sign(text)] }), [log.key]).text).toBe(text);
  });

  it('is verified only by keys in their one spelling', () => {
    const good = verifierText(log.key);
    for (const bad of [
      good.replace(/\+[0-9a-f]{8}\+/, '+00000000+'),
      good.toUpperCase(),
      `${good}=`,
      good.replace('+A', '+B'),
      '',
      'a+b',
    ]) {
      expect(() => parseVerifier(bad)).toThrow(NoteFault);
    }
  });
});

describe('the text of a checkpoint', () => {
  const root = Buffer.alloc(32, 5);
  const text = formatCheckpoint({ origin: 'eas.example/eas/log_1/inc-1', size: 20, root });

  it('is origin, size and root', () => {
    expect(text).toBe(`eas.example/eas/log_1/inc-1\n20\n${root.toString('base64')}\n`);
    expect(parseCheckpoint(text)).toEqual({ origin: 'eas.example/eas/log_1/inc-1', size: 20, root });
    expect(parseCheckpoint(`${text}an extension\n`).size).toBe(20);
  });

  it('in another spelling is rejected', () => {
    for (const bad of [
      text.replace('\n20\n', '\n020\n'),
      text.replace('\n20\n', '\n-1\n'),
      text.replace('\n20\n', '\n99999999999999999\n'),
      text.replace('\n20\n', '\n2e1\n'),
      text.replace('=\n', '\n'),
      text.slice(0, -1),
      `${text}\n`,
      `\n${text}`,
      '',
    ]) {
      expect(() => parseCheckpoint(bad)).toThrow(NoteFault);
    }
  });
});
