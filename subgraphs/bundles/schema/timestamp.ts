import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { TIMESTAMP_STATUSES, type TimestampStatus } from '../domain/timestamp-status.js';
import { EXAMPLE_BUNDLE } from './bundle.js';

@ObjectType({ description: "The time-stamp of a bundle's signature (RFC 3161)." })
export class BundleTimestamp {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, {
    description: 'PENDING is asked for again until it is OBTAINED, or GIVEN_UP after weeks.',
    example: 'OBTAINED',
    enum: [...TIMESTAMP_STATUSES],
  })
  status!: TimestampStatus;

  @ContractField(() => Int, { description: 'How often it was asked for.', example: 1 })
  attempts!: number;

  @ContractField(() => String, { description: 'Why the last attempt got none.', nullable: true })
  last_error!: string | null;

  @ContractField(() => String, { description: 'SHA-256 of signature.sig, which is what is stamped.', nullable: true })
  message_imprint!: string | null;

  @ContractField(() => String, { description: 'The time, by the word of the authority.', nullable: true })
  gen_time!: string | null;

  @ContractField(() => String, { description: 'Serial number of the token, hex.', nullable: true })
  serial!: string | null;

  @ContractField(() => String, { description: "The authority's policy, an object identifier.", nullable: true })
  policy!: string | null;

  @ContractField(() => String, { description: 'Subject of the certificate that signed the token.', nullable: true })
  authority!: string | null;

  @ContractField(() => String, { description: 'The whole answer (TimeStampResp, DER), base64.', nullable: true })
  reply!: string | null;
}
