import { ArgsType, InputType, Int, ObjectType } from 'type-graphql';
import {
  CONSENT_DECISIONS,
  type ConsentDecision,
  WITHHELD_REASONS,
  type WithheldReason,
} from '../../../shared/consent/verdict.js';
import { ContractField } from '../../../shared/graph/contract-field.js';
import { PageArgs, pageType } from '../../../shared/graph/page.js';
import { CONSENT_STATUSES, type ConsentStatus } from '../domain/consent/consent.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time' } as const;
const MEMBER = { example: 'M-1', minLength: 1, maxLength: 256 };
const DECISION = { example: 'PERMIT', enum: [...CONSENT_DECISIONS] };
const STATUS = { example: 'ACTIVE', enum: [...CONSENT_STATUSES] };
export const PURPOSE = { example: 'CARE_COORDINATION', maxLength: 64, pattern: '^(\\*|[A-Za-z][A-Za-z0-9_]*)$' };
export const CATEGORIES = { example: ['42CFR2'], items: { minLength: 1, maxLength: 128 }, maxItems: 100 };
export const ACTORS = {
  example: ['key_01JQ0000000000000000000001'],
  items: { minLength: 1, maxLength: 256 },
  maxItems: 100,
};
const TEXT = { maxLength: 2_000 };
const GRANTOR = { example: 'the member', minLength: 1, maxLength: 256 };
const DOCUMENT = { example: 'doc_01JQ0000000000000000000001', maxLength: 64 };

@InputType({ description: 'From start on, and before end; open where it has none.' })
export class ConsentPeriodInput {
  @ContractField(() => String, { description: 'When it begins.', optional: true, ...TIME })
  start?: string;

  @ContractField(() => String, { description: 'When it is over.', optional: true, ...TIME })
  end?: string;
}

