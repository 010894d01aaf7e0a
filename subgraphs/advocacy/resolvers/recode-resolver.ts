import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { RecodeAnswer, RecodeInput } from '../schema/recode.js';
import { type RecodeDeps, recodeEvent } from '../service/recode-event.js';

@Resolver()
export class RecodeResolver {
  readonly #deps: RecodeDeps;

  constructor(deps: RecodeDeps) {
    this.#deps = deps;
  }

  /** A mutation, for it may raise `advocacy.verdict`; the event is not changed. */
  @Mutation(() => RecodeAnswer, { description: 'Other codes that the record supports, and a draft of an appeal.' })
  async recodeEvent(
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
    @Arg('input', () => RecodeInput, { nullable: true, description: 'In place of the event’s own codes.' })
    input: RecodeInput | null,
    @Arg('record', () => Boolean, { nullable: true, description: 'Make the answer an entry of the ledger.' })
    record: boolean | null,
    @Arg('purpose', () => String, { nullable: true, description: 'For what; consent is asked.' })
    purpose: string | null,
    @Ctx() context: RequestContext,
  ): Promise<RecodeAnswer> {
    const { procedure_codes, diagnosis_codes, notes } = withoutNulls(input ?? {}) as Partial<RecodeInput>;
    const asked = {
      eventId,
      procedureCodes: procedure_codes,
      diagnosisCodes: diagnosis_codes,
      notes,
      record: record ?? false,
      purpose,
    };
    // Evidence crosses the graph as JSON: the shapes in schema/recode.ts hold it.
    return (await recodeEvent(this.#deps, context, asked)) as unknown as RecodeAnswer;
  }
}
