import type { ContractDocument } from '../shared/graph/json-schema.js';
import { type GraphRouteEntry, graphRoute, type RoutePlace } from './graph-route.js';
import { isMethod, type Method, type Route, type RouteMaker } from './route.js';

/** What the routes of one area have in common; an entry may differ. */
export interface RouteArea {
  readonly area: string;
  /** The argument of `{id}` in paths; every other path parameter has the name of its argument. */
  readonly id?: string;
  /** Scope of GET routes. */
  readonly reads: Route['scope'];
  /** Scope of all other routes; `reads` by default. */
  readonly writes?: Route['scope'];
  /** `required` by default. */
  readonly tenant?: Route['tenant'];
}

type RouteKey = `${Method} /${string}`;

/** What an entry may state where it differs from its area. */
type OwnPlace = Partial<Pick<Route, 'area' | 'scope' | 'tenant'>>;

/** A route with a handler: everything but its place. */
export type CustomRoute = (contract: ContractDocument) => Omit<Route, keyof RoutePlace> & OwnPlace;

/** `METHOD /path` of each route, and what it does. */
export type RouteEntries = Readonly<Record<RouteKey, (GraphRouteEntry & OwnPlace) | CustomRoute>>;

/** Builds the routes of one area, in the order of the table. */
export function routeTable({ area, id, reads, writes = reads, tenant = 'required' }: RouteArea, entries: RouteEntries) {
  return Object.entries(entries).map(([key, entry]): RouteMaker => {
    const { method, path } = placeOf(key);
    const place: RoutePlace = { method, path, area, scope: method === 'GET' ? reads : writes, tenant };
    return (contract) =>
      typeof entry === 'function'
        ? { ...place, ...entry(contract) }
        : graphRoute(place, { ...paramsOf(path, id), ...entry }, contract);
  });
}

function paramsOf(path: string, id = 'id'): Pick<Route, 'params'> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (names.length === 0) return {};
  return { params: Object.fromEntries(names.map((name) => [name, name === 'id' ? id : name])) };
}

function placeOf(key: string): Pick<Route, 'method' | 'path'> {
  const [method = '', path = ''] = key.split(' ');
  if (!isMethod(method)) throw new Error(`the route table has an unknown method: ${key}`);
  return { method, path };
}
