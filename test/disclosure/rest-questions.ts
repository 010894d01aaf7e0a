import type { Route } from '../../rest-facade/route.js';
import { contract, fill, nameOf, paramsOf, routes } from '../isolation/matrix.js';
import { SILENT_ROUTES } from './silent-routes.js';
import type { DisclosedWorld } from './world.js';

// The questions of these suites follow from the route table: each route that reads, once plain and once with each query
// parameter, each format and each media type. A route without values here and without a reason in silent-routes.ts fails.

export interface Question {
  readonly name: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller names the hidden word: an answer that names the record would confirm the word. */
  readonly byWord?: boolean;
}

/** What the path parameter of a route names, by the beginning of its path; some name several records. */
const NAMED: readonly (readonly [prefix: string, param: string, ...kinds: string[]])[] = [
  ['/v1/events/', 'id', 'event', 'rawEvent', 'rival'],
  ['/v1/advocacy/', 'event_id', 'event', 'rawEvent'],
  ['/v1/documents/', 'id', 'document'],
  ['/v1/ingest/', 'ingest_id', 'ingest'],
  ['/v1/redactions/', 'id', 'redaction'],
  ['/v1/exceptions/', 'id', 'exception'],
  ['/v1/bundles/', 'id', 'bundle', 'purposeBundle'],
  ['/v1/legal-matters/', 'id', 'matter'],
  ['/v1/ai-decisions/', 'id', 'decision'],
  ['/v1/consent/', 'id', 'consent'],
  ['/v1/care-team/', 'id', 'carer'],
  ['/v1/ledger/checkpoints/', 'id', 'checkpoint'],
  ['/v1/members/', 'id', 'member'],
  ['/v1/tenants/', 'id', 'tenant'],
  ['/v1/webhooks/', 'id', 'webhook'],
  ['/v1/webhooks/', 'delivery_id', 'delivery'],
];

/** Kinds that a world gets only by an act: a route that names one is asked as soon as there is one. */
const MADE_LATER = new Set(['redaction']);

const idsOf = ({ ids, member, tenantId }: DisclosedWorld): Readonly<Record<string, string>> => ({
  ...ids,
  member,
  tenant: tenantId,
});

/** Values of query parameters that find the records of the world. */
function valuesOf(world: DisclosedWorld, route: Route): Readonly<Record<string, readonly string[]>> {
  const { ids, member, marker } = world;
  const nodes = [`member:${member}`, `event:${ids['event']}`, `document:${ids['document']}`];
  const isPath = route.path === '/v1/graph/paths';
  return {
    against: [ids['purposeBundle'] ?? ''],
    claim: ['CLM-1', marker],
    code: ['carc:50'],
    depth: ['2'],
    document_type: ['letter'],
    event_family: ['claims', 'claim'],
    event_id: [ids['event'] ?? ''],
    family: ['Sample'],
    filename: [`${marker}.txt`],
    from: isPath ? [`member:${member}`] : ['2000-01-01T00:00:00Z'],
    limit: ['1', '500'],
    matter_id: [ids['matter'] ?? ''],
    member_id: [member],
    node: nodes,
    order: ['asc'],
    outcome: ['DENIED'],
    q: ['Sample'],
    roots: nodes,
    sha256: [ids['sha256'] ?? ''],
    source_record_id: [`REC-${marker}`, marker],
    source_system: ['um-core', 'claims'],
    subject_id: [ids['event'] ?? '', ids['document'] ?? ''],
    tag: [marker.toLowerCase(), marker],
    to: isPath ? [`event:${ids['event']}`, `document:${ids['document']}`] : ['2999-01-01T00:00:00Z'],
    whole: ['true'],
  };
}

/** Bodies of the POST routes that read. */
const bodiesOf = (
  { marker, member }: DisclosedWorld,
  purpose: object,
): Readonly<Record<string, readonly [body: object, byWord: boolean][]>> => ({
  'POST /v1/search': [
    [{ query: marker, ...purpose }, true],
    [{ query: `"Seen by ${marker}"`, ...purpose }, true],
    [{ query: 'denied', ...purpose }, false],
    [{ query: marker, member_id: member, ...purpose }, true],
    [{ query: 'M54.50', ...purpose }, false],
  ],
  'POST /v1/advocacy/recode/{event_id}': [[{}, false]],
});

const isRead = (route: Route): boolean => {
  if (route.scope === null) return false;
  if (route.method === 'GET' || route.reads === true) return true;
  return route.operation !== null && contract.operations[route.operation.field]?.kind === 'query';
};

/** Routes with a way to ask them. */
const isAsked = (route: Route): boolean =>
  route.method === 'GET'
    ? paramsOf(route).every((param) => namedBy(route, param) !== undefined)
    : Object.hasOwn(bodiesOf(EMPTY, {}), nameOf(route));

