import { type FieldFault, fault } from '../../../../shared/errors/problem.js';
import { isKeyFault, keyOfQueryFilter, QUERY_MEMBER_FILTERS } from '../../../../shared/event-keys/event-keys.js';
import type { QueryFilter } from '../../../../shared/text/search-query.js';
import { filterTerm, keyTerm } from './row.js';

/** Terms of filters: those that a hit must have, and those that it must not have. */
export interface FilterTerms {
  readonly all: readonly string[];
  readonly none: readonly string[];
}

export const NO_TERMS: FilterTerms = { all: [], none: [] };

/**
 * Returns the terms of the filters in a query.
 *
 * @param faults receives a fault for each filter with a wrong value
 */
export function termsOfFilters(filters: readonly QueryFilter[], faults: FieldFault[]): FilterTerms {
  const all: string[] = [];
  const none: string[] = [];
  for (const { name, value, excluded } of filters) {
    const term = termOf(name, value, faults);
    if (term !== undefined) (excluded ? none : all).push(term);
  }
  return { all, none };
}

const isMemberFilter = (name: string): name is keyof typeof QUERY_MEMBER_FILTERS =>
  Object.hasOwn(QUERY_MEMBER_FILTERS, name);

function termOf(name: string, value: string, faults: FieldFault[]): string | undefined {
  if (isMemberFilter(name)) {
    if (value.trim() !== '') return filterTerm(QUERY_MEMBER_FILTERS[name], value.trim());
    faults.push(fault('/query', 'empty', `${name}: must not be empty.`));
    return undefined;
  }
  const parsed = keyOfQueryFilter(name, value);
  if (!isKeyFault(parsed)) return keyTerm(parsed);
  faults.push(fault('/query', parsed.code, `${name}: ${parsed.message}`));
  return undefined;
}
