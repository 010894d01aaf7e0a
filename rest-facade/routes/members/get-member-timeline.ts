import { z } from 'zod';
import { WITHHELD_REASONS } from '../../../shared/consent/verdict.js';
import { JSON_OBJECT } from '../../../shared/contracts/call.js';
import { problem } from '../../../shared/errors/problem.js';
import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import { DEFAULT_PAGE_LIMIT } from '../../../shared/pagination/cursor.js';
import type { TimelinePart } from '../../../shared/timeline/entry.js';
import { TIMELINE_KINDS, TIMELINE_SOURCES } from '../../../shared/timeline/kinds.js';
import { operationOf } from '../../graph-route.js';
import { objectOf } from '../../object-of.js';
import type { RouteCall } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import { mergeTimeline } from './merge-timeline.js';

const FIELD = 'memberTimeline';
const ENTRY = 'kind id at member_id type status source_system record withheld';
const ARGUMENTS = [
  'kinds',
  'code',
  'provider',
  'outcome',
  'from',
  'to',
  'order',
  'limit',
  'cursor',
  'purpose',
] as const;

const TimelineEntry = z.object({
  kind: z.enum(TIMELINE_KINDS),
  id: z.string(),
  at: z.string(),
  member_id: z.string(),
  type: z.string().nullable(),
  status: z.string().nullable(),
  source_system: z.string().nullable(),
  record: JSON_OBJECT.nullable(),
  withheld: z.enum(WITHHELD_REASONS).nullable(),
});
const Part = z.object({ items: z.array(TimelineEntry), next_cursor: z.string().nullable() });
const Identity = z.record(z.string(), Part.nullable());
const TimelineAnswer = z.object({
  member: JSON_OBJECT.nullable(),
  member_ids: z.array(z.string()),
  identities: z.array(Identity),
});

/** Selects every kind from its subgraph, with the arguments of the request. */
const passed = ARGUMENTS.map((name) => `${name}: $${name}`).join(', ');
const parts = TIMELINE_KINDS.map(
  (kind) => `${TIMELINE_SOURCES[kind].field}(${passed}) { items { ${ENTRY} } next_cursor }`,
);

/** Each subgraph resolves its kinds on TimelineMember; this merges them in order of time. */
export const getMemberTimeline: CustomRoute = (contract) => ({
  scope: 'events:read',
  members: { custody: 'own' },
  summary: "Read a member's timeline",
  description:
    "The member's full record in order of time, oldest first unless `order=desc`: events, decisions, documents, holds, bundles, " +
    'consents, appointments, care team. Merged members are one. With `purpose`, and for member tokens, consent leaves ' +
    'records out and `withheld` counts them. Every read is recorded in custody before the answer.',
  operation: { name: 'GetMemberTimeline', field: FIELD, beyond: `identities { ${parts.join(' ')} }` },
  params: { id: 'member_id' },
  query: Object.fromEntries(
    ARGUMENTS.map((name) => [name, operationOf(contract, FIELD).arguments[name]?.schema ?? {}]),
  ),
  response: { schema: answerSchema(contract), description: 'One page of the timeline.' },
  handle,
});

async function handle(call: RouteCall): Promise<unknown> {
  const answer = await call.read(TimelineAnswer.nullable(), { ...call.query, member_id: call.params['id'] });
  if (answer === null) throw problem('NOT_FOUND');
  const limit = Number(call.query['limit'] ?? DEFAULT_PAGE_LIMIT);
  const order = call.query['order'] === 'desc' ? 'desc' : 'asc';
  const { member, member_ids, identities } = answer;
  const { items, next_cursor, withheld } = mergeTimeline(identities.flatMap(partsOf), limit, order);
  return { member, member_ids, items, next_cursor, ...(withheld === null ? {} : { withheld }) };
}

const partsOf = (identity: z.infer<typeof Identity>): TimelinePart[] =>
  TIMELINE_KINDS.flatMap((kind) => identity[TIMELINE_SOURCES[kind].field] ?? []);

function answerSchema(contract: ContractDocument): JsonSchema {
  const { MemberTimeline = {}, EventPage = {} } = contract.components.schemas;
  const page = objectOf(EventPage['properties']);
  return {
    ...MemberTimeline,
    properties: {
      ...objectOf(MemberTimeline['properties']),
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
