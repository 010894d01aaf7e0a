import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { apiKeyStatusAt } from '../domain/api-key-status.js';
import { ApiKey, ApiKeyFilter, ApiKeyInput, ApiKeyPage, CreatedApiKey } from '../schema/api-key.js';
import { type CreateApiKeyDeps, createApiKey } from '../service/create-api-key.js';
import type { ApiKeyRecord } from '../service/ports.js';
import { listApiKeys } from '../service/read-api-keys.js';
import { revokeApiKey } from '../service/revoke-api-key.js';
import { listWindowOf } from './list-window.js';

const timeOrNull = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** Member by member, so that what a stored key holds besides (its HMAC) cannot slip out. */
const shown = (key: ApiKeyRecord, nowMs: number): ApiKey => ({
  key_id: key.key_id,
  tenant_id: key.tenant_id,
  name: key.name,
  scopes: [...key.scopes],
  prefix: key.prefix,
  last_four: key.last_four,
  status: apiKeyStatusAt(key, nowMs),
  created_at: isoTime(key.created_at.getTime()),
  created_by: key.created_by,
  expires_at: timeOrNull(key.expires_at),
  last_used_at: timeOrNull(key.last_used_at),
  revoked_at: timeOrNull(key.revoked_at),
  revoked_by: key.revoked_by,
});

@Resolver()
export class ApiKeyResolver {
  readonly #deps: CreateApiKeyDeps;

  constructor(deps: CreateApiKeyDeps) {
    this.#deps = deps;
  }

  @Mutation(() => CreatedApiKey, { description: 'Makes an API key, which is shown this once.' })
  async createApiKey(
    @Arg('input', () => ApiKeyInput) input: ApiKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<CreatedApiKey> {
    const created = await createApiKey(this.#deps, context, input);
    return { ...shown(created.record, this.#deps.clock.nowMs()), api_key: created.apiKey };
  }

  @Query(() => ApiKeyPage, { description: 'API keys in reach, revoked and expired ones included.' })
  async apiKeys(@Args(() => ApiKeyFilter) filter: ApiKeyFilter, @Ctx() context: RequestContext): Promise<Page<ApiKey>> {
    const query = { ...listWindowOf(filter), status: filter.status ?? undefined };
    const page = await listApiKeys(this.#deps, context, query);
    const nowMs = this.#deps.clock.nowMs();
    return { items: page.items.map((key) => shown(key, nowMs)), next_cursor: page.next_cursor };
  }

  @Mutation(() => ApiKey, { description: 'Ends an API key for good; its record stays.' })
  async revokeApiKey(
    @Arg('key_id', () => String, { description: 'Identifier of the key.' }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<ApiKey> {
    return shown(await revokeApiKey(this.#deps, context, keyId), this.#deps.clock.nowMs());
  }
}
