import type { Route } from '../route.js';

type Named = Pick<Route, 'method' | 'path' | 'operation' | 'operationId'>;

/**
 * Names each route after its operation: `CreateActor` is `createActor`. Routes that share an operation differ by
 * their path: `POST /v1/appointments/{id}/check-in` is `checkInAppointment`, `…/{id}/members/{ref}` adds `Members`.
 *
 * @throws if two routes get one name
 */
export function operationIds(routes: readonly Named[]): ReadonlyMap<Named, string> {
  const uses = new Map<string, number>();
  for (const { operation } of routes) if (operation) uses.set(operation.name, (uses.get(operation.name) ?? 0) + 1);
  const ids = new Map(routes.map((route) => [route, idOf(route, uses)]));
  const owners = new Map<string, Named>();
  for (const [route, id] of ids) {
    const other = owners.get(id);
    if (other) throw new Error(`${route.path} and ${other.path} have the operation id ${id}`);
    owners.set(id, route);
  }
  return ids;
}

function idOf({ method, path, operation, operationId }: Named, uses: ReadonlyMap<string, number>): string {
  if (operationId !== undefined) return operationId;
  if (operation === null) throw new Error(`${method} ${path} has no operation and no operation id`);
  const { name } = operation;
  if (uses.get(name) === 1) return lowerFirst(name);
  const segments = path.split('/');
  const isStep = !(segments.at(-1) ?? '').startsWith('{');
  const literal = segments.findLast((segment) => segment !== '' && !segment.startsWith('{')) ?? '';
  return isStep ? `${lowerFirst(pascal(literal))}${withoutVerb(name)}` : `${lowerFirst(name)}${pascal(literal)}`;
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const pascal = (segment: string): string =>
  segment
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** `PlanAppointment` becomes `Appointment`. */
const withoutVerb = (name: string): string => name.replace(/^[A-Z][a-z]*/, '');
