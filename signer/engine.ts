import { join } from 'node:path';
import { type Clock, isoTime } from '../shared/clock/clock.js';
import { ed25519Jwk, ed25519Sign, ed25519Verify, SEED_BYTES } from '../shared/crypto/ed25519.js';
import { sha256Hex } from '../shared/crypto/hash.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import { privateFolder } from '../shared/files/private-folder.js';
import type { Randomness } from '../shared/ids/ids.js';
import { parseCheckpoint } from '../shared/notes/checkpoint.js';
import { NOTE_SIGNATURE, noteKey } from '../shared/notes/note-keys.js';
import { openCheckpoint, type TrustedCheckpoint } from '../shared/notes/open-checkpoint.js';
import { NoteFault, parseNote } from '../shared/notes/signed-note.js';
import {
  type SignedTree,
  type Signer,
  type SignerKeyPlace,
  SignerRefusal,
  type SignerStatus,
  type SigningEvidence,
} from '../shared/signing/signer.js';
import { judgeBundle } from './domain/judge-bundle.js';
import { judgeCheckpoint, readCheckpointText } from './domain/judge-checkpoint.js';
import { acceptedIncarnation } from './folder/accepted.js';
import { replaceFile } from './folder/files.js';
import { type KeyFile, KeyFiles } from './folder/key-files.js';
import { loadSecrets, type SignerSecrets } from './folder/secrets.js';
import { SignatureLog } from './folder/signature-log.js';

export interface EngineOptions {
  /** The signer's folder; made for the owner alone. */
  readonly folder: string;
  /** SERVICE_MASTER_KEY; null: the data key of the folder. */
  readonly masterKeyHex: string | null;
  /** The data key of an earlier version, for a folder that has none yet. */
  readonly firstDataKeyHex?: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

type CheckpointEvidence = Extract<SigningEvidence, { readonly purpose: 'CHECKPOINT' }>;

/** The wrapping context binds a seed to its key. */
const seedContext = ({ tenant_id, key_id }: Pick<KeyFile, 'tenant_id' | 'key_id'>): string =>
  `signing-key:${tenant_id}:${key_id}`;

/** The signer over its folder, which one process holds at a time (docs/signer.md). */
export class SignerEngine implements Signer {
  readonly #options: EngineOptions;
  readonly #secrets: SignerSecrets;
  readonly #keys: KeyFiles;
  readonly #log: SignatureLog;
  /** Checkpoints of one log are judged and signed one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #creating: Promise<unknown> = Promise.resolve();

  private constructor(options: EngineOptions, secrets: SignerSecrets, keys: KeyFiles, log: SignatureLog) {
    this.#options = options;
    this.#secrets = secrets;
    this.#keys = keys;
    this.#log = log;
  }

  /** @throws StartRefused for a folder that is damaged or cannot be made private */
  static async open(options: EngineOptions): Promise<SignerEngine> {
    const { folder, masterKeyHex, randomness, firstDataKeyHex } = options;
    await privateFolder(folder);
    const secrets = await loadSecrets(folder, masterKeyHex, randomness, firstDataKeyHex);
    const keys = await KeyFiles.open(folder);
    // For an operator who looks for the process.
    await replaceFile(join(folder, 'pid.json'), `${JSON.stringify({ pid: process.pid })}\n`);
    return new SignerEngine(options, secrets, keys, await SignatureLog.open(folder));
  }

