import { ArgsType } from 'type-graphql';
import { ContractField } from '../../../../shared/graph/contract-field.js';
import { PURPOSE_OPTIONS } from '../../../../shared/graph/withheld-page.js';

@ArgsType()
export class EventEdgeArgs {
  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}
