import { type ClassType, Directive, Int, ObjectType } from 'type-graphql';
import { WITHHELD_REASONS } from '../consent/verdict.js';
import type { Withheld } from '../consent/withheld.js';
import type { Page } from '../pagination/cursor.js';
import { ContractField } from './contract-field.js';

/** Count of the records that consent withholds from an answer. */
@ObjectType('Withheld', { description: 'Records that consent withholds from this answer.' })
@Directive('@shareable')
export class WithheldType {
  @ContractField(() => Int, {
    description: 'Number of withheld records; in a list, on this page.',
    example: 1,
    minimum: 1,
  })
  count!: number;

  @ContractField(() => String, { description: 'Reason.', example: '42CFR2', enum: [...WITHHELD_REASONS] })
  reason!: Withheld['reason'];
}

export interface WithheldPage<T> extends Page<T> {
  readonly withheld?: Withheld;
}

/** The page type of a list that consent filters: `{ items, next_cursor, withheld? }`. */
export function withheldPageType<T extends object>(name: string, item: () => ClassType<T>): ClassType<WithheldPage<T>> {
  @ObjectType(name, { description: 'One page of a list.' })
  class PageOf {
    @ContractField(() => [item()], { description: 'The items of this page.' })
    items!: T[];

    @ContractField(() => String, { description: 'Cursor of the next page; null on the last page.', nullable: true })
    next_cursor!: string | null;

    @ContractField(() => WithheldType, {
      description:
        'Told where consent keeps records out of this page: for a stated purpose, and for tokens of member access.',
      optional: true,
    })
    withheld?: WithheldType;
  }
  return PageOf;
}

/** For what records are read, as a request states it. */
export const PURPOSE_OPTIONS = {
  description:
    'Purpose of the read: records that consent withholds are left out and counted. Without a purpose, every record is shown.',
  optional: true,
  example: 'CARE_COORDINATION',
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
} as const;