@InputType({ description: 'What a member says about who may see what.' })
export class ConsentInput {
  @ContractField(() => String, { description: 'Whose records it is about.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'Where several speak to one record, DENY wins.', ...DECISION })
  decision!: ConsentDecision;

  @ContractField(() => String, { description: 'For what; `*` for everything. Kept in upper case.', ...PURPOSE })
  purpose!: string;

  @ContractField(() => [String], {
    description:
      'Which records: families of events, `document`, and labels such as `42CFR2`; all unless told. A PERMIT must name `42CFR2` to reach it.',
    optional: true,
    ...CATEGORIES,
  })
  categories?: string[];

  @ContractField(() => [String], {
    description: 'Who may, or may not: actors, keys, or who asks for access; anybody unless told.',
    optional: true,
    ...ACTORS,
  })
  actors?: string[];

  @ContractField(() => ConsentPeriodInput, { description: 'When it speaks.', optional: true })
  period?: ConsentPeriodInput;

  @ContractField(() => String, {
    description: 'The signed form, a document of the vault.',
    optional: true,
    ...DOCUMENT,
  })
  source_document_id?: string;

  @ContractField(() => String, { description: 'Who gave it, for the member.', optional: true, ...GRANTOR })
  grantor?: string;

  @ContractField(() => String, { description: 'A remark.', optional: true, ...TEXT })
  note?: string;
}

@InputType({ description: 'Why a consent ends.' })
export class ConsentRevocation {
  @ContractField(() => String, { description: 'In words.', optional: true, ...TEXT })
  reason?: string;

  @ContractField(() => Int, {
    description: 'The revision that this is done on; CONFLICT when another one stands.',
    optional: true,
    minimum: 1,
  })
  revision?: number;
}

@ObjectType({ description: 'When a consent speaks.' })
export class ConsentPeriod {
  @ContractField(() => String, { description: 'From then on.', nullable: true, ...TIME })
  start!: string | null;

  @ContractField(() => String, { description: 'Before then.', nullable: true, ...TIME })
  end!: string | null;
}

@ObjectType({ description: 'One step of a consent.' })
export class ConsentChange {
  @ContractField(() => Int, { description: 'Revision that it made.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'What was done.', example: 'create' })
  action!: string;

  @ContractField(() => String, { description: 'Status before.', nullable: true })
  from!: string | null;

  @ContractField(() => String, { description: 'Status after.', ...STATUS })
  to!: string;

  @ContractField(() => String, { description: 'When.', ...TIME })
  at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  by!: string;

  @ContractField(() => String, { description: "The key's actor.", nullable: true })
  actor_id!: string | null;
}

@ObjectType({ description: 'What a member has said about who may see what.' })
export class Consent {
  @ContractField(() => String, { description: 'Identifier.', example: 'cns_01JQ0000000000000000000001' })
  consent_id!: string;

  @ContractField(() => String, { description: 'Its tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Whose records it is about.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'DENY wins.', ...DECISION })
  decision!: ConsentDecision;

  @ContractField(() => String, { description: 'For what; `*` for everything.', example: 'CARE_COORDINATION' })
  purpose!: string;

  @ContractField(() => [String], { description: 'Which records; empty for all.', example: ['42CFR2'] })
  categories!: string[];

  @ContractField(() => [String], { description: 'Who may, or may not; empty for anybody.', example: [] })
  actors!: string[];

  @ContractField(() => ConsentPeriod, { description: 'When it speaks.' })
  period!: ConsentPeriod;

  @ContractField(() => String, { description: 'REVOKED is final.', ...STATUS })
  status!: ConsentStatus;

  @ContractField(() => Boolean, { description: 'Whether it speaks at this moment.', example: true })
  in_force!: boolean;

  @ContractField(() => [String], { description: 'Actions that it takes now.', example: ['revoke'] })
  allowed_actions!: string[];

  @ContractField(() => String, { description: 'The signed form.', nullable: true })
  source_document_id!: string | null;

  @ContractField(() => String, { description: 'Who gave it, for the member.', nullable: true })
  grantor!: string | null;

  @ContractField(() => String, { description: 'A remark.', nullable: true })
  note!: string | null;

  @ContractField(() => String, { description: 'Why it was revoked.', nullable: true })
  revocation_reason!: string | null;

  @ContractField(() => Int, { description: 'Counts its changes.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it was noted.', ...TIME })
  created_at!: string;

  @ContractField(() => String, { description: 'The key that did it.', example: 'key_01JQ0000000000000000000001' })
  created_by!: string;

  @ContractField(() => String, { description: 'When it last changed.', ...TIME })
  updated_at!: string;

  @ContractField(() => [ConsentChange], { description: 'Its steps, oldest first.' })
  history!: ConsentChange[];
}

export const ConsentPage = pageType('ConsentPage', () => Consent);

@ArgsType()
export class ConsentFilter extends PageArgs {
  @ContractField(() => String, { description: 'Only of this member.', optional: true, maxLength: 256 })
  member_id?: string;

  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...CONSENT_STATUSES] })
  status?: ConsentStatus;

  @ContractField(() => String, { description: 'Only these.', optional: true, enum: [...CONSENT_DECISIONS] })
  decision?: ConsentDecision;

  @ContractField(() => String, { description: 'Only for this purpose.', optional: true, maxLength: 64 })
  purpose?: string;

  @ContractField(() => String, { description: 'Noted at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Noted before this time.', optional: true, format: 'date-time' })
  to?: string;
}

@InputType({ description: 'A question: may this be seen?' })
export class ConsentCheckInput {
  @ContractField(() => String, { description: 'Whose record it is.', ...MEMBER })
  member_id!: string;

  @ContractField(() => String, { description: 'For what.', ...PURPOSE })
  purpose!: string;

  @ContractField(() => String, {
    description: 'A family of events, `document`, or a label; what nobody protects specially unless told.',
    optional: true,
    example: '42CFR2',
    minLength: 1,
    maxLength: 128,
  })
  category?: string;

  @ContractField(() => String, { description: 'Who would see it.', optional: true, minLength: 1, maxLength: 256 })
  actor?: string;
}

@ObjectType({ description: 'What the rules of consent say to a question.' })
export class ConsentCheckResult {
  @ContractField(() => String, { description: 'Whether it may be seen.', ...DECISION })
  decision!: ConsentDecision;

  @ContractField(() => String, { description: 'Why not.', nullable: true, enum: [...WITHHELD_REASONS] })
  reason!: WithheldReason | null;

  @ContractField(() => [String], {
    description: 'The consents that decided it; none where the rule for what nobody has spoken of did.',
    example: ['cns_01JQ0000000000000000000001'],
  })
  consent_ids!: string[];
}

const SYSTEMS = { example: ['sud-clinic'], items: { minLength: 1, maxLength: 128 }, maxItems: 1_000 };

@InputType({ description: 'What holds for all members of the tenant.' })
export class ConsentPolicyInput {
  @ContractField(() => [String], {
    description:
      'Source systems of 42 CFR Part 2 programs: a diagnosis F10–F19 from there is protected, and so are documents.',
    ...SYSTEMS,
  })
  part2_source_systems!: string[];

  @ContractField(() => Int, {
    description: 'The revision that this is done on; CONFLICT when another one stands.',
    optional: true,
    minimum: 0,
  })
  revision?: number;
}

@ObjectType({ description: 'What holds for all members of the tenant.' })
export class ConsentPolicyRecord {
  @ContractField(() => [String], { description: 'Source systems of 42 CFR Part 2 programs.', example: ['sud-clinic'] })
  part2_source_systems!: string[];

  @ContractField(() => Int, { description: 'Counts its changes; 0 before the first.', example: 1 })
  revision!: number;

  @ContractField(() => String, { description: 'When it last changed.', nullable: true, ...TIME })
  updated_at!: string | null;

  @ContractField(() => String, { description: 'The key that changed it.', nullable: true })
  updated_by!: string | null;
}