const namedBy = ({ path }: Route, param: string): readonly string[] | undefined =>
  NAMED.find(([prefix, own]) => path.startsWith(prefix) && own === param)?.slice(2);

const EMPTY = { marker: '', member: '' } as DisclosedWorld;

/** Reading routes that are neither asked nor listed, and listed routes that are asked or gone. */
export function uncoveredRoutes(): readonly string[] {
  const reading = routes.filter(isRead);
  const known = new Set(reading.map(nameOf));
  return [
    ...reading.filter((route) => isAsked(route) === (SILENT_ROUTES[nameOf(route)] !== undefined)).map(nameOf),
    ...Object.keys(SILENT_ROUTES).filter((name) => !known.has(name)),
  ];
}

/** @param purpose asks only the routes that take a purpose, for this one */
export function restQuestions(world: DisclosedWorld, purpose?: string): readonly Question[] {
  return routes
    .filter((route) => isRead(route) && isAsked(route))
    .flatMap((route) => routeQuestions(world, route, purpose));
}

const PURPOSE_IN_BODY = new Set(['POST /v1/search']);
/** Their parameter of this name is a filter. */
const PURPOSE_IS_A_FILTER = new Set(['GET /v1/consent', 'GET /v1/signing-keys']);

function routeQuestions(world: DisclosedWorld, route: Route, purpose: string | undefined): Question[] {
  const name = nameOf(route);
  const takesPurpose =
    PURPOSE_IN_BODY.has(name) || ('purpose' in (route.query ?? {}) && !PURPOSE_IS_A_FILTER.has(name));
  if (purpose !== undefined && !takesPurpose) return [];
  const stated: Readonly<Record<string, string>> = purpose === undefined ? {} : { purpose };
  if (route.method === 'POST') {
    const bodies = bodiesOf(world, stated)[name] ?? [];
    const query = purpose === undefined || PURPOSE_IN_BODY.has(name) ? '' : `?purpose=${purpose}`;
    return pathsOf(world, route)
      .map((path) => `${path}${query}`)
      .flatMap((path) =>
        bodies.map(([body, byWord]) => ({ name: `${name} ${path}`, path, method: 'POST' as const, body, byWord })),
      );
  }
  const queries = queriesOf(world, route).map((query) => ({ ...query, ...stated }));
  const accepts = [undefined, ...Object.keys(route.otherMedia ?? {})];
  return pathsOf(world, route).flatMap((path) => [
    ...queries.map((query) => asked(world, name, path, query)),
    ...accepts.slice(1).map((accept) => asked(world, name, path, { ...queries[0], ...stated }, accept)),
  ]);
}

function asked(
  { marker }: DisclosedWorld,
  name: string,
  path: string,
  query: Readonly<Record<string, string>>,
  accept?: string,
): Question {
  const text = new URLSearchParams(query).toString();
  const full = text === '' ? path : `${path}?${text}`;
  const headers = accept === undefined ? {} : { accept };
  const byWord = full.toLowerCase().includes(marker.toLowerCase());
  return { name: [name, full, accept].filter(Boolean).join(' '), path: full, headers, byWord };
}

/** The path with each combination of the records that it may name. */
function pathsOf(world: DisclosedWorld, route: Route): string[] {
  const ids = idsOf(world);
  let filled: Readonly<Record<string, string>>[] = [{}];
  for (const param of paramsOf(route)) {
    const found = (namedBy(route, param) ?? []).flatMap((kind) => {
      const id = ids[kind];
      if (id === undefined && !MADE_LATER.has(kind)) throw new Error(`the world has no ${kind}`);
      return id === undefined ? [] : [id];
    });
    filled = filled.flatMap((given) => found.map((id) => ({ ...given, [param]: id })));
  }
  return filled.map((given) => fill(route.path, given));
}

/** The required parameters alone, then with each value of each other parameter and each value of an enumeration. */
function queriesOf(world: DisclosedWorld, route: Route): Readonly<Record<string, string>>[] {
  const values = valuesOf(world, route);
  let required: Readonly<Record<string, string>>[] = [{}];
  for (const param of route.requiredQuery ?? []) {
    const found = values[param];
    if (found === undefined) throw new Error(`${nameOf(route)} needs a value for ${param}`);
    required = required.flatMap((given) => found.map((value) => ({ ...given, [param]: value })));
  }
  const [first = {}] = required;
  const more = Object.entries(route.query ?? {}).flatMap(([param, schema]) => {
    if (route.requiredQuery?.includes(param)) return [];
    const { enum: listed } = schema as { readonly enum?: readonly string[] };
    return (values[param] ?? listed ?? []).map((value) => ({ ...first, [param]: value }));
  });
  return [...required, ...more];
}
