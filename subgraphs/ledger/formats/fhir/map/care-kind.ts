import { filled } from '../../values/payload.js';
import { type Fields, listAt, textAt } from '../json/objects.js';
import { commonOf, outcomeBy } from './clinical-parts.js';
import { textsIn } from './codes.js';
import type { Mapped, MappingContext, ResourceMapper } from './context.js';
import type { TimeSource } from './moments.js';

/** How one type of resource becomes an event. */
export interface Kind {
  /** The first part of the event type. */
  readonly name: string;
  /** Outcomes by status. */
  readonly outcomes: ReadonlyMap<string, string>;
  /** The element that refers to the patient. */
  readonly patient?: string;
  /** Elements that date the event, the best first. */
  readonly times: (resource: Fields) => readonly TimeSource[];
  readonly status?: (resource: Fields) => string;
  readonly describe: (resource: Fields, context: MappingContext) => Record<string, unknown>;
}

/** Builds the mapper of a kind: one event `<resource>.<status>` of the family `clinical`. */
export function mapperOf(kind: Kind): ResourceMapper {
  return (resource: Fields, context: MappingContext): Mapped => {
    const { memberId, payload } = commonOf(resource, context, kind.patient);
    const status = kind.status?.(resource) ?? textAt(resource, 'status');
    const outcome = outcomeBy(kind.outcomes, resource, context, status);
    const described = kind.describe(resource, context);
    const notes = textsIn(listAt(resource, 'note'), 'text');
    const rationale = filled([String(described['rationale'] ?? ''), ...notes]).join('\n');
    return {
      family: 'clinical',
      // An unlisted status is free text of the sender.
      type: `${kind.name}.${kind.outcomes.has(status) ? status : 'unknown'}`,
      // An order not to do something is no order.
      outcome: described['do_not_perform'] === true ? 'cancelled' : outcome,
      memberId,
      times: kind.times(resource),
      payload: { ...payload, ...described, rationale },
    };
  };
}
