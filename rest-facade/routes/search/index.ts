import { z } from 'zod';
import { JSON_OBJECT, parseShape } from '../../../shared/contracts/call.js';
import { Problem, problem } from '../../../shared/errors/problem.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { operationOf } from '../../graph-route.js';
import { bodyOf, type RouteCall } from '../../route.js';
import { type CustomRoute, type RouteArea, routeTable } from '../../route-table.js';
import { combinedCounts, KindAnswer } from './combined-counts.js';
import { decodeKindCursors, encodeKindCursors, type KindCursors, type KindPage, mergeKinds } from './merge-kinds.js';
import {
  AT_TOP,
  commonFacets,
  EVENTS,
  FIELDS,
  KINDS,
  type Kind,
  searchAnswerSchema,
  searchBodySchema,
} from './search-schema.js';

/** The body as its JSON Schema has checked it. */
const SearchBody = z.object({
  query: z.string(),
  kinds: z.array(z.enum(['event', 'document'])).optional(),
  filters: JSON_OBJECT.optional(),
  /** Consent for this purpose leaves hits out of the page and of every count. */
  purpose: z.string().optional(),
  limit: z.int().optional(),
  cursor: z.string().optional(),
});

/** Searches all kinds of records, the best hits first; each kind is one root field. */
const search: CustomRoute = (contract) => ({
  summary: 'Search by words',
  description:
    'Words in any form, codes with any separators, exact "phrases", prefix*, -exclusions: every part must match. Documents ' +
    'match by text and metadata, for keys with documents:read. A filter that a kind does not have leaves that kind out. ' +
    'Searches are not stored.',
  operationId: 'search',
  operation: { name: 'SearchEvents', field: FIELDS.event },
  furtherOperations: [{ name: 'SearchDocuments', field: FIELDS.document }],
  body: {
    kind: 'json',
    schema: searchBodySchema(contract),
    example: { query: '"not medically necessary" M25.561 -appeal', filters: { outcome: 'denied' }, limit: 20 },
  },
  response: {
    schema: searchAnswerSchema(contract),
    description: 'One page of hits, the best first, with counts over all hits.',
  },
  handle: (call) => handle(call, contract),
});

const NOTHING: KindPage = { items: [], cursors: [], next_cursor: null };

async function handle(call: RouteCall, contract: ContractDocument): Promise<unknown> {
  const body = SearchBody.parse(bodyOf(call).value);
  const { query, purpose, filters = {}, limit = DEFAULT_PAGE_LIMIT, cursor } = body;
  const kinds = kindsOf(call, body);
  const before: KindCursors = cursor === undefined ? {} : decodeKindCursors(cursor, kinds);
  const asked = kinds.filter((kind) => takesFilters(contract, kind, filters));
  const answers = new Map<Kind, KindAnswer>();
  await Promise.all(
    asked.map(async (kind) => {
      const own = before[kind];
      const variables = {
        ...filters,
        query,
        limit,
        ...(purpose === undefined ? {} : { purpose }),
        ...(typeof own === 'string' ? { cursor: own } : {}),
      };
      answers.set(kind, await runKind(call, kind, variables));
    }),
  );
  const pages = Object.fromEntries(
    kinds.map((kind) => [kind, before[kind] === null ? NOTHING : (answers.get(kind) ?? NOTHING)]),
  );
  const merged = mergeKinds(pages, limit, before);
  const next_cursor = merged.next ? encodeKindCursors(merged.next) : null;
  return { items: merged.items, ...combinedCounts(answers, commonFacets(contract)), next_cursor };
}

/** The requested kinds, by default all that the key may search. @throws FORBIDDEN for documents without their scope */
function kindsOf({ context }: RouteCall, { kinds }: z.infer<typeof SearchBody>): readonly Kind[] {
  const mayReadDocuments = context.principal.scopes.has('documents:read');
  if (kinds === undefined) return mayReadDocuments ? KINDS : [EVENTS];
  if (kinds.includes('document') && !mayReadDocuments) {
    throw problem('FORBIDDEN', { message: 'This needs the scope documents:read.' });
  }
  return kinds;
}

/** A kind without one of the filters has no hits. */
const takesFilters = (contract: ContractDocument, kind: Kind, filters: JsonObject): boolean =>
  Object.keys(filters).every((name) => Object.hasOwn(operationOf(contract, FIELDS[kind]).arguments, name));

/** Runs the search of one kind; faults of filters get the path that they have in the body. */
async function runKind(call: RouteCall, kind: Kind, variables: JsonObject): Promise<KindAnswer> {
  try {
    const answer = await (kind === EVENTS ? call.run(variables) : call.runFurther(FIELDS[kind], variables));
    return parseShape(`${FIELDS[kind]}: answer`, KindAnswer, answer);
  } catch (error) {
    const errors = error instanceof Problem && error.code === 'VALIDATION_ERROR' ? error.details.errors : undefined;
    if (!errors) throw error;
    const moved = errors.map((fault) => {
      const [, name = ''] = fault.path.split('/');
      return AT_TOP.includes(name) ? fault : { ...fault, path: `/filters${fault.path}` };
    });
    throw problem('VALIDATION_ERROR', { errors: moved });
  }
}

const SEARCH: RouteArea = { area: 'search', reads: 'search:read' };

export const searchRoutes = routeTable(SEARCH, {
  'POST /v1/search': search,
});
