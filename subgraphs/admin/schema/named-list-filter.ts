import { ArgsType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs } from '../../../shared/graph/page.js';

/** Names that people give: one line of text, not blank, well-formed (the contract's patterns are read as Unicode). */
export const NAME_LIMITS = {
  minLength: 1,
  maxLength: 200,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]+$',
} as const;

/** What both lists of this subgraph are filtered by. */
@ArgsType()
export class NamedListFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only those of this very name.', optional: true, maxLength: 200 })
  name?: string;

  @ContractField(() => String, { description: 'Made at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Made before this time.', optional: true, format: 'date-time' })
  to?: string;
}
