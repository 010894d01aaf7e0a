import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import type { Principal, RequestContext } from './context.js';
import type { HeldScope } from './scopes.js';

/** Lives just long enough for one request to reach another process. */
export const INTERNAL_TOKEN_LIFETIME_MS = 60_000;
/** Clocks of two machines may differ by this much. */
const SKEW_MS = 5_000;
const VERSION = 'v1';
const PURPOSE = 'eas internal token v1';

interface Claims {
  readonly exp: number;
  readonly context: Omit<RequestContext, 'principal'> & {
    readonly principal: Omit<Principal, 'scopes'> & { readonly scopes: readonly HeldScope[] };
  };
}

/**
 * Carries a request's identity between processes of one deployment: `v1.<claims>.<HMAC-SHA256>`, the claims being the
 * whole RequestContext as JSON. Every member travels, so the context must stay plain data (its scopes are the one Set).
 */
export class InternalTokens {
  readonly #key: Buffer;
  readonly #clock: Clock;

  /** @param secret SERVICE_INTERNAL_SECRET; the same in every process. */
  constructor(secret: string, clock: Clock) {
    // A key of its own by purpose, so that the secret can never sign anything else.
    this.#key = createHmac('sha256', secret).update(PURPOSE).digest();
    this.#clock = clock;
  }

  mint(context: RequestContext): string {
    const { principal } = context;
    const claims: Claims = {
      exp: this.#clock.nowMs() + INTERNAL_TOKEN_LIFETIME_MS,
      context: { ...context, principal: { ...principal, scopes: [...principal.scopes] } },
    };
    const body = `${VERSION}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    return `${body}.${this.#sign(body).toString('base64url')}`;
  }

  /** The identity of a token that this deployment minted and that has not expired; undefined for anything else. */
  verify(token: string): RequestContext | undefined {
    const end = token.lastIndexOf('.');
    if (end < 0 || !token.startsWith(`${VERSION}.`)) return undefined;
    const body = token.slice(0, end);
    const presented = Buffer.from(token.slice(end + 1), 'base64url');
    const expected = this.#sign(body);
    if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return undefined;
    // Signed by this deployment, so the claims are what mint wrote.
    const claims = JSON.parse(Buffer.from(body.slice(VERSION.length + 1), 'base64url').toString('utf8')) as Claims;
    const leftMs = claims.exp - this.#clock.nowMs();
    if (leftMs < -SKEW_MS || leftMs > INTERNAL_TOKEN_LIFETIME_MS + SKEW_MS) return undefined;
    const { principal } = claims.context;
    return { ...claims.context, principal: { ...principal, scopes: new Set(principal.scopes) } };
  }

  #sign(body: string): Buffer {
    return createHmac('sha256', this.#key).update(body).digest();
  }
}
