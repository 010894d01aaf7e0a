import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import { reachOf } from '../domain/key-grant.js';
import type { ApiKeyQuery, ApiKeyRecord, ApiKeys } from './ports.js';

/**
 * Keys in the caller's reach: a tenant's administrator sees its tenant's, an operator those of the tenant it names, or
 * all of them, operator keys included, when it names none.
 */
export async function listApiKeys(
  deps: { readonly keys: ApiKeys; readonly clock: Clock },
  context: RequestContext,
  query: Omit<ApiKeyQuery, 'nowMs'>,
): Promise<Page<ApiKeyRecord>> {
  requireScope(context, 'admin');
  const reach = reachOf(context.principal, context.tenantId);
  const rows = await deps.keys.within(reach).list({ ...query, nowMs: deps.clock.nowMs() });
  return pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.key_id }));
}

/** Null for a key that is not there and for one out of reach: the two must not differ. */
export async function getApiKey(
  deps: { readonly keys: ApiKeys },
  context: RequestContext,
  keyId: string,
): Promise<ApiKeyRecord | null> {
  requireScope(context, 'admin');
  if (!isIdOf('key', keyId)) return null;
  return deps.keys.within(reachOf(context.principal, context.tenantId)).get(keyId);
}
