import { z } from 'zod';
import { TENANT_ID_PATTERN } from '../ids/tenant.js';
import { roleMap } from './compound-values.js';
import { ConfigError, type ConfigTable, entry, secret, type ValuesOf } from './entry.js';

// The settings of the console's sign-in provider.

/** Path of the facade to which the sign-in provider returns. */
export const OIDC_CALLBACK_PATH = '/console/sign-in/oidc/callback';

/** Variables of the sign-in provider. */
export const OIDC_TABLE = {
  SERVICE_OIDC_ISSUER: entry(
    z.string().refine((text) => /^https?:\/\/./.test(text) && URL.canParse(text), 'an http or https address'),
    null,
    'Sign-in provider (OpenID Connect) of the console; API keys alone sign in by default.',
  ),
  SERVICE_OIDC_CLIENT_ID: entry(z.string().min(1), null, 'Identifier of this service at the sign-in provider.'),
  SERVICE_OIDC_CLIENT_SECRET: secret(
    entry(z.string().min(1), null, 'Secret of this service at the sign-in provider; none for a public client.'),
  ),
  SERVICE_OIDC_REDIRECT_URL: entry(
    z
      .string()
      .refine(
        (text) => URL.canParse(text) && text.endsWith(OIDC_CALLBACK_PATH),
        `an address that ends with ${OIDC_CALLBACK_PATH}`,
      ),
    null,
    `Address to which the provider returns, as registered there: https://HOST${OIDC_CALLBACK_PATH}.`,
  ),
  SERVICE_OIDC_TENANT: entry(
    z.string().regex(new RegExp(TENANT_ID_PATTERN), 'the identifier of a tenant'),
    null,
    'Tenant whose actors sign in; or name a claim in SERVICE_OIDC_TENANT_CLAIM.',
  ),
  SERVICE_OIDC_TENANT_CLAIM: entry(z.string().min(1), null, 'Claim with the tenant of the person.'),
  SERVICE_OIDC_ROLES_CLAIM: entry(
    z.string().min(1),
    null,
    "Claim with groups or roles of the person; the actor's own roles count by default.",
  ),
  SERVICE_OIDC_ROLES: entry(
    roleMap,
    null,
    'Role of each value of the roles claim: `claims-analysts=analyst,legal=auditor`. Other values give nothing.',
  ),
  SERVICE_OIDC_SCOPES: entry(z.string().min(1), 'openid email profile', 'Scopes that a sign-in asks for.'),
} as const satisfies ConfigTable;

/** The sign-in provider of the console (OpenID Connect). */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly redirectUrl: string;
  /** The tenant of all persons, or the claim that names it. */
  readonly tenant: { readonly id: string } | { readonly claim: string };
  /** Null where the roles of the actor count. */
  readonly roles: { readonly claim: string; readonly byValue: ReadonlyMap<string, string> } | null;
  readonly scopes: string;
}

/** @throws ConfigError for a sign-in provider with missing or contradicting settings. */
export function oidcFrom(e: ValuesOf<typeof OIDC_TABLE>): OidcSettings | null {
  const { SERVICE_OIDC_ISSUER: issuer, SERVICE_OIDC_CLIENT_ID: clientId, SERVICE_OIDC_REDIRECT_URL: redirectUrl } = e;
  if (issuer === null) return null;
  const refuse = (fault: string): never => {
    throw new ConfigError(`Configuration refused:\n  ${fault}`);
  };
  if (clientId === null || redirectUrl === null) {
    return refuse('SERVICE_OIDC_ISSUER: needs SERVICE_OIDC_CLIENT_ID and SERVICE_OIDC_REDIRECT_URL');
  }
  for (const [name, url] of [
    ['ISSUER', issuer],
    ['REDIRECT_URL', redirectUrl],
  ] as const) {
    if (!isProtected(new URL(url)))
      refuse(`SERVICE_OIDC_${name}: an http address is allowed on the loopback address alone`);
  }
  const { SERVICE_OIDC_TENANT: id, SERVICE_OIDC_TENANT_CLAIM: claim } = e;
  if ((id === null) === (claim === null)) {
    refuse('SERVICE_OIDC_ISSUER: needs one of SERVICE_OIDC_TENANT and SERVICE_OIDC_TENANT_CLAIM');
  }
  const { SERVICE_OIDC_ROLES_CLAIM: rolesClaim, SERVICE_OIDC_ROLES: byValue } = e;
  if ((rolesClaim === null) !== (byValue === null)) {
    refuse('SERVICE_OIDC_ROLES_CLAIM: needs SERVICE_OIDC_ROLES, and the other way round');
  }
  return {
    issuer,
    clientId,
    clientSecret: e.SERVICE_OIDC_CLIENT_SECRET,
    redirectUrl,
    tenant: id === null ? { claim: claim ?? '' } : { id },
    roles: rolesClaim === null || byValue === null ? null : { claim: rolesClaim, byValue },
    scopes: e.SERVICE_OIDC_SCOPES,
  };
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const isProtected = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || LOOPBACK.has(hostname);
