import { ArgsType, type ClassType, Int, ObjectType } from 'type-graphql';
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, type Page } from '../pagination/cursor.js';
import { ContractField } from './contract-field.js';

/** Where a page begins and how long it is: all that a list in one fixed order takes. */
@ArgsType()
export class PlaceArgs {
  @ContractField(() => Int, {
    description: `Most items to show; ${DEFAULT_PAGE_LIMIT} unless told.`,
    example: DEFAULT_PAGE_LIMIT,
    optional: true,
    minimum: 1,
    maximum: MAX_PAGE_LIMIT,
  })
  limit?: number;

  @ContractField(() => String, {
    description: 'The `next_cursor` of the page before.',
    optional: true,
    minLength: 1,
    maxLength: 1024,
  })
  cursor?: string;
}

/** Query parameters that every list in order of time takes (api.md section 1); a list's own filters extend this class. */
@ArgsType()
export class PageArgs extends PlaceArgs {
  @ContractField(() => String, {
    description: 'Direction of time; newest first unless told.',
    optional: true,
    enum: ['asc', 'desc'],
  })
  order?: 'asc' | 'desc';
}

/** The page type of a list: `{ items, next_cursor }`. */
export function pageType<T extends object>(name: string, item: () => ClassType<T>): ClassType<Page<T>> {
  @ObjectType(name, { description: 'One page of a list.' })
  class PageOf {
    @ContractField(() => [item()], { description: 'The items of this page.' })
    items!: T[];

    @ContractField(() => String, { description: 'Cursor of the next page; null on the last one.', nullable: true })
    next_cursor!: string | null;
  }
  return PageOf as ClassType<Page<T>>;
}
