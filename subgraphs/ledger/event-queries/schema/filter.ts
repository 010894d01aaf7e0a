import { InputType } from 'type-graphql';
import { CODE_SYSTEM_NAMES } from '../../../../shared/event-keys/event-keys.js';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import type { FilterAsked } from '../domain/index.js';

const TIME = { format: 'date-time', example: '2026-03-02T14:11:09.123Z', optional: true } as const;
const MAX_VALUES = 50;
const MAX_BRANCHES = 20;
const TEXT = { maxLength: 256 } as const;
const AMOUNT = { example: '1500.00', optional: true, minLength: 1, maxLength: 32 } as const;
const EXISTS = 'True: events that state a value. False: events that state none.';

@InputType({ description: 'Values of one member of an event. All members of the filter must hold.' })
class EventValueFilter {
  @ContractField(() => String, { description: 'Exactly this value.', example: 'Medicare', optional: true, ...TEXT })
  is?: string;

  @ContractField(() => [String], {
    description: 'One of these values.',
    example: ['Medicare', 'Medicaid'],
    optional: true,
    maxItems: MAX_VALUES,
    items: TEXT,
  })
  in?: string[];

  @ContractField(() => Boolean, { description: EXISTS, example: true, optional: true })
  exists?: boolean;
}

@InputType({ description: 'Codes of an event. All members of the filter must hold.' })
class EventCodeFilter {
  @ContractField(() => String, {
    description: 'Names this code, as SYSTEM:CODE. A code matches as a whole.',
    example: 'carc:50',
    optional: true,
    ...TEXT,
  })
  is?: string;

  @ContractField(() => [String], {
    description: 'Names one of these codes.',
    example: ['carc:50', 'carc:97'],
    optional: true,
    maxItems: MAX_VALUES,
    items: TEXT,
  })
  in?: string[];

  @ContractField(() => String, {
    description: `Names any code of this system: ${CODE_SYSTEM_NAMES.join(', ')}.`,
    example: 'carc',
    optional: true,
    maxLength: 32,
  })
  system?: string;

  @ContractField(() => Boolean, { description: EXISTS, example: true, optional: true })
  exists?: boolean;
}

@InputType({ description: 'A span of time.' })
class EventTimeFilter {
  @ContractField(() => String, { description: 'At this time or later.', ...TIME })
  from?: string;

  @ContractField(() => String, { description: 'Before this time.', ...TIME })
  to?: string;
}

@InputType({ description: 'A range of amounts. An event without the amount is in no range.' })
class EventAmountFilter {
  @ContractField(() => String, { description: 'This amount or more.', ...AMOUNT })
  at_least?: string;

  @ContractField(() => String, { description: 'Less than this amount.', ...AMOUNT })
  less_than?: string;

  @ContractField(() => Boolean, { description: EXISTS, example: true, optional: true })
  exists?: boolean;
}

const value = (description: string) => ({ description, optional: true });

@InputType({ description: 'A filter of events. All members must hold; `{}` is every event.' })
export class EventFilterInput implements FilterAsked {
  @ContractField(() => [EventFilterInput], {
    description: 'All of these filters hold.',
    optional: true,
    maxItems: MAX_BRANCHES,
  })
  and?: EventFilterInput[];

  @ContractField(() => [EventFilterInput], {
    description: 'At least one of these filters holds.',
    optional: true,
    maxItems: MAX_BRANCHES,
  })
  or?: EventFilterInput[];

  @ContractField(() => EventFilterInput, { description: 'This filter does not hold.', optional: true })
  not?: EventFilterInput;

  @ContractField(() => EventValueFilter, value('Member concerned.'))
  member_id?: EventValueFilter;

  @ContractField(() => EventValueFilter, value('Claim (`payload.claim_id`).'))
  claim?: EventValueFilter;

  @ContractField(() => EventValueFilter, value('Provider, as npi: and ten digits.'))
  provider?: EventValueFilter;

  @ContractField(() => EventCodeFilter, value('Codes of reasons, procedures and diagnoses.'))
  code?: EventCodeFilter;

  @ContractField(() => EventValueFilter, value('Jurisdiction (`payload.jurisdiction`), in any case.'))
  jurisdiction?: EventValueFilter;

  @ContractField(() => EventValueFilter, value('Program (`payload.program`), in any case.'))
  program?: EventValueFilter;

  @ContractField(() => EventValueFilter, value('Outcome, in any case.'))
  outcome?: EventValueFilter;

  @ContractField(() => EventValueFilter, value('Family, in any case.'))
  event_family?: EventValueFilter;

  @ContractField(() => EventValueFilter, value('Type, in any case.'))
  event_type?: EventValueFilter;

  @ContractField(() => EventValueFilter, value('Source system.'))
  source_system?: EventValueFilter;

  @ContractField(() => EventTimeFilter, value('Effective time.'))
  effective_at?: EventTimeFilter;

  @ContractField(() => EventAmountFilter, value('Billed amount (`payload.amounts.charge`).'))
  charge?: EventAmountFilter;

  @ContractField(() => EventAmountFilter, value('Paid amount (`payload.amounts.paid`, or `total_paid`).'))
  paid?: EventAmountFilter;
}
