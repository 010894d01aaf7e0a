import { ArgsType, ObjectType } from 'type-graphql';
import { ContractField, listShape } from '../../../shared/graph/contract-field.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';

const EXAMPLE_TIME = '2026-03-02T14:11:10.004Z';
const COUNT = { example: 128 };

@ObjectType({ description: 'The count of one name.' })
export class NamedCount {
  @ContractField(() => String, {
    description: 'The name; null for records without one.',
    example: 'claim',
    nullable: true,
  })
  name!: string | null;

  @ContractField(() => SafeInteger, { description: 'Count.', ...COUNT })
  count!: number;
}

@ObjectType({ description: 'The count of one day.' })
export class DayCount {
  @ContractField(() => String, { description: 'The day, UTC.', example: '2026-03-02', format: 'date' })
  date!: string;

  @ContractField(() => SafeInteger, { description: 'Count.', ...COUNT })
  count!: number;
}

const names = listShape('NamedCount');

@ObjectType({ description: "Events without the service's own partitions; names in lower case, most frequent first." })
class DashboardEvents {
  @ContractField(() => SafeInteger, { description: 'Total.', ...COUNT })
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

@ObjectType({ description: 'Raw messages and the results of their parts.' })
class DashboardRawIngests {
  @ContractField(() => SafeInteger, { description: 'Messages.', ...COUNT })
  total!: number;

  @ContractField(() => SafeInteger, { description: 'Transactions of the messages.', ...COUNT })
  transactions!: number;

  @ContractField(() => SafeInteger, { description: 'Accepted parts.', ...COUNT })
  accepted!: number;

  @ContractField(() => SafeInteger, { description: 'Duplicate parts.', example: 0 })
  duplicated!: number;

  @ContractField(() => SafeInteger, { description: 'Rejected parts.', example: 0 })
  rejected!: number;

  @ContractField(() => JsonScalar, { description: 'Messages by format.', shape: names })
  by_format!: NamedCount[];
}

@ObjectType({ description: 'Exceptions.' })
class DashboardExceptions {
  @ContractField(() => SafeInteger, { description: 'Total.', example: 2 })
  total!: number;

  @ContractField(() => JsonScalar, { description: 'By kind.', shape: names })
  by_kind!: NamedCount[];

  @ContractField(() => JsonScalar, { description: 'By status.', shape: names })
  by_status!: NamedCount[];

  @ContractField(() => JsonScalar, { description: 'By severity.', shape: names })
  by_severity!: NamedCount[];
}

@ObjectType({ description: 'Records by status.' })
class DashboardRecords {
  @ContractField(() => SafeInteger, { description: 'Total.', example: 3 })
  total!: number;

  @ContractField(() => JsonScalar, { description: 'By status.', shape: names })
  by_status!: NamedCount[];
}

@ObjectType({ description: 'Leads.' })
class DashboardLeads extends DashboardRecords {
  @ContractField(() => JsonScalar, { description: 'By type.', shape: names })
  by_type!: NamedCount[];
}

@ObjectType({ description: 'Segments of the write-once store by state.' })
class DashboardSegments {
  @ContractField(() => SafeInteger, { description: 'Open for records.', example: 2 })
  open!: number;

  @ContractField(() => SafeInteger, { description: 'Closed, but not sealed yet.', example: 0 })
  full!: number;

  @ContractField(() => SafeInteger, { description: 'Sealed by a signed entry of the ledger.', example: 4 })
  sealed!: number;
}

@ObjectType({ description: 'The scrub of the write-once store: the running one, else the last one.' })
class DashboardScrub {
  @ContractField(() => String, {
    description: 'Start of the running scrub, or null.',
    nullable: true,
    format: 'date-time',
  })
  started_at!: string | null;

  @ContractField(() => SafeInteger, { description: 'Progress in percent of the bytes.', nullable: true })
  progress_percent!: number | null;

  @ContractField(() => String, {
    description: 'End of the last complete scrub, or null.',
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

  @ContractField(() => SafeInteger, { description: 'Damaged contents; each has an exception.', example: 0 })
  damaged!: number;

  @ContractField(() => SafeInteger, { description: 'Records without a ledger entry.', example: 0 })
  unexplained!: number;

  @ContractField(() => SafeInteger, {
    description: 'Longest time since a content was read; null before the first scrub.',
    nullable: true,
    example: 86_400,
  })
  oldest_unverified_seconds!: number | null;
}

@ObjectType({ description: 'The comparison of chains with their write-once copies and the tree.' })
class DashboardReconciliation {
  @ContractField(() => SafeInteger, { description: 'Chains compared to their end at least once.', example: 3 })
  chains!: number;

  @ContractField(() => String, {
    description: 'Time since which every chain is compared to its end, or null.',
    nullable: true,
    format: 'date-time',
  })
  passed_at!: string | null;

  @ContractField(() => SafeInteger, { description: 'Missing copies that were restored.', example: 0 })
  repaired!: number;
}

@ObjectType({ description: 'Current integrity checks of the evidence.' })
class DashboardIntegrity {
  @ContractField(() => DashboardSegments, { description: 'Segments of the write-once store.' })
  segments!: DashboardSegments;

  @ContractField(() => DashboardScrub, { description: 'Scrub of the write-once store.' })
  scrub!: DashboardScrub;

  @ContractField(() => DashboardReconciliation, { description: 'Comparison of chains with copies and tree.' })
  reconciliation!: DashboardReconciliation;
}

@ObjectType({ description: 'Counts of a tenant.' })
export class Dashboard {
  @ContractField(() => String, { description: 'The tenant.', example: 'acme' })
  tenant_id!: string;

  @ContractField(() => String, { description: 'Start of the window, included.', nullable: true, format: 'date-time' })
  from!: string | null;

  @ContractField(() => String, { description: 'End of the window, excluded.', nullable: true, format: 'date-time' })
  to!: string | null;

  @ContractField(() => String, { description: 'Time of the counts.', example: EXAMPLE_TIME, format: 'date-time' })
  generated_at!: string;

  @ContractField(() => DashboardEvents, { description: 'Events by effective time.' })
  events!: DashboardEvents;

  @ContractField(() => DashboardRawIngests, { description: 'Raw messages by time of receipt.' })
  raw_ingests!: DashboardRawIngests;

  @ContractField(() => DashboardExceptions, { description: 'Exceptions by the time they were opened.' })
  exceptions!: DashboardExceptions;

  @ContractField(() => DashboardIntegrity, { description: 'Integrity checks of the evidence.' })
  integrity!: DashboardIntegrity;

  @ContractField(() => DashboardRecords, { description: 'API keys now.' })
  api_keys!: DashboardRecords;

  @ContractField(() => DashboardRecords, { description: 'Actors now.' })
  actors!: DashboardRecords;

  @ContractField(() => DashboardRecords, { description: 'Feature flags now.' })
  feature_flags!: DashboardRecords;

  @ContractField(() => DashboardLeads, { description: 'Leads by time of creation.' })
  leads!: DashboardLeads;

  @ContractField(() => DashboardRecords, {
    description: 'Tenants of the platform now; only for operators.',
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
