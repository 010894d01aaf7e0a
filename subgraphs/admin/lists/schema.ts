import { ArgsType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { WindowArgs } from '../../../shared/graph/page.js';

/** Display names: one line of well-formed text, not blank (patterns of the contract are Unicode). */
export const NAME_LIMITS = {
  minLength: 1,
  maxLength: 200,
  pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]+$',
} as const;

/** Filters that the lists of this subgraph share. */
@ArgsType()
export class NamedListFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only with exactly this name.', optional: true, maxLength: 200 })
  name?: string;
}
