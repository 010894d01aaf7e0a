import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { apiKeyStatusAt, DEFAULT_GRACE_SECONDS } from '../domain/api-key-status.js';
import { ApiKey, ApiKeyFilter, ApiKeyInput, ApiKeyPage, CreatedApiKey, RotationInput } from '../schema/api-key.js';
import { type ApiKeyDeps, type CreatedKey, createApiKey } from '../service/create-api-key.js';
import type { ApiKeyRecord } from '../service/ports.js';
import { getApiKey, listApiKeys } from '../service/read-api-keys.js';
import { revokeApiKey } from '../service/revoke-api-key.js';
import { rotateApiKey } from '../service/rotate-api-key.js';
import { listWindowOf, withoutNulls } from './list-window.js';

const timeOrNull = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** Member by member, so that what a stored key holds besides (its HMAC) cannot slip out. */
const shown = (key: ApiKeyRecord, nowMs: number): ApiKey => ({
  key_id: key.key_id,
  tenant_id: key.tenant_id,
  name: key.name,
  scopes: [...key.scopes],
  role_ids: [...key.role_ids],
  actor_id: key.actor_id,
  allowed_cidrs: [...key.allowed_cidrs],
  prefix: key.prefix,
  last_four: key.last_four,
  status: apiKeyStatusAt(key, nowMs),
  created_at: isoTime(key.created_at.getTime()),
  created_by: key.created_by,
  expires_at: timeOrNull(key.expires_at),
  grace_ends_at: timeOrNull(key.grace_ends_at),
  rotated_to: key.rotated_to,
  rotated_from: key.rotated_from,
  last_used_at: timeOrNull(key.last_used_at),
  last_used_address: key.last_used_address,
  revoked_at: timeOrNull(key.revoked_at),
  revoked_by: key.revoked_by,
});

@Resolver()
export class ApiKeyResolver {
  readonly #deps: ApiKeyDeps;

  constructor(deps: ApiKeyDeps) {
    this.#deps = deps;
  }

  @Mutation(() => CreatedApiKey, { description: 'Makes an API key, which is shown this once.' })
  async createApiKey(
    @Arg('input', () => ApiKeyInput) input: ApiKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<CreatedApiKey> {
    return this.#withSecret(await createApiKey(this.#deps, context, withoutNulls(input)));
  }

  @Mutation(() => CreatedApiKey, { description: 'Gives an API key a successor, which is shown this once.' })
  async rotateApiKey(
    @Arg('key_id', () => String, { description: 'Identifier of the key.' }) keyId: string,
    @Arg('input', () => RotationInput) input: RotationInput,
    @Ctx() context: RequestContext,
  ): Promise<CreatedApiKey> {
    const graceSeconds = input.grace_seconds ?? DEFAULT_GRACE_SECONDS;
    return this.#withSecret(await rotateApiKey(this.#deps, context, { keyId, graceSeconds }));
  }

  @Query(() => ApiKey, { nullable: true, description: 'One API key; null when it is not in reach.' })
  async apiKey(
    @Arg('key_id', () => String, { description: 'Identifier of the key.' }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<ApiKey | null> {
    const found = await getApiKey(this.#deps, context, keyId);
    return found === null ? null : shown(found, this.#deps.clock.nowMs());
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

  #withSecret({ record, apiKey }: CreatedKey): CreatedApiKey {
    return { ...shown(record, this.#deps.clock.nowMs()), api_key: apiKey };
  }
}
