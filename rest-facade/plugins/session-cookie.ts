import type { FastifyRequest } from 'fastify';
import { problem } from '../../shared/errors/problem.js';

// A browser holds its session in a cookie that no script can read. `__Host-` binds it to one host over HTTPS; on the loopback
// address of a developer's machine, where there is no HTTPS, it has a plain name.

const SECURE_NAME = '__Host-eas_session';
const LOOPBACK_NAME = 'eas_session';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

type CookieRequest = Pick<FastifyRequest, 'headers' | 'method' | 'host' | 'hostname' | 'protocol'>;

/** Returns the token in the cookie of a session, if the request has one. */
export function sessionTokenIn(request: CookieRequest): string | undefined {
  // A plain name proves nothing beyond the loopback address: a neighbouring host could set it.
  const names = isLoopback(request) ? [SECURE_NAME, LOOPBACK_NAME] : [SECURE_NAME];
  for (const name of names) {
    const found = cookieIn(request.headers.cookie, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value of a cookie in a Cookie header; undefined if it is missing or empty. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** Rejects a write by cookie from a page of another origin. @throws FORBIDDEN */
export function refuseForeignOrigin(request: CookieRequest): void {
  if (!READS.has(request.method) && ownOrigin(request) === null) {
    throw problem('FORBIDDEN', {
      message: 'A session writes only from pages of this origin: Origin is missing or foreign.',
    });
  }
}

/** How the cookie of a session is set and cleared for this request. */
export interface SessionCookie {
  set(token: string): string;
  readonly cleared: string;
}

/** Null where a browser would not keep the cookie safe: a foreign Origin, or plain HTTP to another machine. */
export function sessionCookieFor(request: CookieRequest): SessionCookie | null {
  const origin = ownOrigin(request);
  if (origin === null) return null;
  const isSecure = origin.protocol === 'https:';
  if (!isSecure && !isLoopback(request)) return null;
  return sessionCookie(isSecure);
}

/** The cookie of a session. @param isSecure whether the browser reaches the service over HTTPS. */
export function sessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? SECURE_NAME : LOOPBACK_NAME;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    set: (token) => `${name}=${token}; ${attributes}`,
    cleared: `${name}=; ${attributes}; Max-Age=0`,
  };
}

/** The page's origin if it names the host of the request. The browser knows whether it is HTTPS, also behind a proxy. */
function ownOrigin(request: CookieRequest): URL | null {
  const { origin } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return null;
  const parsed = new URL(origin);
  return parsed.host === hostOf(parsed.protocol, request.host) ? parsed : null;
}

/** Leaves out the default port, as an origin does. */
function hostOf(protocol: string, host: string): string | null {
  const address = `${protocol}//${host}`;
  return URL.canParse(address) ? new URL(address).host : null;
}

const isLoopback = ({ hostname }: CookieRequest): boolean => LOOPBACK_HOSTS.has(hostname);
