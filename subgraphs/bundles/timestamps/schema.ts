import { ContractField } from '../../../shared/graph/contract-field.js';
import { outputOf, RecordType } from '../../../shared/graph/members.js';
import { TimestampMembers } from '../../../shared/graph/timestamp-members.js';
import { EXAMPLE_BUNDLE } from '../bundles/schema/index.js';

@RecordType({ description: "Time-stamp of a bundle's signature (RFC 3161), over the bytes of signature.sig." })
export class BundleTimestamp extends outputOf(TimestampMembers) {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;
}
