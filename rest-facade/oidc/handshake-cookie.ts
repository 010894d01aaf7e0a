import { z } from 'zod';
import type { MasterKey } from '../../shared/crypto/master-key.js';
import type { Randomness } from '../../shared/ids/ids.js';
import { cookieIn } from '../plugins/session-cookie.js';
import type { Handshake } from './provider.js';

// The secrets of a sign-in under way are in the browser alone, encrypted: any process can finish it. The provider sends the
// browser back from another site, so the cookie is SameSite=Lax; it opens nothing by itself.

const CONTEXT = 'sign-in-handshake';
/** A person may take this long at the provider. */
const LIFETIME_SECONDS = 600;
const SECRET_BYTES = 32;

const Kept = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The place in the console to come back to. */
  returnTo: z.string(),
  endsAtMs: z.number(),
});
type KeptHandshake = z.infer<typeof Kept>;

interface HandshakeDeps {
  readonly masterKey: MasterKey;
  readonly randomness: Randomness;
  readonly clock: { nowMs(): number };
}

/** Draws the secrets of a sign-in. */
export function newHandshake({ randomness }: Pick<HandshakeDeps, 'randomness'>): Handshake {
  const secret = (): string => Buffer.from(randomness.fill(new Uint8Array(SECRET_BYTES))).toString('base64url');
  return { state: secret(), nonce: secret(), verifier: secret() };
}

const nameOf = (isSecure: boolean): string => (isSecure ? '__Host-eas_sign_in' : 'eas_sign_in');
const attributesOf = (isSecure: boolean): string => `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** The Set-Cookie header that keeps the secrets. */
export function keptIn(
  { masterKey, randomness, clock }: HandshakeDeps,
  handshake: Handshake,
  returnTo: string,
  isSecure: boolean,
): string {
  const kept: KeptHandshake = { ...handshake, returnTo, endsAtMs: clock.nowMs() + LIFETIME_SECONDS * 1_000 };
  const value = masterKey.wrap(Buffer.from(JSON.stringify(kept)), CONTEXT, randomness).toString('base64url');
  return `${nameOf(isSecure)}=${value}; ${attributesOf(isSecure)}; Max-Age=${LIFETIME_SECONDS}`;
}

/** The Set-Cookie header that forgets them. */
export const forgotten = (isSecure: boolean): string => `${nameOf(isSecure)}=; ${attributesOf(isSecure)}; Max-Age=0`;

/** Reads the secrets back; null without the cookie, or if it is altered or too old. */
export function keptHandshake(
  { masterKey, clock }: Pick<HandshakeDeps, 'masterKey' | 'clock'>,
  cookieHeader: string | undefined,
  isSecure: boolean,
): KeptHandshake | null {
  const value = cookieIn(cookieHeader, nameOf(isSecure));
  if (value === undefined) return null;
  try {
    const bytes = masterKey.unwrap(Buffer.from(value, 'base64url'), CONTEXT);
    const kept = Kept.parse(JSON.parse(bytes.toString('utf8')));
    return clock.nowMs() < kept.endsAtMs ? kept : null;
  } catch {
    return null;
  }
}
