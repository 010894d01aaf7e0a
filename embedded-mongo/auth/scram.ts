import { createHash, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { UserName } from './users.js';

/** RFC 7677 asks for at least 4,096; MongoDB's own default for SCRAM-SHA-256. */
export const ITERATION_COUNT = 15_000;
const KEY_BYTES = 32;
const SALT_BYTES = 28;
export const MECHANISM = 'SCRAM-SHA-256';

/** The stored form of a password: enough to verify a proof, not to produce one (RFC 5802, section 3). */
export interface Credentials {
  readonly iterationCount: number;
  readonly salt: string;
  readonly storedKey: string;
  readonly serverKey: string;
}

const derive = promisify(pbkdf2);

export async function credentialsOf(password: string, randomBytes: (size: number) => Buffer): Promise<Credentials> {
  const salt = randomBytes(SALT_BYTES);
  const salted = await derive(password, salt, ITERATION_COUNT, KEY_BYTES, 'sha256');
  return {
    iterationCount: ITERATION_COUNT,
    salt: salt.toString('base64'),
    storedKey: sha256(hmac(salted, 'Client Key')).toString('base64'),
    serverKey: hmac(salted, 'Server Key').toString('base64'),
  };
}

interface ClientFirst {
  readonly user: string;
  readonly nonce: string;
  /** "client-first-message-bare", which the signature covers. */
  readonly bare: string;
}

/** Parses the client's first message, `n,,n=user,r=nonce`; returns undefined for an unsupported one. */
export function readClientFirst(payload: string): ClientFirst | undefined {
  const found = /^n,,(n=([^,]+),r=([\x21-\x2b\x2d-\x7e]+))$/.exec(payload);
  if (!found) return undefined;
  const [, bare = '', name = '', nonce = ''] = found;
  // In names "," is written =2C and "=" is written =3D; no other use of "=" is allowed.
  if (/=(?!2C|3D)/.test(name)) return undefined;
  return { bare, nonce, user: name.replaceAll('=2C', ',').replaceAll('=3D', '=') };
}

/** The server's side of one conversation after the client's first message. */
export class ScramConversation {
  readonly serverFirst: string;
  readonly #nonce: string;
  readonly #first: ClientFirst;
  readonly #credentials: Credentials;

  constructor(first: ClientFirst, credentials: Credentials, serverNonce: string) {
    this.#first = first;
    this.#credentials = credentials;
    this.#nonce = first.nonce + serverNonce;
    this.serverFirst = `r=${this.#nonce},s=${credentials.salt},i=${credentials.iterationCount}`;
  }

  /** Returns the server's last message with its signature, or undefined when the client's proof is wrong. */
  finish(payload: string): string | undefined {
    const found = /^(c=biws,r=([^,]+)),p=([A-Za-z0-9+/=]+)$/.exec(payload);
    if (!found || found[2] !== this.#nonce) return undefined;
    const signed = `${this.#first.bare},${this.serverFirst},${found[1]}`;
    const storedKey = Buffer.from(this.#credentials.storedKey, 'base64');
    const proof = Buffer.from(found[3] ?? '', 'base64');
    const signature = hmac(storedKey, signed);
    if (proof.length !== signature.length) return undefined;
    const clientKey = xor(proof, signature);
    if (!timingSafeEqual(sha256(clientKey), storedKey)) return undefined;
    return `v=${hmac(Buffer.from(this.#credentials.serverKey, 'base64'), signed).toString('base64')}`;
  }
}

/** The client's side: its last message, and the answer that a genuine server returns. */
export async function clientFinal(bare: string, serverFirst: string, password: string, clientNonce: string) {
  const found = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(serverFirst);
  if (!found?.[1]?.startsWith(clientNonce)) throw new Error('the server does not follow SCRAM');
  const salted = await derive(password, Buffer.from(found[2] ?? '', 'base64'), Number(found[3]), KEY_BYTES, 'sha256');
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=biws,r=${found[1]}`;
  const signed = `${bare},${serverFirst},${withoutProof}`;
  const proof = xor(clientKey, hmac(sha256(clientKey), signed));
  return {
    message: `${withoutProof},p=${proof.toString('base64')}`,
    expected: `v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}`,
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, i) => byte ^ (right[i] ?? 0)));
}

/** The identity of a connection. The unix socket needs none: its permissions admit only the owner. */
export class AuthSession {
  user: UserName | undefined;
  conversation:
    | {
        readonly id: number;
        readonly scram: ScramConversation;
        readonly name: UserName;
        proved: boolean;
        skipEmpty: boolean;
      }
    | undefined;
  #conversations = 0;

  constructor(readonly required: boolean) {}

  begin(scram: ScramConversation, name: UserName, skipEmpty: boolean): number {
    const id = ++this.#conversations;
    this.conversation = { id, scram, name, proved: false, skipEmpty };
    return id;
  }

  get mayRunAll(): boolean {
    return !this.required || this.user !== undefined;
  }
}
