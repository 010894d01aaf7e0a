import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DataRight } from '../schema/data-right.js';
import {
  DataRightDenial,
  DataRightDisagreement,
  DataRightExtension,
  DataRightFulfilmentInput,
  DataRightStart,
  DataRightVerification,
} from '../schema/data-right-input.js';
import type { DataRightDeps } from '../service/data-rights/data-right-deps.js';
import { fulfilDataRight } from '../service/data-rights/fulfil-data-right.js';
import { startDataRight } from '../service/data-rights/start-data-right.js';
import {
  denyDataRight,
  disagreeDataRight,
  extendDataRight,
  verifyDataRight,
} from '../service/data-rights/step-data-right.js';
import type { StoredDataRight } from '../service/ports/data-right-store.js';
import { shownDataRight } from './shown-data-right.js';

const ID = { description: 'The request.' };

/** Steps of requests about members' data. */
@Resolver()
export class DataRightStepsResolver {
  readonly #deps: DataRightDeps;

  constructor(deps: DataRightDeps) {
    this.#deps = deps;
  }

  @Mutation(() => DataRight, { description: 'Notes how it was made sure who asks.' })
  async verifyDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightVerification) { how, verified_by, revision }: DataRightVerification,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const given = { id, how, verified_by: verified_by ?? undefined, revision: revision ?? undefined };
    return this.#shown(verifyDataRight(this.#deps, context, given));
  }

  @Mutation(() => DataRight, { description: 'Begins what a request needs, or goes on with it.' })
  async startDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightStart) { revision, ...restriction }: DataRightStart,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const given = { id, revision: revision ?? undefined, restriction: withoutNulls(restriction) };
    return this.#shown(startDataRight(this.#deps, context, given));
  }

  @Mutation(() => DataRight, { description: 'Gives a request more time, once.' })
  async extendDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightExtension) { reason, to, revision }: DataRightExtension,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const given = { id, reason, to: to ?? undefined, revision: revision ?? undefined };
    return this.#shown(extendDataRight(this.#deps, context, given));
  }

  @Mutation(() => DataRight, { description: 'Ends a request with what was asked for.' })
  async fulfilDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightFulfilmentInput) { revision, ...amendment }: DataRightFulfilmentInput,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const given = { id, revision: revision ?? undefined, amendment: withoutNulls(amendment) };
    return this.#shown(fulfilDataRight(this.#deps, context, given));
  }

  @Mutation(() => DataRight, { description: 'Ends a request without what was asked for.' })
  async denyDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightDenial) { ground, revision }: DataRightDenial,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    return this.#shown(denyDataRight(this.#deps, context, { id, ground, revision: revision ?? undefined }));
  }

  @Mutation(() => DataRight, { description: 'Notes what a member says to a denied amendment.' })
  async disagreeDataRight(
    @Arg('data_right_id', () => String, ID) id: string,
    @Arg('input', () => DataRightDisagreement) input: DataRightDisagreement,
    @Ctx() context: RequestContext,
  ): Promise<DataRight> {
    const given = { id, eventId: input.statement_of_disagreement_event_id, revision: input.revision ?? undefined };
    return this.#shown(disagreeDataRight(this.#deps, context, given));
  }

  async #shown(stepped: Promise<StoredDataRight>): Promise<DataRight> {
    return shownDataRight(await stepped, this.#deps.clock.nowMs());
  }
}
