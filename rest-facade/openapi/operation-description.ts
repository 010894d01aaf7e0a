import type { ContractDocument } from '../../shared/graph/json-schema.js';
import { isPaged } from '../list-cursor.js';
import type { Route } from '../route.js';

const PAGED =
  'Pages hold `limit` items; `next_cursor` of the answer is the `cursor` of the next page, and null on the last.';
const MAY_BE_MISSING = '404 NOT_FOUND if there is none, or it is not visible to the key.';

/** The route's own description, else that of its root field with the rules that apply to its form. */
export function descriptionOf(route: Route, contract: ContractDocument): string {
  if (route.description !== undefined) return route.description;
  const field = route.operation === null ? undefined : contract.operations[route.operation.field];
  if (field === undefined) throw new Error(`${route.method} ${route.path} has no description`);
  // On the graph a missing record is null; a route answers 404.
  const sentence = field.description.replace(/; null [^.]*\.$/, '.');
  const isRecord = route.path.includes('{');
  return [sentence, ...(isPaged(route) ? [PAGED] : []), ...(isRecord ? [MAY_BE_MISSING] : [])].join(' ');
}
