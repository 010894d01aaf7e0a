import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time', nullable: true } as const;
const COUNTED = 'Counted up to 10,000.';

@ObjectType({ description: 'One job queue: counts and times, no row data.' })
export class JobQueue {
  @ContractField(() => String, { description: 'Its name.', example: 'webhook.deliver' })
  name!: string;

  @ContractField(() => String, { description: 'Description of its rows.', example: 'Deliveries to webhooks.' })
  description!: string;

  @ContractField(() => Int, { description: `Rows that are due. ${COUNTED}`, example: 3 })
  due!: number;

  @ContractField(() => Int, { description: `Rows that are scheduled for later. ${COUNTED}`, example: 12 })
  scheduled!: number;

  @ContractField(() => Int, { description: `Rows that a process is handling. ${COUNTED}`, example: 4 })
  running!: number;

  @ContractField(() => Int, {
    description: `Rows abandoned after failed handlings; each opened JOB_POISONED. ${COUNTED}`,
    example: 0,
  })
  failed!: number;

  @ContractField(() => String, { description: 'Due time of the oldest due row.', ...TIME })
  oldest_due_at!: string | null;

  @ContractField(() => String, { description: 'Due time of the next scheduled row.', ...TIME })
  next_at!: string | null;

  @ContractField(() => String, {
    description: 'Time of the last handled row; for operators without a tenant.',
    ...TIME,
  })
  last_run_at!: string | null;

  @ContractField(() => String, { description: 'Time of the last error; for operators without a tenant.', ...TIME })
  last_error_at!: string | null;

  @ContractField(() => String, {
    description: 'Class of that error; for operators without a tenant.',
    example: 'TypeError',
    nullable: true,
  })
  last_error_class!: string | null;
}

@ObjectType({ description: 'A recurring job; it runs in one process of the deployment at a time.' })
export class RecurringJob {
  @ContractField(() => String, { description: 'Its name.', example: 'ledger.tally' })
  name!: string;

  @ContractField(() => String, { description: 'Description.', example: 'Keeps tallies of chains.' })
  description!: string;

  @ContractField(() => Int, { description: 'Seconds between two starts.', example: 60 })
  every_seconds!: number;

  @ContractField(() => Boolean, { description: 'True while a process runs it.', example: false })
  running!: boolean;

  @ContractField(() => String, { description: 'Time of the last start.', ...TIME })
  last_run_at!: string | null;

  @ContractField(() => String, { description: 'Time of the last end.', ...TIME })
  last_finished_at!: string | null;

  @ContractField(() => String, { description: 'Time of the next start.', ...TIME })
  next_run_at!: string | null;

  @ContractField(() => Int, { description: 'Failures since the last success.', example: 0 })
  failures!: number;

  @ContractField(() => String, { description: 'Time of the last failure.', ...TIME })
  last_error_at!: string | null;

  @ContractField(() => String, { description: 'Class of that error.', example: 'TypeError', nullable: true })
  last_error_class!: string | null;
}

@ObjectType({ description: 'The state of background jobs.' })
export class JobsView {
  @ContractField(() => [JobQueue], { description: 'Queues; tenants see counts of their own rows.' })
  queues!: JobQueue[];

  @ContractField(() => [RecurringJob], { description: 'Recurring jobs; for operators without a tenant.' })
  recurring!: RecurringJob[];
}
