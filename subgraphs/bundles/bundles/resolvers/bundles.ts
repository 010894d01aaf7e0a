import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import { referencesTo } from '../../../../shared/graph/edges/references.js';
import { shownExtra } from '../../../../shared/graph/extra.js';
import { type TimelineMember as Member, TimelineArgs, TimelinePartType } from '../../../../shared/graph/timeline.js';
import { withoutNulls } from '../../../../shared/graph/without-nulls.js';
import { mapPage, type Page } from '../../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../../shared/records/list-query.js';
import { EMPTY_PART, type TimelinePart } from '../../../../shared/timeline/entry.js';
import { timelineReading, timelineWindow } from '../../../../shared/timeline/window.js';
import type { StoredBundle } from '../ports.js';
import {
  getBundle,
  listBundles,
  namedBundles,
  type ReadBundleDeps,
  type TimelineBundlesDeps,
  timelineBundles,
} from '../read-bundles.js';
import { type RequestDeps, regenerateBundle, requestBundle } from '../request-bundle.js';
import { Bundle, BundleFilter, BundlePage, BundleRequest, RegenerateArgs } from '../schema/bundle.js';
import { TimelineMember } from '../schema/index.js';

const shown = ({ consent, seal, failure, regenerated_from, created_at, extra, ...bundle }: StoredBundle): Bundle => ({
  ...bundle,
  ...shownExtra(extra),
  ...(consent && { purpose: consent.purpose }),
  ...seal,
  ...(regenerated_from !== null && { regenerated_from }),
  ...(failure && { failure }),
  created_at: isoTime(created_at.getTime()),
});

/** Resolves references to bundles under the scope of `bundle`. */
export const bundleReferences = (deps: ReadBundleDeps) =>
  referencesTo('bundle_id', 'bundle', async (context, ids) => (await namedBundles(deps, context, ids)).map(shown));

const BUNDLE_ID = { description: 'The bundle.' };

/** Requests and reads of bundles. */
@Resolver()
export class BundleResolver {
  readonly #deps: RequestDeps;

  constructor(deps: RequestDeps) {
    this.#deps = deps;
  }

  @Query(() => BundlePage, { description: 'Lists the bundles of the tenant.' })
  async bundles(@Args(() => BundleFilter) filter: BundleFilter, @Ctx() context: RequestContext): Promise<Page<Bundle>> {
    const { where, ...window } = listQueryOf(filter);
    const { member_id, matter_id, incident_id, ...equal } = where;
    const query = { ...window, where: equal, scope: { member_id, matter_id, incident_id } };
    return mapPage(await listBundles(this.#deps, context, query), shown);
  }

  @Query(() => Bundle, { nullable: true, description: 'Returns a bundle.' })
  async bundle(
    @Arg('bundle_id', () => String, BUNDLE_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Bundle | null> {
    const found = await getBundle(this.#deps, context, id);
    return found && shown(found);
  }

  @Mutation(() => Bundle, { description: 'Requests a bundle.' })
  async requestBundle(
    @Arg('input', () => BundleRequest) input: BundleRequest,
    @Ctx() context: RequestContext,
  ): Promise<Bundle> {
    const { scope, ...rest } = withoutNulls(input);
    const asked = { ...rest, scope: withoutNulls(scope ?? {}) };
    return shown(await requestBundle(this.#deps, context, asked));
  }

  @Mutation(() => Bundle, { description: 'Rebuilds a sealed bundle as a new one, or a failed one under its id.' })
  async regenerateBundle(
    @Args(() => RegenerateArgs) { bundle_id: bundleId, extra }: RegenerateArgs,
    @Ctx() context: RequestContext,
  ): Promise<Bundle> {
    return shown(await regenerateBundle(this.#deps, context, { bundleId, extra: extra ?? undefined }));
  }
}

/** Bundles on the timeline of a member. */
@Resolver(() => TimelineMember)
export class TimelineResolver {
  readonly #deps: TimelineBundlesDeps;

  constructor(deps: TimelineBundlesDeps) {
    this.#deps = deps;
  }

  @FieldResolver(() => TimelinePartType, { description: 'Bundles over the member.' })
  async timeline_bundles(
    @Root() { member_id: memberId }: Member,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    return window.kinds.has('BUNDLE') ? timelineBundles(this.#deps, reading, memberId, window) : EMPTY_PART;
  }
}
