import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { SharedBundle } from '../../../shared/contracts/bundles.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { LINK_MACHINE } from './domain/index.js';
import { countDownload, type OpenDeps, openSharedBundle } from './open-link.js';
import type { StoredLink } from './ports.js';
import { BundleLink, BundleLinkFilter, BundleLinkInput, BundleLinkPage, CreatedBundleLink } from './schema.js';
import { listLinks, revokeLink, type ShareDeps, shareBundle } from './share-bundle.js';

/** A link at one moment: its end by time is no step. */
interface LinkNow extends StoredLink {
  readonly nowMs: number;
}

const shown = showing(BundleLink, ({ status, expires_at, nowMs }: LinkNow) => ({
  allowed_actions: allowedActions(LINK_MACHINE, status),
  expired: nowMs >= expires_at.getTime(),
}));

const BUNDLE_ID = { description: 'The bundle.' };

/** Links to bundles, for those who make them. */
@Resolver()
export class BundleLinkResolver {
  readonly #deps: ShareDeps;

  constructor(deps: ShareDeps) {
    this.#deps = deps;
  }

  @Mutation(() => CreatedBundleLink, { description: 'Makes a link to a sealed bundle; the answer shows it once.' })
  async shareBundle(
    @Arg('bundle_id', () => String, BUNDLE_ID) bundleId: string,
    @Arg('input', () => BundleLinkInput) input: BundleLinkInput,
    @Ctx() context: RequestContext,
  ): Promise<CreatedBundleLink> {
    const { expires_in_hours } = input;
    const asked = { ...BundleLinkInput.complete(input), expires_in_hours };
    const { link, token } = await shareBundle(this.#deps, context, bundleId, asked);
    return { ...this.#shown(link), token, url: `/v1/shared-bundles/${token}` };
  }

  @Query(() => BundleLinkPage, { nullable: true, description: 'Lists the links of a bundle, without their tokens.' })
  async bundleLinks(
    @Arg('bundle_id', () => String, BUNDLE_ID) bundleId: string,
    @Args(() => BundleLinkFilter) filter: BundleLinkFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<BundleLink> | null> {
    const page = await listLinks(this.#deps, context, bundleId, listQueryOf(filter));
    return page && mapPage(page, (link) => this.#shown(link));
  }

  @Mutation(() => BundleLink, { description: 'Revokes a link to a bundle; final.' })
  async revokeBundleLink(
    @Arg('bundle_id', () => String, BUNDLE_ID) bundleId: string,
    @Arg('link_id', () => String, { description: 'The link.' }) linkId: string,
    @Ctx() context: RequestContext,
  ): Promise<BundleLink> {
    return this.#shown(await revokeLink(this.#deps, context, { bundleId, linkId }));
  }

  #shown(link: StoredLink): BundleLink {
    return shown({ ...link, nowMs: this.#deps.clock.nowMs() });
  }
}

/** Serves the facade: the public schema hides these fields, and their scope belongs to no API key. */
@Resolver()
export class SharedBundleResolver {
  readonly #deps: OpenDeps;

  constructor(deps: OpenDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Returns the archive behind a link (SharedBundle).' })
  async openSharedBundle(
    @Ctx() context: RequestContext,
    @Arg('token', () => String, { description: 'The token.' }) token: string,
  ): Promise<SharedBundle | null> {
    requireScope(context, INTERNAL_SCOPE);
    return openSharedBundle(this.#deps, token);
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, { description: 'Counts a download by a link; false if it opens nothing any more.' })
  async countSharedDownload(
    @Ctx() context: RequestContext,
    @Arg('token', () => String, { description: 'The token.' }) token: string,
  ): Promise<boolean> {
    requireScope(context, INTERNAL_SCOPE);
    return countDownload(this.#deps, token);
  }
}
