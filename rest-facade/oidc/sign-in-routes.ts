import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OIDC_CALLBACK_PATH, type OidcSettings } from '../../shared/config/oidc.js';
import type { PersonSessions, PersonSignIn } from '../../shared/contracts/tenants.js';
import type { MasterKey } from '../../shared/crypto/master-key.js';
import type { Randomness } from '../../shared/ids/ids.js';
import { describeUnexpected } from '../../shared/telemetry/describe-error.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { objectOf } from '../object-of.js';
import { CONSOLE_PATH } from '../pages/console.js';
import { sessionCookie } from '../plugins/session-cookie.js';
import { forgotten, keptHandshake, keptIn, newHandshake } from './handshake-cookie.js';
import { type Claims, SignInProvider, SignInRefused } from './provider.js';

/** Ways to sign in, for the console. */
const SIGN_IN_WAYS_PATH = `${CONSOLE_PATH}/sign-in/ways`;
const START_PATH = `${CONSOLE_PATH}/sign-in/oidc`;

export const SIGN_IN_PATHS = [SIGN_IN_WAYS_PATH, START_PATH, OIDC_CALLBACK_PATH] as const;

/** Why a sign-in failed, as the console shows it. */
type Failure = 'provider' | 'refused' | 'expired' | 'unknown_person';

interface SignInDeps {
  readonly oidc: OidcSettings | null;
  readonly personSessions: PersonSessions;
  readonly masterKey: MasterKey;
  readonly randomness: Randomness;
  readonly clock: { nowMs(): number };
  readonly logger: Logger;
}

/**
 * Serves the sign-in of persons: `GET /console/sign-in/oidc?return_to=` leads to the provider, which leads back to the
 * callback. The callback opens a session and leads to the place in the console. A failure leads to the sign-in page.
 */
export function serveSignIn(server: FastifyInstance, deps: SignInDeps): void {
  const { oidc } = deps;
  server.get(SIGN_IN_WAYS_PATH, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ key: true, oidc: oidc !== null }),
  );
  if (oidc === null) return;
  const provider = new SignInProvider(oidc);
  server.get(START_PATH, (request, reply) => start(deps, oidc, provider, request, reply));
  server.get(OIDC_CALLBACK_PATH, (request, reply) => finish(deps, oidc, provider, request, reply));
}

const isSecure = ({ redirectUrl }: OidcSettings): boolean => redirectUrl.startsWith('https:');

async function start(
  deps: SignInDeps,
  oidc: OidcSettings,
  provider: SignInProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const handshake = newHandshake(deps);
  const returnTo = placeIn(objectOf(request.query)['return_to']);
  try {
    const address = await provider.begin(handshake);
    return reply
      .header('set-cookie', keptIn(deps, handshake, returnTo, isSecure(oidc)))
      .header('cache-control', 'no-store')
      .redirect(address.href);
  } catch (error) {
    deps.logger.warn(describeUnexpected(error), 'the sign-in provider does not answer');
    return failed(reply, oidc, 'provider', returnTo);
  }
}

async function finish(
  deps: SignInDeps,
  oidc: OidcSettings,
  provider: SignInProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const kept = keptHandshake(deps, request.headers.cookie, isSecure(oidc));
  if (kept === null) return failed(reply, oidc, 'expired', CONSOLE_PATH);
  const [, query = ''] = request.url.split('?');
  try {
    const claims = await provider.finish(query, kept);
    const token = await deps.personSessions.open(personOf(oidc, claims, request.ip));
    if (token === null) return failed(reply, oidc, 'unknown_person', kept.returnTo);
    return reply
      .header('set-cookie', [forgotten(isSecure(oidc)), sessionCookie(isSecure(oidc)).set(token)])
      .header('cache-control', 'no-store')
      .redirect(kept.returnTo);
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    deps.logger.warn(describeUnexpected(error.cause ?? error), 'a sign-in at the provider failed');
    return failed(reply, oidc, 'refused', kept.returnTo);
  }
}

/** The person of the claims. A tenant or roles that no claim names are empty, and open nothing. */
function personOf({ tenant, roles }: OidcSettings, { subject, email, all }: Claims, address: string): PersonSignIn {
  const tenantId = 'id' in tenant ? tenant.id : all[tenant.claim];
  const values = roles === null ? [] : textsOf(all[roles.claim]);
  return {
    tenant_id: typeof tenantId === 'string' ? tenantId : '',
    subject,
    email,
    role_ids: roles === null ? null : [...new Set(values.flatMap((value) => roles.byValue.get(value) ?? []))].sort(),
    address,
  };
}

/** A claim of groups is a list, or one text. */
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');

const failed = (reply: FastifyReply, oidc: OidcSettings, failure: Failure, returnTo: string): FastifyReply => {
  const [path = CONSOLE_PATH, query = ''] = returnTo.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('sign_in', failure);
  return reply
    .header('set-cookie', forgotten(isSecure(oidc)))
    .header('cache-control', 'no-store')
    .redirect(`${path}?${parameters}`);
};

const PLACE = new RegExp(`^${CONSOLE_PATH}(?:[/?][\\x21-\\x5b\\x5d-\\x7e]*)?$`);

/** A place in the console, never another site: its path begins with the console's and has no backslash. */
const placeIn = (value: unknown): string =>
  typeof value === 'string' && value.length <= 2_000 && PLACE.test(value) && !value.includes('#')
    ? value
    : CONSOLE_PATH;