  /** False after a write that failed: the process must end and start again. */
  get isSound(): boolean {
    return this.#log.isSound;
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async dataKey(): Promise<Buffer> {
    return Buffer.from(this.#secrets.dataKey);
  }

  createKey(place: SignerKeyPlace): Promise<string> {
    const created = this.#creating.then(() => this.#create(place));
    this.#creating = created.catch(() => undefined);
    return created;
  }

  async endKey(keyId: string): Promise<void> {
    const key = this.#known(keyId);
    if (key.ended_at === null) await this.#keys.put({ ...key, ended_at: this.#now() });
  }

  async sign(keyId: string, message: Uint8Array, evidence: SigningEvidence): Promise<Buffer> {
    const key = this.#known(keyId);
    if (key.ended_at !== null) throw new SignerRefusal('KEY_ENDED', 'this key signs nothing more');
    if (key.purpose !== evidence.purpose) throw new SignerRefusal('WRONG_PURPOSE', 'the key has another purpose');
    if (evidence.purpose === 'CHECKPOINT') return this.#signCheckpoint(key, message, evidence);
    if (evidence.purpose === 'BUNDLE') await this.#judgeBundle(key, message, evidence);
    return this.#signed(key, message, {});
  }

  async lastSigned(origin: string): Promise<SignedTree | null> {
    return this.#log.last(origin);
  }

  async status(): Promise<SignerStatus> {
    return { keys: this.#keys.size, signatures: this.#log.count };
  }

  /**
   * Takes a key of an earlier version; a repeated import changes nothing. Not offered on the socket.
   *
   * @throws StartRefused when the seed is not of the public point
   */
  async importKey(
    { key_id, tenant_id, purpose }: SignerKeyPlace,
    { seed, x, isEnded }: { readonly seed: Uint8Array; readonly x: string; readonly isEnded: boolean },
  ): Promise<void> {
    if (ed25519Jwk(seed).x !== x) throw new StartRefused(`the signing key ${key_id} is not of its public key`);
    if (this.#keys.get(key_id) !== null) return;
    const ended_at = isEnded ? this.#now() : null;
    await this.#keys.put({
      key_id,
      tenant_id,
      purpose,
      x,
      wrapped_seed: this.#wrapped(seed, { tenant_id, key_id }),
      ended_at,
    });
  }

  /**
   * Takes the last note of a log that an earlier version signed, after it has verified the signature. Not offered on the socket.
   *
   * @throws StartRefused for a note that the key did not sign
   */
  async adoptNote(keyId: string, note: string): Promise<SignedTree> {
    const key = this.#known(keyId);
    const { origin, size, root, text } = openOwnNote(note, key);
    const known = this.#log.last(origin);
    if (known !== null && known.size >= size) return known;
    const tree = { origin, size, root: root.toString('hex') };
    const at = this.#now();
    await this.#log.add({ at, key_id: keyId, purpose: 'CHECKPOINT', sha256: sha256Hex(text), ...tree });
    return { ...tree, signed_at: at };
  }

  async #create({ key_id, tenant_id, purpose }: SignerKeyPlace): Promise<string> {
    const known = this.#keys.get(key_id);
    if (known !== null) {
      if (known.tenant_id === tenant_id && known.purpose === purpose) return known.x;
      throw new SignerRefusal('WRONG_PURPOSE', 'another key has this id');
    }
    const { randomness } = this.#options;
    const seed = randomness.fill(new Uint8Array(SEED_BYTES));
    const wrapped_seed = this.#wrapped(seed, { tenant_id, key_id });
    const { x } = ed25519Jwk(seed);
    seed.fill(0);
    await this.#keys.put({ key_id, tenant_id, purpose, x, wrapped_seed, ended_at: null });
    return x;
  }

  async #signCheckpoint(key: KeyFile, message: Uint8Array, evidence: CheckpointEvidence): Promise<Buffer> {
    const body = readCheckpointText(message);
    const before = this.#turns.get(body.log) ?? Promise.resolve();
    const turn = before
      .catch(() => undefined)
      .then(async () => {
        const known = {
          last: this.#log.last(body.origin),
          newest: this.#log.newest(body.log),
          accepted: await acceptedIncarnation(this.#options.folder, body.log),
        };
        judgeCheckpoint(body, known, evidence);
        return this.#signed(key, message, { origin: body.origin, size: body.size, root: body.root.toString('hex') });
      });
    this.#turns.set(body.log, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(body.log) === turn) this.#turns.delete(body.log);
    }
  }

  #judgeBundle(
    key: KeyFile,
    message: Uint8Array,
    evidence: Extract<SigningEvidence, { readonly purpose: 'BUNDLE' }>,
  ): Promise<void> {
    const checkpointKeys = this.#keys
      .ofTenant(key.tenant_id)
      .flatMap(({ purpose, x }) => (purpose === 'CHECKPOINT' ? [Buffer.from(x, 'base64url')] : []));
    return judgeBundle({
      tenantId: key.tenant_id,
      message,
      evidence,
      checkpointKeys,
      lastSigned: (origin) => this.#log.last(origin),
      isOwn: (unsigned, signature) => ed25519Verify({ kty: 'OKP', crv: 'Ed25519', x: key.x }, unsigned, signature),
    });
  }

  /** The line comes before the signature: what has left the process is in the log. */
  async #signed(
    key: KeyFile,
    message: Uint8Array,
    tree: { readonly origin?: string; readonly size?: number; readonly root?: string },
  ): Promise<Buffer> {
    const { key_id, purpose } = key;
    await this.#log.add({ at: this.#now(), key_id, purpose, sha256: sha256Hex(message), ...tree });
    const seed = this.#secrets.wrapping.unwrap(Buffer.from(key.wrapped_seed, 'base64'), seedContext(key));
    try {
      return ed25519Sign(seed, message);
    } finally {
      seed.fill(0);
    }
  }

  #wrapped(seed: Uint8Array, place: Pick<KeyFile, 'tenant_id' | 'key_id'>): string {
    return this.#secrets.wrapping.wrap(seed, seedContext(place), this.#options.randomness).toString('base64');
  }

  #known(keyId: string): KeyFile {
    const key = this.#keys.get(keyId);
    if (key === null) throw new SignerRefusal('UNKNOWN_KEY', "the key is not in the signer's folder");
    return key;
  }

  #now(): string {
    return isoTime(this.#options.clock.nowMs());
  }
}

function openOwnNote(note: string, { key_id, x }: KeyFile): TrustedCheckpoint {
  try {
    const { origin } = parseCheckpoint(parseNote(note).text);
    return openCheckpoint(note, { origin, logKeys: [noteKey(origin, NOTE_SIGNATURE, Buffer.from(x, 'base64url'))] });
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    throw new StartRefused(`the last note of a log does not verify with the signing key ${key_id}: ${error.message}`);
  }
}
