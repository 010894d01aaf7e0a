import { Arg, Ctx, Directive, Int, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { ChainHead, FeedPage } from '../../../shared/contracts/ledger-feed.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { feedHeads, MOST_FEED_ENTRIES, readFeed } from '../service/read-feed.js';
import type { RecentRows } from '../service/recent-rows.js';
import type { TenantContexts } from '../service/tenant-context.js';

/** For those who follow the ledger: in no API schema, and closed to every key by its scope. */
@Resolver()
export class LedgerFeedResolver {
  readonly #contexts: TenantContexts;
  readonly #recent: RecentRows;

  constructor(contexts: TenantContexts, recent: RecentRows) {
    this.#contexts = contexts;
    this.#recent = recent;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'The heads of every chain of the tenant (ChainHead).' })
  async ledgerHeads(@Ctx() context: RequestContext): Promise<readonly ChainHead[]> {
    const { ledger } = await this.#contexts.of(authorise(context, INTERNAL_SCOPE));
    return feedHeads(ledger);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'What stands in the ledger behind cursors (FeedPage).' })
  async ledgerFeed(
    @Ctx() context: RequestContext,
    @Arg('after', () => JsonScalar, { description: 'Cursors (a list of ChainHead).' }) after: unknown,
    @Arg('all', () => Boolean, { description: 'Every chain but the reserved ones.' }) all: boolean,
    @Arg('named', () => [String], { description: 'Chains beside those, reserved ones too.' }) named: string[],
    @Arg('limit', () => Int, { description: 'Most entries.' }) limit: number,
    @Arg('contents', () => Boolean, { defaultValue: false, description: 'With the contents at hand.' })
    contents: boolean,
  ): Promise<FeedPage> {
    const tenant = await this.#contexts.of(authorise(context, INTERNAL_SCOPE));
    const cursors = after as readonly ChainHead[];
    const request = { after: cursors, all, named, limit: Math.min(limit, MOST_FEED_ENTRIES), contents };
    return readFeed({ ...tenant, recent: this.#recent }, request);
  }
}
