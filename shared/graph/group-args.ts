import { ArgsType, Int } from 'type-graphql';
import { instantOf } from '../time/rfc3339.js';
import { ContractField } from './contract-field.js';

// Arguments and members that aggregates share. Only the graph serves them, so the length of its pages limits theirs.

const MAX_GROUPS = 200;
const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z', optional: true } as const;

@ArgsType()
export class GroupArgs {
  @ContractField(() => Int, { description: 'Maximum number of groups.', example: 100, minimum: 1, maximum: MAX_GROUPS })
  limit!: number;
}

/** Arguments of an aggregate over records of a window of time. */
@ArgsType()
export class WindowedGroupArgs extends GroupArgs {
  @ContractField(() => String, { description: 'Made at this time or later.', ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', ...TIME })
  to?: string;
}

/** The window of checked arguments, in epoch milliseconds. */
export const windowOf = ({ from, to }: Pick<WindowedGroupArgs, 'from' | 'to'>) => ({
  fromMs: from == null ? undefined : instantOf(from),
  toMs: to == null ? undefined : instantOf(to),
});

/** Options of a member that groups records. */
export const groupedBy = (what: string, example: string) => ({
  description: `${what}; null where the query does not group by it.`,
  nullable: true,
  example,
});
