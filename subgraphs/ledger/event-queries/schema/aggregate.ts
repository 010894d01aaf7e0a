import { ArgsType, Float, ObjectType } from 'type-graphql';
import type { Withheld } from '../../../../shared/consent/withheld.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { enumType } from '../../../../shared/graph/enum-type.js';
import { GroupArgs } from '../../../../shared/graph/group-args.js';
import { SafeInteger } from '../../../../shared/graph/scalars.js';
import { PURPOSE_OPTIONS, WithheldType } from '../../../../shared/graph/withheld-page.js';
import { DIMENSION_NAMES, type Dimension, type Group, MEASURE_NAMES, type Measure } from '../domain/index.js';
import { EventFilterInput } from './filter.js';

const EventDimension = enumType<Dimension>('EventDimension', 'A value that groups events, for example PROVIDER.', {
  PROVIDER: 'NPI of each provider.',
  CARC: 'Each claim adjustment reason code.',
  RARC: 'Each remittance advice remark code.',
  PROGRAM: 'Program, in lower case.',
  JURISDICTION: 'Jurisdiction, in lower case.',
  FAMILY: 'Family, in lower case.',
  OUTCOME: 'Outcome, in lower case.',
  TYPE: 'Type, in lower case.',
  SOURCE_SYSTEM: 'Source system.',
  DAY: 'Day of the effective time in UTC.',
  MONTH: 'Month of the effective time in UTC.',
  YEAR: 'Year of the effective time in UTC.',
});

const EventMeasure = enumType<Measure>('EventMeasure', 'A figure of a group of events, for example COUNT.', {
  COUNT: 'Number of events.',
  SUM_BILLED: 'Sum of the billed amounts.',
  SUM_PAID: 'Sum of the paid amounts.',
  OVERTURN_RATE: 'Share of the appealed denials that were overturned.',
  DAYS_TO_DECISION: 'Mean days from a request or claim to the event that answers or adjudicates it.',
});

const MAX_DIMENSIONS = 4;

@ArgsType()
export class EventAggregateArgs extends GroupArgs {
  @ContractField(() => [EventDimension], {
    description: 'Values that group the events; an empty list makes one group.',
    example: ['PROVIDER', 'MONTH'],
    maxItems: MAX_DIMENSIONS,
    uniqueItems: true,
  })
  by!: Dimension[];

  @ContractField(() => [EventMeasure], {
    description: 'Figures of each group; COUNT by default.',
    example: ['COUNT', 'SUM_BILLED'],
    optional: true,
    maxItems: MEASURE_NAMES.length,
    uniqueItems: true,
  })
  measures?: Measure[];

  @ContractField(() => EventFilterInput, { description: 'Which events; every event by default.', optional: true })
  filter?: EventFilterInput;

  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}

type Shown = { readonly [D in Dimension as Lowercase<D>]: string | null } & Omit<Group, 'values'>;

const dimension = (what: string, example: string) => ({
  description: `${what}; null where the event names none, or the query does not group by it.`,
  nullable: true,
  example,
});

@ObjectType({ description: 'Events with the same values.' })
class EventAggregateGroup implements Shown {
  @ContractField(() => String, dimension('NPI of the provider', '1234567893'))
  provider!: string | null;

  @ContractField(() => String, dimension('Claim adjustment reason code', '50'))
  carc!: string | null;

  @ContractField(() => String, dimension('Remittance advice remark code', 'N115'))
  rarc!: string | null;

  @ContractField(() => String, dimension('Program', 'medicare'))
  program!: string | null;

  @ContractField(() => String, dimension('Jurisdiction', 'us-ca'))
  jurisdiction!: string | null;

  @ContractField(() => String, dimension('Family', 'claim'))
  family!: string | null;

  @ContractField(() => String, dimension('Outcome', 'denied'))
  outcome!: string | null;

  @ContractField(() => String, dimension('Type', 'claim_adjudicated'))
  type!: string | null;

  @ContractField(() => String, dimension('Source system', 'claims'))
  source_system!: string | null;

  @ContractField(() => String, dimension('Day in UTC', '2026-03-02'))
  day!: string | null;

  @ContractField(() => String, dimension('Month in UTC', '2026-03'))
  month!: string | null;

  @ContractField(() => String, dimension('Year in UTC', '2026'))
  year!: string | null;

  @ContractField(() => SafeInteger, { description: 'Number of events.', example: 8 })
  count!: number;

  @ContractField(() => String, {
    description: 'Sum of the billed amounts; null if no event states one.',
    nullable: true,
    scalar: 'Money',
    example: '1500.00',
  })
  sum_billed!: string | null;

  @ContractField(() => String, {
    description: 'Sum of the paid amounts; null if no event states one.',
    nullable: true,
    scalar: 'Money',
    example: '1200.00',
  })
  sum_paid!: string | null;

  @ContractField(() => Float, {
    description: 'Share of the appealed denials that were overturned; null if none was appealed.',
    nullable: true,
    example: 0.5,
  })
  overturn_rate!: number | null;

  @ContractField(() => Float, {
    description: 'Mean days from the earliest request or claim to its decision; null if the group has no decision.',
    nullable: true,
    example: 12.5,
  })
  days_to_decision!: number | null;
}

/** Shows a group with one member for each dimension. */
export function shownGroup(by: readonly Dimension[], { values, ...measures }: Group): EventAggregateGroup {
  const named = DIMENSION_NAMES.map((name) => [name.toLowerCase(), values[by.indexOf(name)] ?? null] as const);
  // One member for each dimension, as the type lists them.
  return { ...(Object.fromEntries(named) as Omit<Shown, keyof Group>), ...measures };
}

@ObjectType({ description: 'Groups of events with their figures.' })
export class EventAggregate {
  @ContractField(() => SafeInteger, { description: 'Number of events; each counts once.', example: 40 })
  events!: number;

  @ContractField(() => SafeInteger, { description: 'Cost of the aggregate; the limit is 20,000.', example: 400 })
  cost!: number;

  @ContractField(() => [EventAggregateGroup], {
    description: 'The groups, the largest first. An event with two providers or codes is in the group of each.',
  })
  items!: readonly EventAggregateGroup[];

  @ContractField(() => Boolean, { description: 'Whether there are more groups than shown.', example: false })
  truncated!: boolean;

  @ContractField(() => WithheldType, {
    description: 'Events that consent withholds for the stated purpose; they are in no figure.',
    optional: true,
  })
  withheld?: Withheld;
}
