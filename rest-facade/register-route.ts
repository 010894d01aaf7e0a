import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../shared/auth/context.js';
import { parseShape } from '../shared/contracts/call.js';
import { stopIfLeft } from '../shared/errors/caller-left.js';
import { problem } from '../shared/errors/problem.js';
import { asProblem } from '../shared/errors/unexpected.js';
import type { Contract, Validator } from '../shared/graph/validator.js';
import type { FirstAnswer } from '../shared/idempotency/answer-store.js';
import { ANY_TENANT } from '../shared/ids/tenant.js';
import { isJsonObject } from '../shared/json/strict-json.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import { type BodyWarning, freeFormOf, type OpenFreeForm } from './free-form.js';
import { operationOf } from './graph-route.js';
import { isPaged, type ListCursors } from './list-cursor.js';
import { type Made, madeError, madeOf, sendFirst, sendMade, withWarningsOf } from './make-answer.js';
import { objectOf } from './object-of.js';
import { DEFAULT_BODY_BYTES, isGzip, jsonBytesOf, parsedBody, refuseEncodings } from './plugins/body.js';
import {
  contentDigestOf,
  digestedContent,
  hashedContent,
  idempotencyKeyOf,
  idempotentRequest,
  NO_CONTENT,
  type RunsOnce,
} from './plugins/idempotency.js';
import {
  authenticate,
  contextOf,
  type Identity,
  type IdentityDeps,
  identify,
  presentsKey,
  settleTenant,
} from './plugins/identity.js';
import { whileClientStays } from './plugins/leaving-client.js';
import { recordMemberRead } from './plugins/member-custody.js';
import { limitRate, type RateLimitDeps } from './plugins/rate-limit.js';
import { sessionCookieFor } from './plugins/session-cookie.js';
import { inRequestSpan } from './plugins/trace.js';
import { queryReader, type ReadQuery } from './query-parameters.js';
import { type LeaveOutTenant, leaveOutTenant } from './repeated-tenant.js';
import { type JudgeDeps, judgeReplay } from './replay-judge.js';
import type { JsonBody, JsonRouteBody, RawContent, Route, RouteCall, RouteOperation, RouteServices } from './route.js';
import { type ShapeAnswer, shapeAnswer } from './shape-answer.js';

