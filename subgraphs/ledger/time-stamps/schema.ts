import { ContractField } from '../../../shared/graph/contract-field.js';
import { outputOf, RecordType } from '../../../shared/graph/members.js';
import { TimestampMembers } from '../../../shared/graph/timestamp-members.js';

@RecordType({ description: 'Time-stamp of a checkpoint (RFC 3161), over the bytes of its note.' })
export class CheckpointTimestamp extends outputOf(TimestampMembers) {
  @ContractField(() => String, { description: 'The checkpoint.', example: 'chk_01JQ0000000000000000000001' })
  checkpoint_id!: string;
}
