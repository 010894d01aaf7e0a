import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import type { Principal, RequestContext } from './context.js';
import type { HeldScope } from './scopes.js';

/** Lives just long enough for one request to reach another process. */
const INTERNAL_TOKEN_LIFETIME_MS = 60_000;
/** Clocks of two machines may differ by this much. */
const SKEW_MS = 5_000;
const VERSION = 'v1';
const PURPOSE = 'eas internal token v1';

/** Principals kept in memory as text or object; a process sees the same ones again and again. */
const MAX_KNOWN_PRINCIPALS = 1_000;

type PlainPrincipal = Omit<Principal, 'scopes'> & { readonly scopes: readonly HeldScope[] };

interface Claims {
  readonly exp: number;
  readonly context: Omit<RequestContext, 'principal' | 'signal'>;
}

/**
 * Carries a request's identity between processes of one deployment: `v1.<principal>.<claims>.<HMAC-SHA256>`, principal and
 * claims being together the whole RequestContext as JSON. Every member but the signal travels, so the context must stay plain
 * data (its scopes are the one Set). The connection of the call carries the signal. The principal is a separate part, so that its long list of scopes is serialised once for
 * many requests.
 */
export class InternalTokens {
  readonly #key: Buffer;
  readonly #clock: Clock;
  readonly #texts = new WeakMap<Principal, string>();
  /** By their text; only what came in a token that was signed. */
  readonly #principals = new Map<string, Principal>();

  /** @param secret SERVICE_INTERNAL_SECRET; the same in every process. */
  constructor(secret: string, clock: Clock) {
    // Derives a key for this purpose only, so that the secret can never sign anything else.
    this.#key = createHmac('sha256', secret).update(PURPOSE).digest();
    this.#clock = clock;
  }

  mint({ principal, signal: _, ...context }: RequestContext): string {
    const claims: Claims = { exp: this.#clock.nowMs() + INTERNAL_TOKEN_LIFETIME_MS, context };
    const body = `${VERSION}.${this.#textOf(principal)}.${encoded(claims)}`;
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
    // Signed by this deployment, so the parts are what mint wrote.
    const [, principal = '', claimed = ''] = body.split('.');
    const claims: Claims = decoded(claimed);
    const leftMs = claims.exp - this.#clock.nowMs();
    if (leftMs < -SKEW_MS || leftMs > INTERNAL_TOKEN_LIFETIME_MS + SKEW_MS) return undefined;
    return { ...claims.context, principal: this.#principalOf(principal) };
  }

  #textOf(principal: Principal): string {
    const known = this.#texts.get(principal);
    if (known !== undefined) return known;
    const plain: PlainPrincipal = { ...principal, scopes: [...principal.scopes] };
    const text = encoded(plain);
    this.#texts.set(principal, text);
    return text;
  }

  #principalOf(text: string): Principal {
    const known = this.#principals.get(text);
    if (known) return known;
    const plain: PlainPrincipal = decoded(text);
    const principal: Principal = { ...plain, scopes: new Set(plain.scopes) };
    if (this.#principals.size >= MAX_KNOWN_PRINCIPALS) this.#principals.clear();
    this.#principals.set(text, principal);
    return principal;
  }

  #sign(body: string): Buffer {
    return createHmac('sha256', this.#key).update(body).digest();
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Only text that this deployment has signed is decoded. */
const decoded = <T>(text: string): T => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
