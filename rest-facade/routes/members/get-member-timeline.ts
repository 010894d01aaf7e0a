import { problem } from '../../../shared/errors/problem.js';
import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import type { TimelinePart } from '../../../shared/timeline/entry.js';
import { TIMELINE_KINDS, TIMELINE_SOURCES } from '../../../shared/timeline/kinds.js';
import { operationOf } from '../../graph-route.js';
import type { RouteCall, RouteMaker } from '../../route.js';
import { mergeTimeline } from './merge-timeline.js';

const FIELD = 'memberTimeline';
const ENTRY = 'kind id at member_id type status source_system record withheld';
const ARGUMENTS = ['kinds', 'from', 'to', 'order', 'limit', 'cursor', 'purpose'] as const;

interface TimelineAnswer {
  readonly member: JsonObject | null;
  readonly member_ids: readonly string[];
  readonly identities: readonly Readonly<Record<string, TimelinePart>>[];
}

/** Every kind from the subgraph that keeps it, all under the arguments of the request. */
const passed = ARGUMENTS.map((name) => `${name}: $${name}`).join(', ');
const parts = TIMELINE_KINDS.map(
  (kind) => `${TIMELINE_SOURCES[kind].field}(${passed}) { items { ${ENTRY} } next_cursor }`,
);

/** The kinds come by federation: each subgraph gives TimelineMember its own, and here they become one order of time. */
export const getMemberTimeline: RouteMaker = (contract) => ({
  method: 'GET',
  path: '/v1/members/{id}/timeline',
  area: 'members',
  scope: 'events:read',
  members: { custody: 'own' },
  tenant: 'required',
  summary: "Read a member's timeline",
  description:
    "The member's full record in order of time, oldest first unless `order=desc`: events, decisions, documents, holds, bundles, " +
    'consents, appointments, care team. Members that were merged are one. With `purpose`, and for tokens of member access, consent ' +
    'leaves records out and `withheld` tells how many of this page. Every read is in custody before the answer.',
  operation: { name: 'GetMemberTimeline', field: FIELD, beyond: `identities { ${parts.join(' ')} }` },
  params: { id: 'member_id' },
  query: Object.fromEntries(
    ARGUMENTS.map((name) => [name, operationOf(contract, FIELD).arguments[name]?.schema ?? {}]),
  ),
  response: { schema: answerSchema(contract), description: 'One page of the timeline.' },
  handle,
});

async function handle(call: RouteCall): Promise<unknown> {
  const answer = (await call.run({ ...call.query, member_id: call.params['id'] })) as TimelineAnswer | null;
  if (answer === null) throw problem('NOT_FOUND');
  const { limit = DEFAULT_PAGE_LIMIT, order } = call.query as { limit?: number; order?: 'asc' | 'desc' };
  const { member, member_ids, identities } = answer;
  const { items, next_cursor, withheld } = mergeTimeline(identities.flatMap(partsOf), limit, order);
  return { member, member_ids, items, next_cursor, ...(withheld === null ? {} : { withheld }) };
}

const partsOf = (identity: TimelineAnswer['identities'][number]): TimelinePart[] =>
  TIMELINE_KINDS.flatMap((kind) => identity[TIMELINE_SOURCES[kind].field] ?? []);

function answerSchema(contract: ContractDocument): JsonSchema {
  const { MemberTimeline = {}, EventPage = {} } = contract.components.schemas;
  const page = EventPage['properties'] as JsonObject;
  return {
    ...MemberTimeline,
    properties: {
      ...(MemberTimeline['properties'] as JsonObject),
      items: {
        type: 'array',
        items: { $ref: '#/components/schemas/TimelineEntry' },
        description: 'In order of time, then of id; in the direction asked for.',
      },
      next_cursor: page['next_cursor'] ?? {},
      withheld: page['withheld'] ?? {},
    },
    required: ['member', 'member_ids', 'items', 'next_cursor'],
  };
}
