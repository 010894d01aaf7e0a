import { Arg, Ctx, Directive, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { FrozenMap, MapLogKind, MapLogPage } from '../../../shared/state-map/calls.js';
import type { TenantContexts } from '../append/index.js';
import type { FrozenMaps } from './frozen-maps.js';

interface StateMapResolverDeps {
  readonly contexts: TenantContexts;
  readonly frozen: FrozenMaps;
}

const TREE_SIZE = { description: 'Number of entries that the map follows from.' };
const HOLDER = { description: 'Names the build.' };

/** The port `StateMaps`, for the bundles subgraph. */
@Resolver()
export class StateMapResolver {
  readonly #deps: StateMapResolverDeps;

  constructor(deps: StateMapResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Freezes a state map for a build (FrozenMap).' })
  async mapAt(@Ctx() context: RequestContext, @Arg('holder', () => String, HOLDER) holder: string): Promise<FrozenMap> {
    return this.#deps.frozen.freeze(authorise(context, INTERNAL_SCOPE), holder);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'A slice of the proof of many keys (MapProofSlice).' })
  async mapProof(
    @Ctx() context: RequestContext,
    @Arg('tree_size', () => SafeInteger, TREE_SIZE) treeSize: number,
    @Arg('keys', () => [String], { description: 'Sorted keys, in hex.' }) keys: string[],
    @Arg('after', () => String, { nullable: true, description: 'Last key of the slice before.' }) after: string | null,
    @Arg('last', () => Boolean, { description: 'Whether the proof ends here.' }) last: boolean,
  ): Promise<{ readonly tokens: string }> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const tokens = await this.#deps.frozen.proof(tenantId, treeSize, { keys, after: after ?? null, last });
    return { tokens: tokens.toString('base64') };
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Leaves of a log of the state map (MapLogPage).' })
  async logEntries(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Kind of the log.' }) kind: MapLogKind,
    @Arg('id', () => String, { description: 'Tag of the member, matter or incident.' }) id: string,
    @Arg('tree_size', () => SafeInteger, TREE_SIZE) treeSize: number,
    @Arg('from', () => SafeInteger, { description: 'First leaf.' }) from: number,
    @Arg('limit', () => Int, { description: 'Most leaves.' }) limit: number,
  ): Promise<MapLogPage> {
    return this.#deps.frozen.log(authorise(context, INTERNAL_SCOPE), treeSize, { kind, id, from, limit });
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Tags of members (a list of texts).' })
  async memberTagsOf(
    @Ctx() context: RequestContext,
    @Arg('member_ids', () => [String], { description: 'The members.' }) memberIds: string[],
  ): Promise<readonly string[]> {
    const { memberTags } = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    return memberIds.map((memberId) => memberTags.of(memberId));
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Lets go of the state map of a build.' })
  async unpinMap(
    @Ctx() context: RequestContext,
    @Arg('holder', () => String, HOLDER) holder: string,
  ): Promise<boolean> {
    await this.#deps.frozen.release(authorise(context, INTERNAL_SCOPE), holder);
    return true;
  }
}
