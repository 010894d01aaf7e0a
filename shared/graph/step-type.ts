import { Int } from 'type-graphql';
import { Member, outputOf } from './members.js';

/** One line of a record's history, as answers show it. */
interface ShownStep<Status extends string, Action extends string> {
  revision: number;
  action: Action;
  from: Status | null;
  to: Status;
  at: string;
  by: string;
  actor_id: string | null;
}

/**
 * The members of a step in answers, for a class with `@RecordType`.
 *
 * @param statuses the first one is the example.
 */
export function stepOf<Status extends string, Action extends string>(
  statuses: readonly [Status, ...Status[]],
  action: Action,
): new () => ShownStep<Status, Action> {
  const words = [...statuses];
  abstract class StepMembers implements ShownStep<Status, Action> {
    @Member(() => Int, { description: 'Revision after the step.', example: 1 })
    revision!: number;

    @Member(() => String, { description: 'Action of the step.', example: action })
    action!: Action;

    @Member(() => String, { description: 'Status before.', nullable: true, enum: words })
    from!: Status | null;

    @Member(() => String, { description: 'Status after.', example: statuses[0], enum: words })
    to!: Status;

    @Member(() => String, {
      description: 'Time of the step.',
      example: '2026-03-02T14:11:10.004Z',
      format: 'date-time',
    })
    at!: string;

    @Member(() => String, { description: 'Key that took the step.', example: 'key_01JQ0000000000000000000001' })
    by!: string;

    @Member(() => String, { description: 'Actor of the key.', nullable: true })
    actor_id!: string | null;
  }
  return outputOf(StepMembers);
}

/**
 * The members of a step that names neither the statuses' words nor an actor, for a class with `@RecordType`.
 *
 * @param to example of a status.
 */
export function briefStepOf(to: string): new () => Omit<ShownStep<string, string>, 'actor_id'> {
  abstract class StepMembers implements Omit<ShownStep<string, string>, 'actor_id'> {
    @Member(() => Int, { description: 'Revision after the step.', example: 1 })
    revision!: number;

    @Member(() => String, { description: 'Action of the step.', example: 'create' })
    action!: string;

    @Member(() => String, { description: 'Status before.', nullable: true })
    from!: string | null;

    @Member(() => String, { description: 'Status after.', example: to })
    to!: string;

    @Member(() => String, {
      description: 'Time of the step.',
      example: '2026-03-02T14:11:10.004Z',
      format: 'date-time',
    })
    at!: string;

    @Member(() => String, {
      description: 'Key that took the step, or the part of the service.',
      example: 'key_01JQ0000000000000000000001',
    })
    by!: string;
  }
  return outputOf(StepMembers);
}
