import { ArgsType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { NAME_LIMITS } from '../lists/schema.js';
import { MAX_ADDRESS_LENGTH, VIEW_ADDRESS_PATTERN, VIEW_SCREENS, type ViewScreen } from './domain.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';

abstract class SavedViewMembers {
  @Member(() => String, {
    description: 'Name; unique among the views of the owner for the screen.',
    example: 'Denials of March',
    ...NAME_LIMITS,
  })
  name!: string;

  @Member(() => String, {
    description: 'Address of the screen below /console, with its filters.',
    example: '/events?outcome=denied',
    maxLength: MAX_ADDRESS_LENGTH,
    pattern: VIEW_ADDRESS_PATTERN,
  })
  address!: string;

  @Member(() => Boolean, {
    description: 'True if every reader of the screen in the tenant sees the view; false by default.',
    example: false,
  })
  shared!: boolean;
}

@RecordInput({ description: 'A new saved view.' })
export class SavedViewInput extends inputOf(SavedViewMembers, { shared: false }) {}

@RecordType({ description: 'A name for the address of a screen of the console with its filters.' })
export class SavedView extends outputOf(SavedViewMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'svw_01JQ0000000000000000000001' })
  view_id!: string;

  @ContractField(() => String, { description: 'Tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Screen of the view.', example: 'EVENTS', enum: [...VIEW_SCREENS] })
  screen!: ViewScreen;

  @ContractField(() => String, {
    description: 'Actor that saved it, or the key without an actor.',
    example: 'act_01JQ0000000000000000000001',
  })
  owner!: string;

  @ContractField(() => Boolean, { description: 'True if the caller is the owner.', example: true })
  own!: boolean;

  @ContractField(() => String, { description: 'Time of creation.', example: EXAMPLE_TIME, format: 'date-time' })
  created_at!: string;
}

export const SavedViewPage = pageType('SavedViewPage', () => SavedView);

@ArgsType()
export class SavedViewFilter extends WindowArgs {
  @ContractField(() => String, { description: 'Only views of this screen.', optional: true, enum: [...VIEW_SCREENS] })
  screen?: ViewScreen;
}
