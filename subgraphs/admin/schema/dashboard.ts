import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const COUNT = { example: 128 };

@ObjectType({ description: 'How many there are of one name.' })
export class NamedCount {
  @ContractField(() => String, {
    description: 'The name; null for what does not say.',
    example: 'claim',
    nullable: true,
  })
  name!: string | null;

  @ContractField(() => SafeInteger, { description: 'How many.', ...COUNT })
  count!: number;
}

@ObjectType({ description: 'How many there are of one day.' })
export class DayCount {
  @ContractField(() => String, { description: 'The day, UTC.', example: '2026-03-02', format: 'date' })
  date!: string;

  @ContractField(() => SafeInteger, { description: 'How many.', ...COUNT })
  count!: number;
}

const names = listShape('NamedCount');

@ObjectType({ description: "Events, the service's own partitions left out; names in lower case, most frequent first." })
export class DashboardEvents {
  @ContractField(() => SafeInteger, { description: 'All of them.', ...COUNT })
  total!: number;

  @ContractField(() => JsonScalar, { description: 'By day of their effective time.', shape: listShape('DayCount') })
  by_day!: DayCount[];

  @ContractField(() => JsonScalar, { description: 'By family.', shape: names })
  by_family!: NamedCount[];

  @ContractField(() => JsonScalar, { description: 'By type.', shape: names })
  by_type!: NamedCount[];

  @ContractField(() => JsonScalar, { description: 'By outcome.', shape: names })
  by_outcome!: NamedCount[];

  @ContractField(() => JsonScalar, { description: 'By source system.', shape: names })
  by_source_system!: NamedCount[];

  @ContractField(() => Boolean, { description: 'A list was cut to its 500 most frequent names.', example: false })
  truncated!: boolean;
}

@ObjectType({ description: 'Raw messages and what became of their parts.' })
export class DashboardRawIngests {
  @ContractField(() => SafeInteger, { description: 'Messages.', ...COUNT })
  total!: number;

  @ContractField(() => SafeInteger, { description: 'Transactions in them.', ...COUNT })
  transactions!: number;

  @ContractField(() => SafeInteger, { description: 'Parts accepted.', ...COUNT })
  accepted!: number;

  @ContractField(() => SafeInteger, { description: 'Parts that were there before.', example: 0 })
  duplicated!: number;

  @ContractField(() => SafeInteger, { description: 'Parts refused.', example: 0 })
  rejected!: number;

  @ContractField(() => JsonScalar, { description: 'Messages by format.', shape: names })
  by_format!: NamedCount[];
}

@ObjectType({ description: 'Exceptions.' })
export class DashboardExceptions {
  @ContractField(() => SafeInteger, { description: 'All of them.', example: 2 })
  total!: number;

  @ContractField(() => JsonScalar, { description: 'By kind.', shape: names })
  by_kind!: NamedCount[];

  @ContractField(() => JsonScalar, { description: 'By status.', shape: names })
  by_status!: NamedCount[];

  @ContractField(() => JsonScalar, { description: 'By severity.', shape: names })
  by_severity!: NamedCount[];
}

@ObjectType({ description: 'Records by where they stand.' })
export class DashboardRecords {
  @ContractField(() => SafeInteger, { description: 'All of them.', example: 3 })
  total!: number;

  @ContractField(() => JsonScalar, { description: 'By status.', shape: names })
  by_status!: NamedCount[];
}

@ObjectType({ description: 'Leads.' })
export class DashboardLeads extends DashboardRecords {
  @ContractField(() => JsonScalar, { description: 'By type.', shape: names })
  by_type!: NamedCount[];
}

@ObjectType({ description: 'Segments of the write-once store by where they stand.' })
export class DashboardSegments {
  @ContractField(() => SafeInteger, { description: 'Take records.', example: 2 })
  open!: number;

  @ContractField(() => SafeInteger, { description: 'Take no more, and are not sealed yet.', example: 0 })
  full!: number;

  @ContractField(() => SafeInteger, { description: 'Sealed by a signed entry of the ledger.', example: 4 })
  sealed!: number;
}

