import { ArgsType, type ClassType, Int, ObjectType } from 'type-graphql';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, type Page } from '../pagination/cursor.js';
import { ContractField } from './contract-field.js';

/** Arguments of a list in one fixed order: start and length of the page. */
@ArgsType()
export class PlaceArgs {
  @ContractField(() => Int, {
    description: `Maximum number of items; ${DEFAULT_PAGE_LIMIT} by default.`,
    example: DEFAULT_PAGE_LIMIT,
    optional: true,
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
  })
  limit?: number;

  @ContractField(() => String, {
    description: 'The `next_cursor` of the previous page.',
    optional: true,
    minLength: 1,
    maxLength: 1024,
  })
  cursor?: string;
}

/** Query parameters of every list in order of time (api.md section 1); filters of a list extend this class. */
@ArgsType()
export class PageArgs extends PlaceArgs {
  @ContractField(() => String, {
    description: 'Direction of time; newest first by default.',
    optional: true,
    enum: ['asc', 'desc'],
  })
  order?: 'asc' | 'desc';
}

/** Filters of a list of records by their time of creation. */
@ArgsType()
export class WindowArgs extends PageArgs {
  @ContractField(() => String, { description: 'Created at this time or later.', optional: true, format: 'date-time' })
  from?: string;

  @ContractField(() => String, { description: 'Created before this time.', optional: true, format: 'date-time' })
  to?: string;
}

/** The page type of a list: `{ items, next_cursor }`. */
export function pageType<T extends object>(name: string, item: () => ClassType<T>): ClassType<Page<T>> {
  @ObjectType(name, { description: 'One page of a list.' })
  class PageOf {
    @ContractField(() => [item()], { description: 'The items of this page.' })
    items!: T[];

    @ContractField(() => String, { description: 'Cursor of the next page; null on the last page.', nullable: true })
    next_cursor!: string | null;
  }
  return PageOf;
}
