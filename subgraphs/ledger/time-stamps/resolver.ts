import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TreeStore } from '../transparency/index.js';
import type { CheckpointStamps } from './ports.js';
import { CheckpointTimestamp } from './schema.js';

@Resolver()
export class CheckpointTimestampResolver {
  readonly #stamps: CheckpointStamps;
  readonly #trees: TreeStore;

  constructor(stamps: CheckpointStamps, trees: TreeStore) {
    this.#stamps = stamps;
    this.#trees = trees;
  }

  @Query(() => CheckpointTimestamp, {
    nullable: true,
    description: 'The time-stamp of a checkpoint; NOT_FOUND for a checkpoint that none was asked for.',
  })
  async checkpointTimestamp(
    @Ctx() context: RequestContext,
    @Arg('checkpoint_id', () => String, { description: 'The checkpoint.' }) checkpointId: string,
  ): Promise<CheckpointTimestamp | null> {
    const tenantId = authorise(context, 'events:read');
    if (!isIdOf('checkpoint', checkpointId)) return null;
    const row = await this.#stamps.get(tenantId, checkpointId);
    if (row !== null) return { ...row, checkpoint_id: row._id };
    if ((await this.#trees(tenantId).checkpoint(checkpointId)) === null) return null;
    throw problem('NOT_FOUND', { message: 'No time-stamp was asked for this checkpoint.' });
  }
}