@ObjectType({ description: 'The walk that hashes the write-once store again: the one under way, else the last.' })
export class DashboardScrub {
  @ContractField(() => String, {
    description: 'When the walk under way began; null while none is.',
    nullable: true,
    format: 'date-time',
  })
  started_at!: string | null;

  @ContractField(() => SafeInteger, { description: 'How far it is, in percent of the bytes.', nullable: true })
  progress_percent!: number | null;

  @ContractField(() => String, {
    description: 'When the last whole walk ended; null for never.',
    nullable: true,
    format: 'date-time',
  })
  finished_at!: string | null;

  @ContractField(() => SafeInteger, { description: 'Records read.', ...COUNT })
  records!: number;

  @ContractField(() => SafeInteger, { description: 'Large contents read.', ...COUNT })
  blobs!: number;

  @ContractField(() => SafeInteger, { description: 'Bytes read.', ...COUNT })
  bytes!: number;

  @ContractField(() => SafeInteger, { description: 'Found damaged; each has its exception.', example: 0 })
  damaged!: number;

  @ContractField(() => SafeInteger, { description: 'Records that nothing in the ledger explains.', example: 0 })
  unexplained!: number;

  @ContractField(() => SafeInteger, {
    description: 'Nothing has gone unread for longer than this; null before the first walk.',
    nullable: true,
    example: 86_400,
  })
  oldest_unverified_seconds!: number | null;
}

@ObjectType({ description: 'The comparison of chains with their write-once copies and the tree.' })
export class DashboardReconciliation {
  @ContractField(() => SafeInteger, { description: 'Chains compared to their end at least once.', example: 3 })
  chains!: number;

  @ContractField(() => String, {
    description: 'Since when every chain has been compared to its end; null for never.',
    nullable: true,
    format: 'date-time',
  })
  passed_at!: string | null;

  @ContractField(() => SafeInteger, { description: 'Copies that were missing and were made again.', example: 0 })
  repaired!: number;
}

@ObjectType({ description: 'How far the evidence is looked after, as it stands.' })
export class DashboardIntegrity {
  @ContractField(() => DashboardSegments, { description: 'Segments of the write-once store.' })
  segments!: DashboardSegments;

  @ContractField(() => DashboardScrub, { description: 'Its re-reading.' })
  scrub!: DashboardScrub;

  @ContractField(() => DashboardReconciliation, { description: 'Chains beside copies and tree.' })
  reconciliation!: DashboardReconciliation;
}

@ObjectType({ description: 'Counters of a tenant.' })
export class Dashboard {
  @ContractField(() => String, { description: 'The tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'From this time on.', nullable: true, format: 'date-time' })
  from!: string | null;

  @ContractField(() => String, { description: 'Before this time.', nullable: true, format: 'date-time' })
  to!: string | null;

  @ContractField(() => String, { description: 'When it was counted.', example: EXAMPLE_TIME, format: 'date-time' })
  generated_at!: string;

  @ContractField(() => DashboardEvents, { description: 'Events by effective time.' })
  events!: DashboardEvents;

  @ContractField(() => DashboardRawIngests, { description: 'Raw messages by time of receipt.' })
  raw_ingests!: DashboardRawIngests;

  @ContractField(() => DashboardExceptions, { description: 'Exceptions by the time they were opened.' })
  exceptions!: DashboardExceptions;

  @ContractField(() => DashboardIntegrity, { description: 'How far the evidence is looked after.' })
  integrity!: DashboardIntegrity;

  @ContractField(() => DashboardRecords, { description: 'API keys as they stand.' })
  api_keys!: DashboardRecords;

  @ContractField(() => DashboardRecords, { description: 'Actors as they stand.' })
  actors!: DashboardRecords;

  @ContractField(() => DashboardRecords, { description: 'Feature flags as they stand.' })
  feature_flags!: DashboardRecords;

  @ContractField(() => DashboardLeads, { description: 'Leads by the time they came.' })
  leads!: DashboardLeads;

  @ContractField(() => DashboardRecords, {
    description: 'Tenants of the platform as they stand; for its operators alone.',
    optional: true,
  })
  tenants?: DashboardRecords | null;
}

@ArgsType()
export class DashboardWindow {
  @ContractField(() => String, { description: 'Count from this time on.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Count before this time.', optional: true, format: 'date-time' })
  to?: string;
}
