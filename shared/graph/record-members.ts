import { Int } from 'type-graphql';
import { Member } from './members.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;

/** The members that answers show of every record: `outputOf(LeadMembers, RecordMembers)`. */
export abstract class StampMembers {
  @Member(() => String, { description: 'Tenant.', example: 'acme' })
  tenant_id!: string;

  @Member(() => String, { description: 'Time of creation.', ...TIME })
  created_at!: string;

  @Member(() => String, { description: 'API key that created it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @Member(() => String, { description: 'Time of the last change.', ...TIME })
  updated_at!: string;
}

/** The members that answers show of every record with steps. */
export abstract class RecordMembers extends StampMembers {
  @Member(() => [String], { description: 'Actions allowed now.', example: ['update'] })
  allowed_actions!: string[];

  @Member(() => Int, { description: 'Number of the current revision.', example: 1 })
  revision!: number;
}
