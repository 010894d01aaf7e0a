import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import type { FactKind } from '../../../shared/facts/fact.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { inputOf, Member, outputOf, RecordInput, RecordType } from '../../../shared/graph/members.js';
import { pageType, WindowArgs } from '../../../shared/graph/page.js';
import { RecordMembers } from '../../../shared/graph/record-members.js';
import { stepOf } from '../../../shared/graph/step-type.js';
import { rowCheckOf } from '../../../shared/records/row-check.js';
import { NOTICE_STATUSES, type NoticeAction, type NoticeStatus } from './domain.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const DEFAULT_DAYS = 14;
const MAX_DAYS = 365;
/** A month: sessions, which name the roles of a person's sign-in, stay as long. */
const MAX_LINK_HOURS = 720;

/** The members that callers give to a notice. */
export abstract class HoldNoticeMembers {
  @Member(() => String, {
    description: 'Name or e-mail address of the custodian.',
    example: 'Jane Roe, Claims',
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
  })
  custodian!: string;

  @Member(() => String, {
    description: 'Actor of the custodian, who alone acknowledges then; null for a custodian without a key.',
    nullable: true,
    maxLength: 64,
    pattern: '^act_',
    shown: { example: 'act_01JQ0000000000000000000001' },
  })
  custodian_id!: string | null;

  @Member(() => String, {
    description: 'Text of the notice.',
    example: 'Keep all records about member M-1001 until further notice.',
    minLength: 1,
    maxLength: 4_000,
    pattern: '\\S',
  })
  text!: string;
}

@RecordInput({ description: 'A new notice to a custodian.' })
export class HoldNoticeInput extends inputOf(HoldNoticeMembers) {
  @ContractField(() => Int, {
    description: `Days in which the custodian shall acknowledge; ${DEFAULT_DAYS} by default.`,
    example: DEFAULT_DAYS,
    optional: true,
    minimum: 1,
    maximum: MAX_DAYS,
  })
  due_in_days?: number;
}

export const daysOf = ({ due_in_days }: HoldNoticeInput): number => due_in_days ?? DEFAULT_DAYS;

@InputType({ description: 'An acknowledgement.' })
export class HoldNoticeAcknowledgement {
  @ContractField(() => String, {
    description: 'How a custodian without a key acknowledged; required for such a custodian.',
    example: 'E-mail of 3 March 2026',
    optional: true,
    minLength: 1,
    maxLength: 400,
    pattern: '\\S',
  })
  how?: string;
}

@RecordType({ description: 'A step of a notice.' })
class HoldNoticeStep extends stepOf<NoticeStatus, NoticeAction>(NOTICE_STATUSES, 'create') {}

@RecordType({ description: 'A notice to a custodian of a legal hold, and its acknowledgement.' })
export class HoldNotice extends outputOf(HoldNoticeMembers, RecordMembers) {
  @ContractField(() => String, { description: 'Identifier.', example: 'hnt_01JQ0000000000000000000001' })
  notice_id!: string;

  @ContractField(() => String, { description: 'The hold.', example: 'hld_01JQ0000000000000000000001' })
  hold_id!: string;

  @ContractField(() => String, { description: 'Current status.', example: 'PENDING', enum: [...NOTICE_STATUSES] })
  status!: NoticeStatus;

  @ContractField(() => String, { description: 'Time by which the custodian shall acknowledge.', ...TIME })
  due_at!: string;

  @ContractField(() => Boolean, { description: 'Whether that time has passed without it.', example: false })
  overdue!: boolean;

  @ContractField(() => Int, { description: 'Number of reminders.', example: 0 })
  reminders!: number;

  @ContractField(() => String, { description: 'Time of the last reminder, or null.', nullable: true, ...TIME })
  reminded_at!: string | null;

  @ContractField(() => String, { description: 'Time of the acknowledgement, or null.', nullable: true, ...TIME })
  acknowledged_at!: string | null;

  @ContractField(() => String, {
    description: 'How a custodian without a key acknowledged, by a link under which name; null for one of the actor.',
    nullable: true,
  })
  how!: string | null;

  @ContractField(() => String, {
    description: 'Time at which the newest link of the notice ends; null without a link.',
    nullable: true,
    ...TIME,
  })
  link_expires_at!: string | null;

  @ContractField(() => [HoldNoticeStep], { description: 'Steps, oldest first.' })
  history!: HoldNoticeStep[];
}

@InputType({ description: 'A new link to a notice.' })
export class HoldNoticeLinkInput {
  @ContractField(() => Int, {
    description: 'Hours until the link ends.',
    example: 336,
    minimum: 1,
    maximum: MAX_LINK_HOURS,
  })
  expires_in_hours!: number;
}

@ObjectType({ description: 'A notice with a new link.' })
export class SharedHoldNotice extends HoldNotice {
  @ContractField(() => String, { description: 'The token; returned once, the service stores only its hash.' })
  token!: string;

  @ContractField(() => String, {
    description: 'Path of the page on this host that opens the link; the token is behind the #.',
    example: '/console/notice#ehn_01JQ0000000000000000000001_kP2vW6c7JtX1uQ0sR9yZ3aB5dE8fG4hM6nL0oIiUxTw',
  })
  url!: string;
}

/** Check of stored notices. */
export const NOTICE_ROW = rowCheckOf(HoldNotice, {
  own: { link_sha256: 'text?', link_grantor: 'json?' },
  omitted: ['overdue'],
});

/** All that answers show of a notice, and all that opens its link. */
export const NOTICE_FACTS = {
  kind: 'hold-notice',
  evidential: [
    'status',
    'revision',
    'hold_id',
    'custodian',
    'custodian_id',
    'text',
    'due_at',
    'reminders',
    'reminded_at',
    'acknowledged_at',
    'how',
    'link_expires_at',
    'link_sha256',
    'link_grantor',
    'created_at',
    'created_by',
  ],
} as const satisfies { readonly kind: FactKind; readonly evidential: readonly string[] };

export const HoldNoticePage = pageType('HoldNoticePage', () => HoldNotice);

@ArgsType()
export class HoldNoticeFilter extends WindowArgs {
  @ContractField(() => String, {
    description: 'Only notices of this status.',
    optional: true,
    enum: [...NOTICE_STATUSES],
  })
  status?: NoticeStatus;
}
