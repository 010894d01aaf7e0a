import { Args, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import type { BatchedEdges } from '../../../../shared/graph/edges/batched-edges.js';
import type { ReferencesTo } from '../../../../shared/graph/edges/references.js';
import { AiDecision } from '../../ai-decisions/index.js';
import { EventRecord } from '../../events/schema.js';
import type { ExceptionStore } from '../../exceptions/index.js';
import { exceptionReferences } from '../../exceptions/index.js';
import { ExceptionRecord } from '../../exceptions/schema.js';
import type { EventQueryDeps } from '../reading-events.js';
import { EventEdgeArgs } from '../schema/edges.js';
import { namedEvents } from './edges.js';

const GRAPH_ONLY = { [CONTRACT]: { graphOnly: true } satisfies ContractExtension };

/** Where AI decisions lead to. */
@Resolver(() => AiDecision)
export class DecisionEdgeResolver {
  readonly #events: BatchedEdges<string, EventRecord | null>;
  readonly #exceptions: ReferencesTo<ExceptionRecord>;

  constructor(deps: EventQueryDeps & { readonly exceptions: ExceptionStore }) {
    this.#events = namedEvents(deps);
    this.#exceptions = exceptionReferences(deps);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => EventRecord, {
    nullable: true,
    description: 'The event that it decides about; null if it names none, or consent withholds it for the purpose.',
  })
  async event(
    @Root() { event_id }: AiDecision,
    @Args(() => EventEdgeArgs) { purpose }: EventEdgeArgs,
    @Ctx() context: RequestContext,
  ): Promise<EventRecord | null> {
    return event_id === undefined ? null : this.#events.load(context, purpose ?? '', event_id);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => ExceptionRecord, {
    nullable: true,
    description: 'The exception that it opened; null if it opened none.',
  })
  async exception(
    @Root() { exception_id }: AiDecision,
    @Ctx() context: RequestContext,
  ): Promise<ExceptionRecord | null> {
    return exception_id === null ? null : this.#exceptions({ exception_id }, context);
  }
}