export type RunOperation = (
  name: string,
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => Promise<Readonly<Record<string, unknown>>>;

export interface Pipeline extends IdentityDeps, RateLimitDeps, JudgeDeps {
  readonly metrics: IdentityDeps['metrics'] & Pick<Metrics, 'stopped'>;
  readonly contract: Contract;
  readonly run: RunOperation;
  readonly once: RunsOnce;
  readonly cursors: ListCursors;
  readonly services: RouteServices;
  readonly logger: Logger;
}

export const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** A route with its compiled checks. */
interface Compiled {
  readonly route: Route;
  readonly readQuery: ReadQuery;
  readonly bodyFaults: Validator | null;
  readonly leaveOutTenant: LeaveOutTenant;
  readonly openFreeForm: OpenFreeForm;
  readonly shape: ShapeAnswer;
  /** Shapes of the further operations, by root field. */
  readonly furtherShapes: ReadonlyMap<string, ShapeAnswer>;
  readonly paged: boolean;
  /** Its answers are never kept: see Route.reads. */
  readonly isRead: boolean;
  /** Its work stops when the client leaves. */
  readonly stops: boolean;
  /** Root fields of its operations that only read. */
  readonly queries: ReadonlySet<string>;
}

/** A request on its way to the handler. */
interface Input {
  readonly compiled: Compiled;
  readonly pipeline: Pipeline;
  readonly request: FastifyRequest;
  readonly json: JsonBody | Error | undefined;
  readonly content: RawContent | undefined;
  /** Aborted when the client leaves; absent for a write, which nothing cuts. */
  readonly signal?: AbortSignal;
  /** Null without an Idempotency-Key. */
  readonly workId: (() => Promise<string>) | null;
}

/**
 * Registers a route. Before the body is read: key, rate, tenant and scope. Then the tenant that the body may name. Then,
 * once for each Idempotency-Key: query, schema and handler.
 */
export function registerRoute(server: FastifyInstance, route: Route, pipeline: Pipeline): void {
  const compiled = compile(route, pipeline.contract);
  const { body } = route;
  server.route({
    method: route.method,
    url: fastifyPath(route.path),
    config: { area: route.area },
    bodyLimit: (body?.kind === 'json' && body.maxBytes?.(pipeline.services.limits)) || DEFAULT_BODY_BYTES,
    onRequest: async (request, reply) => {
      if (route.headers !== undefined) reply.headers(route.headers);
      refuseEncodings(request, route.body?.kind === 'stream' && route.body.takesGzip === true);
      if (route.scope === null && !(route.takesKey === true && presentsKey(request))) return;
      const principal = await authenticate(pipeline, request);
      await limitRate(pipeline, principal, request, reply);
      request.identity = await identify(pipeline, route, request, principal);
      request.idempotencyKey = idempotencyKeyOf(request);
    },
    handler: (request, reply) => inRequestSpan(route, request, reply, () => answer(compiled, pipeline, request, reply)),
  });
}

function compile(route: Route, contract: Contract): Compiled {
  const operation = route.operation ? operationOf(contract.document, route.operation.field) : null;
  return {
    route,
    readQuery: queryReader(route.query ?? {}, contract, route.requiredQuery),
    bodyFaults: route.body?.kind === 'json' ? contract.compile(route.body.schema) : null,
    leaveOutTenant: leaveOutTenant(route, contract.document),
    openFreeForm: openerOf(route, contract),
    shape: shapeAnswer(operation?.selection ?? null),
    furtherShapes: new Map(
      (route.furtherOperations ?? []).map(({ field }) => [
        field,
        shapeAnswer(operationOf(contract.document, field).selection),
      ]),
    ),
    paged: isPaged(route),
    isRead: route.reads === true || operation?.kind === 'query',
    stops: route.stopsWithClient === true || operation?.kind === 'query',
    queries: new Set(
      [route.operation, ...(route.furtherOperations ?? [])].flatMap((one) =>
        one && operationOf(contract.document, one.field).kind === 'query' ? [one.field] : [],
      ),
    ),
  };
}

function openerOf({ body, freeForm }: Route, contract: Contract): OpenFreeForm {
  if (freeForm === undefined || body?.kind !== 'json') return (value) => ({ value, warnings: [] });
  return freeFormOf(freeForm, body.schema, contract.document);
}

async function answer(
  compiled: Compiled,
  pipeline: Pipeline,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { route } = compiled;
  const json = route.body?.kind === 'json' ? readJson(request, route.body) : undefined;
  const content = route.body?.kind === 'stream' ? contentOf(request) : undefined;
  if (request.identity) request.identity = await settled(pipeline, route, request.identity, json);
  const input: Input = { compiled, pipeline, request, json, content, workId: null };
  if (request.identity && request.idempotencyKey !== undefined && !compiled.isRead) {
    return answerOnce(input, request.identity, request.idempotencyKey, reply);
  }
  if (!compiled.stops) return sendMade(reply, request, route, await make(input));
  const made = await whileClientStays(pipeline, route, request, reply, (signal) => make({ ...input, signal }));
  return sendMade(reply, request, route, made);
}

/** Returns the error of an unreadable body, which is answered after the tenant is settled. */
function readJson(request: FastifyRequest, { optional }: JsonRouteBody): JsonBody | Error {
  const bytes = jsonBytesOf(request);
  if (optional === true && bytes.length === 0) return { bytes, value: {} };
  try {
    return parsedBody(bytes);
  } catch (error) {
    return asProblem(error);
  }
}

async function settled(
  pipeline: Pipeline,
  route: Route,
  identity: Identity,
  json: JsonBody | Error | undefined,
): Promise<Identity> {
  if (!(json instanceof Error)) return settleTenant(pipeline, route, identity, json?.value);
  // Only the body could have named the tenant.
  if (route.tenant === 'required' && !identity.tenant) throw json;
  return identity;
}

async function answerOnce(input: Input, identity: Identity, key: string, reply: FastifyReply): Promise<FastifyReply> {
  const { compiled, pipeline, request } = input;
  const { route } = compiled;
  const digest = contentDigestOf(route, request);
  const { limits } = pipeline.services;
  const hashed =
    input.content &&
    (digest ? digestedContent(input.content, (content) => digest(content, limits)) : hashedContent(input.content));
  const streamed = route.body?.kind === 'stream' ? (hashed?.streamed ?? NO_CONTENT) : null;
  const bytes = route.body?.kind === 'stream' ? undefined : jsonBytesOf(request);
  const keyed = idempotentRequest({ route, request, identity, key, bytes, streamed });
  const outcome = await pipeline.once.run(keyed, (workId) =>
    firstAnswer(pipeline, request, () => make({ ...input, content: hashed?.content, workId })),
  );
  const { first } = outcome;
  if (first === undefined || identity.tenant === null) return sendFirst(reply, request, route, outcome);
  const { tenant_id } = identity.tenant;
  const verdict = await judgeReplay(pipeline, tenant_id, identity.principal, outcome.answer, first.claimedAtMs);
  if (verdict === 'SAME') return sendFirst(reply, request, route, outcome);
  const answer = await firstAnswer(pipeline, request, () => {
    if (verdict === 'GONE') throw problem('DISPOSED');
    // The bytes are gone by now; the record can be read by its own route.
    if (streamed !== null) throw problem('FORBIDDEN', { message: 'A record of this answer was redacted since.' });
    return make({ ...input, workId: async () => first.workId });
  });
  return sendFirst(reply, request, route, { answer, replayed: 'recomputed' });
}

async function firstAnswer(
  { logger }: Pipeline,
  request: FastifyRequest,
  work: () => Promise<Made>,
): Promise<FirstAnswer> {
  try {
    return madeOf(await work());
  } catch (error) {
    return madeError(error instanceof Error ? error : new Error(String(error)), request, logger);
  }
}

/** Checks query and body, and runs the handler. */
async function make(input: Input): Promise<Made> {
  const { compiled, request } = input;
  const asked = compiled.readQuery(objectOf(request.query));
  if (input.json instanceof Error) throw input.json;
  const { json, warnings } = readBody(compiled, input.json);
  // The id of the work depends on the body, so a streamed body has none before its end.
  const named = input.workId && input.compiled.route.body?.kind !== 'stream' ? await input.workId() : null;
  const handle = handlerOf(compiled.route, input.pipeline.services);
  if (!compiled.paged) return withWarningsOf(warnings, await handle(callOf(input, asked, json, named)));
  const { cursors } = input.pipeline;
  const list = listOf(request, asked);
  const { cursor } = asked;
  const query = cursor === undefined ? asked : { ...asked, cursor: cursors.open(String(cursor), list) };
  return withSealedCursor(await handle(callOf(input, query, json, named)), (next) => cursors.seal(next, list));
}

/** @throws VALIDATION_ERROR */
function readBody(
  { leaveOutTenant: leaveOut, openFreeForm, bodyFaults }: Compiled,
  sent: JsonBody | undefined,
): { readonly json: JsonBody | undefined; readonly warnings: readonly BodyWarning[] } {
  if (sent === undefined) return { json: undefined, warnings: [] };
  const { bytes, value: taken } = leaveOut(sent);
  const { value, warnings } = openFreeForm(taken);
  const errors = bodyFaults?.(value) ?? [];
  if (errors.length > 0)
    throw problem('VALIDATION_ERROR', { errors, ...(warnings.length > 0 ? { extra: { warnings } } : {}) });
  return { json: { bytes, value }, warnings };
}

/** Runs the handler of the route, and records a member read before the answer is returned. */
const handlerOf =
  (route: Route, services: RouteServices): Route['handle'] =>
  async (call) => {
    const made = await route.handle(call);
    await recordMemberRead(services, route, call.context, call.isHead);
    return made;
  };

/** Parameters that may differ between pages of one list. */
const OF_THE_PAGE = new Set(['cursor', 'limit', 'tenant_id']);

/** Names a list by tenant, path, filters and order: a cursor is valid for no other list. */
function listOf(request: FastifyRequest, asked: RouteCall['query']): string {
  const { identity } = request;
  const tenant = identity?.tenant?.tenant_id ?? identity?.principal.tenantId ?? ANY_TENANT;
  const filters = Object.entries(asked).filter(([name]) => !OF_THE_PAGE.has(name));
  filters.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([tenant, request.url.split('?')[0], filters]);
}

function withSealedCursor(page: unknown, seal: (cursor: string) => string): unknown {
  if (!isJsonObject(page)) return page;
  const { next_cursor: next } = page;
  return typeof next === 'string' ? { ...page, next_cursor: seal(next) } : page;
}

type RouteVariables = Parameters<RouteCall['run']>[0];

function callOf(
  { compiled: { route, shape, furtherShapes, queries }, pipeline, request, content, signal, workId }: Input,
  query: RouteCall['query'],
  body: JsonBody | undefined,
  named: string | null,
): RouteCall {
  const traceparent = request.trace?.traceparent ?? null;
  const written = contextOf(request.identity ?? ANONYMOUS, request.id, traceparent, named);
  const context = signal === undefined ? written : { ...written, signal };
  const runOperation = async (operation: RouteOperation, shaped: ShapeAnswer, variables: RouteVariables) => {
    const reads = route.stopsWithClient === true || queries.has(operation.field);
    if (reads) stopIfLeft(signal);
    const own = reads ? context : written;
    const bound = workId && named === null ? { ...own, workId: await workId() } : own;
    const data = await pipeline.run(operation.name, variables, bound);
    const answered = data[operation.field] ?? null;
    return operation.beyond !== undefined && answered !== null
      ? { ...answered, ...objectOf(shaped(answered)) }
      : shaped(answered);
  };
  const run: RouteCall['run'] = async (variables) => {
    if (!route.operation) throw new Error(`${route.path} has no operation`);
    return runOperation(route.operation, shape, variables);
  };
  return {
    // Fastify's router gives one string a parameter.
    params: request.params as Readonly<Record<string, string>>,
    query,
    body,
    content,
    context,
    tenant: request.identity?.tenant ?? null,
    ifNoneMatch: request.headers['if-none-match'],
    accept: request.headers.accept,
    acceptLanguage: request.headers['accept-language'],
    range: request.headers.range,
    ifRange: headerOf(request.headers['if-range']),
    isHead: request.method === 'HEAD',
    address: request.ip,
    cookie: sessionCookieFor(request),
    services: pipeline.services,
    run,
    read: async (schema, variables) => parseShape(`${route.operation?.field}: answer`, schema, await run(variables)),
    runFurther: async (field, variables) => {
      const operation = route.furtherOperations?.find((other) => other.field === field);
      const shapeOther = furtherShapes.get(field);
      if (!operation || !shapeOther) throw new Error(`${route.path} has no operation over ${field}`);
      return runOperation(operation, shapeOther, variables);
    },
  };
}

const headerOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** The identity on open routes, without scopes. */
const ANONYMOUS: Identity = {
  principal: { keyId: '', keyName: '', actorId: null, tenantId: null, grantedScopes: [], scopes: new Set() },
  tenant: null,
  named: undefined,
};

function contentOf(request: FastifyRequest): RawContent | undefined {
  // The parser of stream routes passes the request's stream on.
  if (!(request.body instanceof Readable)) return undefined;
  const length = request.headers['content-length'];
  return {
    contentType: request.headers['content-type'] ?? '',
    contentLengthBytes: length === undefined ? undefined : Number(length),
    isGzip: isGzip(request),
    stream: request.body,
  };
}
