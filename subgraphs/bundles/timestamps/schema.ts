import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { EXAMPLE_BUNDLE } from '../bundles/schema/index.js';

/** The service asks again until it succeeds or gives up. */
const TIMESTAMP_STATUSES = ['PENDING', 'OBTAINED', 'GIVEN_UP'] as const;

@ObjectType({ description: "Time-stamp of a bundle's signature (RFC 3161)." })
export class BundleTimestamp {
  @ContractField(() => String, { description: 'The bundle.', example: EXAMPLE_BUNDLE })
  bundle_id!: string;

  @ContractField(() => String, {
    description: 'PENDING is retried until OBTAINED, or GIVEN_UP after weeks.',
    example: 'OBTAINED',
    enum: [...TIMESTAMP_STATUSES],
  })
  status!: (typeof TIMESTAMP_STATUSES)[number];

  @ContractField(() => Int, { description: 'Number of attempts.', example: 1 })
  attempts!: number;

  @ContractField(() => String, { description: 'Failure of the last attempt.', nullable: true })
  last_error!: string | null;

  @ContractField(() => String, { description: 'SHA-256 of signature.sig, the stamped content.', nullable: true })
  message_imprint!: string | null;

  @ContractField(() => String, { description: 'Time stated by the authority.', nullable: true })
  gen_time!: string | null;

  @ContractField(() => String, { description: 'Serial number of the token, hex.', nullable: true })
  serial!: string | null;

  @ContractField(() => String, { description: 'Policy of the authority, an object identifier.', nullable: true })
  policy!: string | null;

  @ContractField(() => String, { description: 'Subject of the certificate that signed the token.', nullable: true })
  authority!: string | null;

  @ContractField(() => String, { description: 'The whole reply (TimeStampResp, DER), base64.', nullable: true })
  reply!: string | null;
}
