import type { Randomness } from '../../../../shared/ids/ids.js';
import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// One-time codes (api.md section 6: 6 digits, 10 minutes, 5 tries, stored hashed): the proof that somebody reads what is sent to a
// member. Tries are taken before they are judged, so that no race buys one more.

export const CODE_DIGITS = 6;
export const CODE_LIFETIME_MS = 10 * 60_000;
export const MAX_TRIES = 5;

export const CODE_STATUSES = ['PENDING', 'VERIFIED', 'LOCKED', 'EXPIRED', 'REVOKED'] as const;
export type CodeStatus = (typeof CODE_STATUSES)[number];

export type CodeAction = 'request' | 'verify' | 'lock' | 'expire' | 'revoke';

const member = { scope: 'member-auth:write' } as const;
const service = { scope: 'internal' } as const;

/** Both machines are one: what asks for the code, and the ledger's words, differ. */
const codeMachine = <W extends string>(name: string, words: W, write: typeof member | { scope: 'ava-access:write' }) =>
  stateMachine<CodeStatus, CodeAction>(name, [
    { from: null, action: 'request', to: 'PENDING', ...write, emits: [`${words}.requested`] },
    { from: 'PENDING', action: 'verify', to: 'VERIFIED', ...write, emits: [`${words}.verified`] },
    { from: 'PENDING', action: 'lock', to: 'LOCKED', ...service, emits: [`${words}.locked`] },
    { from: 'PENDING', action: 'expire', to: 'EXPIRED', ...service, emits: [] },
    { from: 'PENDING', action: 'revoke', to: 'REVOKED', ...write, emits: [`${words}.revoked`] },
  ]);

export const CODE_MACHINES = {
  MEMBER: codeMachine('member authentication', 'member-auth', member),
  AVA: codeMachine('ava access', 'ava-access', { scope: 'ava-access:write' }),
} as const;

export type AccessKind = keyof typeof CODE_MACHINES;

/** The bias of a number of 48 bits taken by the remainder is below 1 in 10^8. */
const CODE_BYTES = 6;

/** A code with leading zeros, every one as likely as any other. */
export function makeCode(randomness: Randomness): string {
  const bytes = Buffer.from(randomness.fill(new Uint8Array(CODE_BYTES)));
  return String(bytes.readUIntBE(0, CODE_BYTES) % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
}
