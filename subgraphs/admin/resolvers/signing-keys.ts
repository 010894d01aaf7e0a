import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { jwkThumbprint } from '../../../shared/crypto/ed25519.js';
import { isTenantId } from '../../../shared/ids/tenant.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { signingKeyHistory } from '../domain/signing-key-history.js';
import {
  type JsonWebKey,
  JsonWebKeySet,
  RevocationInput,
  SigningKey,
  SigningKeyFilter,
  SigningKeyInput,
  SigningKeyPage,
} from '../schema/signing-key.js';
import {
  activateSigningKey,
  createSigningKey,
  getSigningKey,
  listSigningKeys,
  retireSigningKey,
  revokeSigningKey,
} from '../service/manage-signing-keys.js';
import type { SigningKeyRecord } from '../service/ports/signing-key-store.js';
import { publicKeyOf } from '../service/sign.js';
import type { SigningKeyDeps } from '../service/signing-key-registry.js';
import { listWindowOf } from './list-window.js';

/** More keys than a tenant comes to in decades of yearly rotation. */
const MAX_SET = 1_000;
const KEY_ID = 'Identifier of the signing key.';

const timeOrNull = (at: Date | null): string | null => (at === null ? null : isoTime(at.getTime()));

/** Member by member, so that the wrapped seed cannot slip out. */
const shown = (key: SigningKeyRecord): SigningKey => ({
  key_id: key.key_id,
  tenant_id: key.tenant_id,
  purpose: key.purpose,
  algorithm: key.algorithm,
  status: key.status,
  public_key: key.x,
  created_at: isoTime(key.created_at.getTime()),
  created_by: key.created_by,
  activated_at: timeOrNull(key.activated_at),
  retired_at: timeOrNull(key.retired_at),
  revoked_at: timeOrNull(key.revoked_at),
  revocation_reason: key.revocation_reason,
  revocation_effective_at: timeOrNull(key.revocation_effective_at),
  thumbprint: jwkThumbprint(key.x),
  history: signingKeyHistory(key),
});

function jwkOf(record: SigningKeyRecord): JsonWebKey {
  const key = publicKeyOf(record);
  const { purpose, status, from, until, revocation, history } = key;
  const compromised = revocation?.reason === 'KEY_COMPROMISE' ? { compromised_from: revocation.effective_at } : {};
  const named = { kid: key.key_id, thumbprint: jwkThumbprint(record.x), use: 'sig', alg: 'EdDSA' } as const;
  return { ...key.public_key, ...named, purpose, status, from, until, ...compromised, history: [...history] };
}

@Resolver()
export class SigningKeyResolver {
  readonly #deps: SigningKeyDeps;

  constructor(deps: SigningKeyDeps) {
    this.#deps = deps;
  }

  @Mutation(() => SigningKey, { description: 'Makes a signing key, which signs nothing until it is activated.' })
  async createSigningKey(
    @Arg('input', () => SigningKeyInput) input: SigningKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    return shown(await createSigningKey(this.#deps, context, input.purpose));
  }

  @Mutation(() => SigningKey, { description: 'Makes a key the one that signs, and retires the former.' })
  async activateSigningKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    return shown(await activateSigningKey(this.#deps, context, keyId));
  }

  @Mutation(() => SigningKey, { description: "Ends a key's span of signing; what it signed stays good." })
  async retireSigningKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    return shown(await retireSigningKey(this.#deps, context, keyId));
  }

  @Mutation(() => SigningKey, { description: 'Ends a key that is not to be trusted from some instant on.' })
  async revokeSigningKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Arg('input', () => RevocationInput) input: RevocationInput,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    const effectiveAt = input.effective_at ?? undefined;
    return shown(await revokeSigningKey(this.#deps, context, { keyId, reason: input.reason, effectiveAt }));
  }

  @Query(() => SigningKeyPage, { description: 'Signing keys of the tenant.' })
  async signingKeys(
    @Args(() => SigningKeyFilter) filter: SigningKeyFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<SigningKey>> {
    const { name: _, ...window } = listWindowOf(filter);
    const query = { ...window, purpose: filter.purpose ?? undefined, status: filter.status ?? undefined };
    const page = await listSigningKeys(this.#deps, context, query);
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => SigningKey, { nullable: true, description: "One signing key; null when it is not the tenant's." })
  async signingKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey | null> {
    const found = await getSigningKey(this.#deps, context, keyId);
    return found && shown(found);
  }

  /** Open to everyone: who holds a bundle must be able to check it. An unknown tenant has the empty set. */
  @Query(() => JsonWebKeySet, { description: 'The public signing keys of a tenant; needs no scope.' })
  async signingKeySet(
    @Arg('tenant_id', () => String, { description: "The tenant's identifier." }) tenantId: string,
  ): Promise<JsonWebKeySet> {
    if (!isTenantId(tenantId)) return { keys: [] };
    const keys = await this.#deps.signingKeys.forTenant(tenantId).all(MAX_SET);
    return { keys: keys.map(jwkOf) };
  }
}
