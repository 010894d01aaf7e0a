import { Int, ObjectType } from 'type-graphql';
import { ContractField } from '../../../shared/graph/contract-field.js';

const TIME = { example: '2026-03-02T14:11:10.004Z', format: 'date-time', nullable: true } as const;
const COUNTED = 'Counted up to 10,000.';

@ObjectType({ description: 'One queue of work beside requests: counts and times, nothing of any row.' })
export class JobQueue {
  @ContractField(() => String, { description: 'Its name.', example: 'webhook.deliver' })
  name!: string;

  @ContractField(() => String, { description: 'What a row of it is.', example: 'Deliveries to webhooks.' })
  description!: string;

  @ContractField(() => Int, { description: `Rows that are due. ${COUNTED}`, example: 3 })
  due!: number;

  @ContractField(() => Int, { description: `Rows whose time is still to come. ${COUNTED}`, example: 12 })
  scheduled!: number;

  @ContractField(() => Int, { description: `Rows that a process has in hand. ${COUNTED}`, example: 4 })
  running!: number;

  @ContractField(() => Int, {
    description: `Rows given up after handlings without an outcome; each opened JOB_POISONED. ${COUNTED}`,
    example: 0,
  })
  failed!: number;

  @ContractField(() => String, { description: 'Since when the oldest row is due.', ...TIME })
  oldest_due_at!: string | null;

  @ContractField(() => String, { description: 'When the next scheduled row is due.', ...TIME })
  next_at!: string | null;

  @ContractField(() => String, { description: 'When a row was last handled; for operators without a tenant.', ...TIME })
  last_run_at!: string | null;

  @ContractField(() => String, { description: 'When a handling last threw; for operators without a tenant.', ...TIME })
  last_error_at!: string | null;

  @ContractField(() => String, {
    description: 'Class of that error; for operators without a tenant.',
    example: 'TypeError',
    nullable: true,
  })
  last_error_class!: string | null;
}

@ObjectType({ description: 'Work that comes round by the clock, in one process of the deployment at a time.' })
export class RecurringJob {
  @ContractField(() => String, { description: 'Its name.', example: 'ledger.tally' })
  name!: string;

  @ContractField(() => String, { description: 'What it does.', example: 'Keeps tallies of chains.' })
  description!: string;

  @ContractField(() => Int, { description: 'Seconds between two beginnings.', example: 60 })
  every_seconds!: number;

  @ContractField(() => Boolean, { description: 'Whether a process has it in hand.', example: false })
  running!: boolean;

  @ContractField(() => String, { description: 'When it last began.', ...TIME })
  last_run_at!: string | null;

  @ContractField(() => String, { description: 'When it last ended.', ...TIME })
  last_finished_at!: string | null;

  @ContractField(() => String, { description: 'When it begins next.', ...TIME })
  next_run_at!: string | null;

  @ContractField(() => Int, { description: 'Failures since it last went well.', example: 0 })
  failures!: number;

  @ContractField(() => String, { description: 'When it last failed.', ...TIME })
  last_error_at!: string | null;

  @ContractField(() => String, { description: 'Class of that error.', example: 'TypeError', nullable: true })
  last_error_class!: string | null;
}

@ObjectType({ description: 'Where the work beside requests stands.' })
export class JobsView {
  @ContractField(() => [JobQueue], { description: "Queues; in a tenant's view they count its own rows alone." })
  queues!: JobQueue[];

  @ContractField(() => [RecurringJob], { description: 'Recurring work; for operators without a tenant.' })
  recurring!: RecurringJob[];
}
