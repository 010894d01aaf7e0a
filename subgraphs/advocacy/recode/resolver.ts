import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { type RecodeDeps, recodeEvent } from './recode-event.js';
import { RecodeAnswer, RecodeInput } from './schema.js';

@Resolver()
export class RecodeResolver {
  readonly #deps: RecodeDeps;

  constructor(deps: RecodeDeps) {
    this.#deps = deps;
  }

  /** A mutation, because it may raise `advocacy.verdict`; it does not change the event. */
  @Mutation(() => RecodeAnswer, { description: 'Suggests codes that the record supports, and drafts an appeal.' })
  recodeEvent(
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
    @Arg('input', () => RecodeInput, { nullable: true, description: 'Codes to check instead of the event’s own.' })
    input: RecodeInput | null,
    @Arg('record', () => Boolean, { nullable: true, description: 'Record the answer in the ledger.' })
    record: boolean | null,
    @Arg('purpose', () => String, { nullable: true, description: 'Purpose of use, which consent is checked for.' })
    purpose: string | null,
    @Ctx() context: RequestContext,
  ) {
    return recodeEvent(this.#deps, context, {
      eventId,
      procedureCodes: input?.procedure_codes ?? undefined,
      diagnosisCodes: input?.diagnosis_codes ?? undefined,
      notes: input?.notes ?? undefined,
      record: record ?? false,
      purpose,
    });
  }
}
