import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { type TimelineMember as Member, TimelineArgs, TimelinePartType } from '../../../shared/graph/timeline.js';
import { EMPTY_PART, type TimelinePart } from '../../../shared/timeline/entry.js';
import { timelineReading, timelineWindow } from '../../../shared/timeline/window.js';
import type { StoredDocument } from '../documents/index.js';
import { shownDocument } from '../documents/index.js';
import { TimelineMember } from './schema.js';
import { type TimelineRecordsDeps, timelineDocuments, timelineHolds } from './timeline-records.js';

/** Documents and legal holds on the timeline of a member. */
@Resolver(() => TimelineMember)
export class TimelineResolver {
  readonly #deps: TimelineRecordsDeps;

  constructor(deps: TimelineRecordsDeps) {
    this.#deps = deps;
  }

  @FieldResolver(() => TimelinePartType, { description: 'Documents of the member.' })
  async timeline_documents(
    @Root() { member_id: memberId }: Member,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    if (!window.kinds.has('DOCUMENT')) return EMPTY_PART;
    const shown = (document: StoredDocument): object => {
      const { history: _, allowed_actions: __, ...rest } = shownDocument(context, document);
      return rest;
    };
    return timelineDocuments(this.#deps, reading, memberId, window, shown);
  }

  @FieldResolver(() => TimelinePartType, { description: 'Legal holds that name the member.' })
  async timeline_holds(
    @Root() { member_id: memberId }: Member,
    @Args(() => TimelineArgs) asked: TimelineArgs,
    @Ctx() context: RequestContext,
  ): Promise<TimelinePart> {
    const reading = timelineReading(context, memberId, asked.purpose);
    const window = timelineWindow(asked);
    return window.kinds.has('HOLD') ? timelineHolds(this.#deps, reading, memberId, window) : EMPTY_PART;
  }
}
