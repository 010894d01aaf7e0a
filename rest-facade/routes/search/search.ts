import { Problem, problem } from '../../../shared/errors/problem.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import { operationOf } from '../../graph-route.js';
import { bodyOf, type RouteCall, type RouteMaker } from '../../route.js';
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
import { type KindAnswer, tellTogether } from './tell-together.js';

interface SearchBody {
  readonly query: string;
  readonly kinds?: readonly Kind[];
  readonly filters?: JsonObject;
  /** For what: consent leaves hits out of the page and of every count. */
  readonly purpose?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Words over kinds of records, the best first; each kind is one root field. */
export const search: RouteMaker = (contract) => ({
  method: 'POST',
  path: '/v1/search',
  area: 'search',
  scope: 'search:read',
  tenant: 'required',
  summary: 'Search by words',
  description:
    'Words in any form, codes however they are parted, "phrases" in just that form, pre* for what begins so, -exclusions: ' +
    'every part must be found. Documents are found by their text and what describes them, for keys with documents:read; a filter ' +
    'that a kind does not know leaves that kind out. Reads alone: nothing is kept of a search.',
  operation: { name: 'SearchEvents', field: FIELDS.event },
  beside: [{ name: 'SearchDocuments', field: FIELDS.document }],
  body: {
    kind: 'json',
    schema: searchBodySchema(contract),
    example: { query: '"not medically necessary" M25.561 -appeal', filters: { outcome: 'denied' }, limit: 20 },
  },
  response: {
    schema: searchAnswerSchema(contract),
    description: 'One page of hits, the best first, and counts over all hits.',
  },
  handle: (call) => handle(call, contract),
});

const NOTHING: KindPage = { items: [], cursors: [], next_cursor: null };

async function handle(call: RouteCall, contract: ContractDocument): Promise<unknown> {
  const body = bodyOf(call).value as unknown as SearchBody;
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
  return { items: merged.items, ...tellTogether(answers, commonFacets(contract)), next_cursor };
}

/** All that the key may search, unless told. @throws FORBIDDEN for documents without their scope */
function kindsOf({ context }: RouteCall, { kinds }: SearchBody): readonly Kind[] {
  const mayReadDocuments = context.principal.scopes.has('documents:read');
  if (kinds === undefined) return mayReadDocuments ? KINDS : [EVENTS];
  if (kinds.includes('document') && !mayReadDocuments) {
    throw problem('FORBIDDEN', { message: 'This needs the scope documents:read.' });
  }
  return kinds;
}

/** No record of a kind can have what the kind does not know. */
const takesFilters = (contract: ContractDocument, kind: Kind, filters: JsonObject): boolean =>
  Object.keys(filters).every((name) => Object.hasOwn(operationOf(contract, FIELDS[kind]).arguments, name));

/** Faults of filters are told where the body has them. */
async function runKind(call: RouteCall, kind: Kind, variables: JsonObject): Promise<KindAnswer> {
  try {
    return (await (kind === EVENTS ? call.run(variables) : call.runBeside(FIELDS[kind], variables))) as KindAnswer;
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
