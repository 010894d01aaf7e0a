import { Arg, Ctx, Directive, Int, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { ChainHead, FeedPage } from '../../../shared/contracts/ledger-feed.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantContexts } from '../append/index.js';
import { feedHeads, MOST_FEED_ENTRIES, readFeed } from './read-feed.js';
import type { RecentRows } from './recent-rows.js';

const MOST_ASKED = 1_000;

/** Serves followers of the ledger: its fields are in no API schema, and their scope rejects every API key. */
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
  @Query(() => JsonScalar, { description: 'Entries after the given cursors (FeedPage).' })
  async ledgerFeed(
    @Ctx() context: RequestContext,
    @Arg('after', () => JsonScalar, { description: 'Cursors (a list of ChainHead).' }) after: readonly ChainHead[],
    @Arg('all', () => Boolean, { description: 'Every chain except the reserved ones.' }) all: boolean,
    @Arg('named', () => [String], { description: 'Further chains, reserved ones included.' }) named: string[],
    @Arg('limit', () => Int, { description: 'Most entries.' }) limit: number,
    @Arg('contents', () => Boolean, { defaultValue: false, description: 'Include the contents.' })
    contents: boolean,
  ): Promise<FeedPage> {
    const tenant = await this.#contexts.of(authorise(context, INTERNAL_SCOPE));
    const request = { after, all, named, limit: Math.min(limit, MOST_FEED_ENTRIES), contents };
    return readFeed({ ...tenant, recent: this.#recent }, request);
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Returns those of these events that the tenant has.' })
  async knownEvents(
    @Ctx() context: RequestContext,
    @Arg('event_ids', () => [String], { description: 'The events.' }) eventIds: string[],
  ): Promise<string[]> {
    const { ledger } = await this.#contexts.of(authorise(context, INTERNAL_SCOPE));
    if (eventIds.length > MOST_ASKED) {
      throw problem('VALIDATION_ERROR', { errors: [fault('/event_ids', 'length', `At most ${MOST_ASKED} events.`)] });
    }
    const asked = [...new Set(eventIds)].filter((id) => isIdOf('event', id));
    const found = await Promise.all(asked.map((id) => ledger.keysOf(id)));
    return asked.filter((_, i) => found[i] != null);
  }
}
