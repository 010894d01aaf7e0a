import { Int } from 'type-graphql';
import { STAMP_STATUSES, type StampStatus } from '../timestamp/stamp-row.js';
import { Member } from './members.js';

/** The members that answers show of every time-stamp (RFC 3161). */
export abstract class TimestampMembers {
  @Member(() => String, {
    description: 'PENDING is retried until OBTAINED, or GIVEN_UP after weeks.',
    example: 'OBTAINED',
    enum: [...STAMP_STATUSES],
  })
  status!: StampStatus;

  @Member(() => Int, { description: 'Number of attempts.', example: 1 })
  attempts!: number;

  @Member(() => String, { description: 'Failure of the last attempt.', nullable: true })
  last_error!: string | null;

  @Member(() => String, { description: 'SHA-256 of the stamped content, hexadecimal.', nullable: true })
  message_imprint!: string | null;

  @Member(() => String, { description: 'Time stated by the authority.', nullable: true })
  gen_time!: string | null;

  @Member(() => String, { description: 'Serial number of the token, hex.', nullable: true })
  serial!: string | null;

  @Member(() => String, { description: 'Policy of the authority, an object identifier.', nullable: true })
  policy!: string | null;

  @Member(() => String, { description: 'Subject of the certificate that signed the token.', nullable: true })
  authority!: string | null;

  @Member(() => String, { description: 'The whole reply (TimeStampResp, DER), base64.', nullable: true })
  reply!: string | null;
}
