import { Directive, ObjectType } from 'type-graphql';
import { ContractField } from './contract-field.js';

/** One fault inside a value that was sent: the graph's form of FieldFault (shared/errors/problem.ts). */
@ObjectType('FieldFault', { description: 'One fault inside a value that was sent.' })
@Directive('@shareable')
export class FieldFaultType {
  @ContractField(() => String, { description: 'JSON Pointer (RFC 6901) into what was sent.', example: '/event_type' })
  path!: string;

  @ContractField(() => String, { description: 'What is wrong, as a word.', example: 'required' })
  code!: string;

  @ContractField(() => String, { description: 'What is wrong, as a sentence.', example: 'Required.' })
  message!: string;
}
