import { ArgsType, Directive, Extensions, ObjectType } from 'type-graphql';
import { CONTRACT, type ContractExtension, ContractField } from '../../../shared/graph/contract-field.js';
import { PURPOSE_OPTIONS } from '../../../shared/graph/withheld-page.js';
import { Document } from '../documents/schema.js';

/** An event of the ledger, to which the vault adds its documents. */
@ObjectType('EventRecord', {
  description: 'An event as recorded: the members of its record, flat, and its place in the ledger.',
})
@Directive('@key(fields: "event_id")')
@Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension })
export class EventWithDocuments {
  @ContractField(() => String, { description: 'The event.', example: 'evt_01JQ0000000000000000000001' })
  event_id!: string;

  @ContractField(() => [Document], { description: 'Documents of the event, the newest first; 50 at most.' })
  documents!: readonly Document[];
}

@ArgsType()
export class EventDocumentArgs {
  @ContractField(() => String, PURPOSE_OPTIONS)
  purpose?: string;
}
