import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { GrantedScope } from '../../../shared/auth/scopes.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { fault, type Problem, problem } from '../../../shared/errors/problem.js';
import type { Ids, Randomness } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { mintApiKey, shownPartsOf } from '../domain/api-key-format.js';
import { type GrantRefusal, judgeGrant, type Reach } from '../domain/key-grant.js';
import type { ApiKeyHmac, KeyCheck } from './check-api-key.js';
import type { ApiKeyRecord, ApiKeys, StoredApiKey, Tenants } from './ports.js';

export interface CreateApiKeyDeps {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly check: KeyCheck;
  readonly hmac: ApiKeyHmac;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly clock: Clock;
}

export interface NewApiKey {
  /** The target; a request without it means the tenant of the caller. */
  readonly tenant_id?: string | undefined;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at?: string | undefined;
}

export interface CreatedKey {
  readonly record: ApiKeyRecord;
  /** Shown this once; only its HMAC is kept. */
  readonly apiKey: string;
}

/**
 * Makes a key. @throws TENANT_REQUIRED, TENANT_MISMATCH (a tenant's key naming another), FORBIDDEN (scopes not held),
 * VALIDATION_ERROR (unknown scope, expiry not ahead), NOT_FOUND (no such tenant).
 */
export async function createApiKey(
  deps: CreateApiKeyDeps,
  context: RequestContext,
  input: NewApiKey,
): Promise<CreatedKey> {
  requireScope(context, 'admin');
  const target = targetOf(context, input.tenant_id);
  const verdict = judgeGrant(context.principal, target, input.scopes);
  if (verdict.reason !== null) throw refusalOf(verdict);
  const nowMs = deps.clock.nowMs();
  const expiresAt = expiryOf(input.expires_at, nowMs);
  if (target !== ANY_TENANT && (await deps.tenants.within(ANY_TENANT).get(target)) === null) {
    throw problem('NOT_FOUND', { message: 'No such tenant.' });
  }
  const minted = mintApiKey(deps.randomness);
  const key: StoredApiKey = {
    ...freshRecord(deps.ids, minted.apiKey, nowMs),
    tenant_id: target as Reach,
    name: input.name,
    scopes: verdict.scopes,
    created_by: context.principal.keyId,
    expires_at: expiresAt,
    lookup_id: minted.lookupId,
    key_hmac: deps.hmac.of(minted.apiKey).toString('hex'),
    bootstrap_round: null,
  };
  if (!(await deps.keys.insert(key))) throw new Error('a fresh API key collided with a stored one');
  deps.check.forget(key);
  return { record: key, apiKey: minted.apiKey };
}

/** What every new key has in common, whoever makes it. */
export function freshRecord(
  ids: Ids,
  apiKey: string,
  nowMs: number,
): Pick<ApiKeyRecord, 'key_id' | 'prefix' | 'last_four' | 'created_at' | 'last_used_at' | 'revoked_at' | 'revoked_by'> {
  return {
    key_id: ids.next('key'),
    ...shownPartsOf(apiKey),
    created_at: new Date(nowMs),
    last_used_at: null,
    revoked_at: null,
    revoked_by: null,
  };
}

function targetOf(context: RequestContext, named: string | undefined): string {
  const own = context.principal.tenantId ?? context.tenantId;
  if (named === undefined) {
    if (own === null) throw problem('TENANT_REQUIRED', { message: 'Name the tenant of the key in tenant_id.' });
    return own;
  }
  // A tenant's key naming another tenant is a mismatch, judged with the grant; an operator contradicting itself is not.
  if (context.principal.tenantId === null && own !== null && own !== named) {
    throw invalid('/tenant_id', 'tenant', 'Differs from the tenant that the request names.');
  }
  return named;
}

function expiryOf(text: string | undefined, nowMs: number): Date | null {
  if (text === undefined) return null;
  const instantMs = instantOf(text);
  if (instantMs === undefined) throw invalid('/expires_at', 'format', 'Must be an RFC 3339 time with a zone.');
  if (instantMs <= nowMs) throw invalid('/expires_at', 'range', 'Must be ahead of now.');
  return new Date(instantMs);
}

const invalid = (path: string, code: string, message: string): Problem =>
  problem('VALIDATION_ERROR', { errors: [fault(path, code, message)] });

function refusalOf(refusal: GrantRefusal): Problem {
  switch (refusal.reason) {
    case 'FOREIGN_TENANT':
      return problem('TENANT_MISMATCH');
    case 'OPERATORS_ONLY':
      return problem('FORBIDDEN', { message: 'Only a platform operator makes operator keys.' });
    case 'NOT_HELD':
      return problem('FORBIDDEN', {
        message: `This key cannot grant what it does not hold: ${listed(refusal.scopes)}.`,
      });
    case 'UNKNOWN_SCOPES':
      return problem('VALIDATION_ERROR', {
        errors: refusal.indexes.map((index) => fault(`/scopes/${index}`, 'scope', 'Not a scope of this service.')),
      });
    case 'OPERATOR_SCOPE_IN_TENANT':
      return invalid(`/scopes/${refusal.index}`, 'scope', 'The scope * belongs to operator keys (tenant_id *).');
    case 'NO_OPERATOR_SCOPE':
      return invalid('/scopes', 'scope', 'An operator key (tenant_id *) holds the scope *.');
  }
}

const listed = (scopes: readonly GrantedScope[]): string => scopes.join(', ');
