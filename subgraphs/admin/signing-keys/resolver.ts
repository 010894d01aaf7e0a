import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { jwkThumbprint } from '../../../shared/crypto/ed25519.js';
import { isTenantId } from '../../../shared/ids/tenant.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { signingKeyHistory } from './domain.js';
import {
  activateSigningKey,
  createSigningKey,
  getSigningKey,
  listSigningKeys,
  retireSigningKey,
  revokeSigningKey,
} from './manage-signing-keys.js';
import type { SigningKeyRecord } from './ports.js';
import type { SigningKeyDeps } from './registry.js';
import {
  type JsonWebKey,
  JsonWebKeySet,
  RevocationInput,
  SigningKey,
  SigningKeyFilter,
  SigningKeyInput,
  SigningKeyPage,
} from './schema.js';
import { publicKeyOf } from './sign.js';

/** Keys of one set; decades of yearly rotation make fewer. */
const MAX_SET = 1_000;
const KEY_ID = 'Identifier of the signing key.';

/** Picks the members of the class. */
const shown = showing(SigningKey, (key: SigningKeyRecord) => ({
  public_key: key.x,
  thumbprint: jwkThumbprint(key.x),
  history: signingKeyHistory(key),
}));

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

  @Mutation(() => SigningKey, { description: 'Creates a signing key; it signs once it is activated.' })
  async createSigningKey(
    @Arg('input', () => SigningKeyInput) input: SigningKeyInput,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    return shown(await createSigningKey(this.#deps, context, input.purpose));
  }

  @Mutation(() => SigningKey, { description: 'Activates a signing key and retires the former one.' })
  async activateSigningKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    return shown(await activateSigningKey(this.#deps, context, keyId));
  }

  @Mutation(() => SigningKey, { description: 'Retires a signing key; its signatures stay valid.' })
  async retireSigningKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    return shown(await retireSigningKey(this.#deps, context, keyId));
  }

  @Mutation(() => SigningKey, { description: 'Revokes a signing key from a given time on.' })
  async revokeSigningKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Arg('input', () => RevocationInput) input: RevocationInput,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey> {
    const effectiveAt = input.effective_at ?? undefined;
    return shown(await revokeSigningKey(this.#deps, context, { keyId, reason: input.reason, effectiveAt }));
  }

  @Query(() => SigningKeyPage, { description: 'Lists the signing keys of the tenant.' })
  async signingKeys(
    @Args(() => SigningKeyFilter) filter: SigningKeyFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<SigningKey>> {
    return mapPage(await listSigningKeys(this.#deps, context, listQueryOf(filter)), shown);
  }

  @Query(() => SigningKey, { nullable: true, description: "Returns a signing key; null if it is not the tenant's." })
  async signingKey(
    @Arg('key_id', () => String, { description: KEY_ID }) keyId: string,
    @Ctx() context: RequestContext,
  ): Promise<SigningKey | null> {
    const found = await getSigningKey(this.#deps, context, keyId);
    return found && shown(found);
  }

  /** Public, so that every holder of a bundle can verify it. An unknown tenant has the empty set. */
  @Query(() => JsonWebKeySet, { description: 'Returns the public signing keys of a tenant; needs no scope.' })
  async signingKeySet(
    @Arg('tenant_id', () => String, { description: "The tenant's identifier." }) tenantId: string,
  ): Promise<JsonWebKeySet> {
    if (!isTenantId(tenantId)) return { keys: [] };
    const keys = await this.#deps.signingKeys.forTenant(tenantId).all(MAX_SET);
    return { keys: keys.map(jwkOf) };
  }
}
