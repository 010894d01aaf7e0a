import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { Bundle, BundleFilter, BundlePage, BundleRequest } from '../schema/bundle.js';
import { getBundle, listBundles } from '../service/read-bundles.js';
import { type RequestDeps, regenerateBundle, requestBundle } from '../service/request-bundle.js';
import { shownBundle } from './shown-bundle.js';

const BUNDLE_ID = { description: 'The bundle.' };

/** Bundles: asked for and looked at. */
@Resolver()
export class BundleResolver {
  readonly #deps: RequestDeps;

  constructor(deps: RequestDeps) {
    this.#deps = deps;
  }

  @Query(() => BundlePage, { description: 'Bundles of the tenant.' })
  async bundles(@Args(() => BundleFilter) filter: BundleFilter, @Ctx() context: RequestContext): Promise<Page<Bundle>> {
    const { from, to, limit = DEFAULT_PAGE_LIMIT, order = 'desc', ...rest } = withoutNulls(filter);
    const query = {
      ...rest,
      limit,
      order,
      fromMs: from === undefined ? undefined : instantOf(from),
      toMs: to === undefined ? undefined : instantOf(to),
    };
    const page = await listBundles(this.#deps, context, query);
    return { items: page.items.map(shownBundle), next_cursor: page.next_cursor };
  }

  @Query(() => Bundle, { nullable: true, description: 'A bundle.' })
  async bundle(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Bundle | null> {
    const found = await getBundle(this.#deps, context, id);
    return found === null ? null : shownBundle(found);
  }

  @Mutation(() => Bundle, { description: 'Has a bundle built.' })
  async requestBundle(
    @Arg('input', () => BundleRequest) input: BundleRequest,
    @Ctx() context: RequestContext,
  ): Promise<Bundle> {
    const { scope, ...rest } = withoutNulls(input);
    const asked = { ...rest, scope: withoutNulls(scope ?? {}) };
    return shownBundle(await requestBundle(this.#deps, context, asked));
  }

  @Mutation(() => Bundle, { description: 'Has a sealed bundle built anew, or a failed one again.' })
  async regenerateBundle(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Bundle> {
    return shownBundle(await regenerateBundle(this.#deps, context, id));
  }
}
