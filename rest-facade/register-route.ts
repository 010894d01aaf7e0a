import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../shared/auth/context.js';
import { problem } from '../shared/errors/problem.js';
import type { Contract, Validator } from '../shared/graph/validator.js';
import { operationOf } from './graph-route.js';
import { DEFAULT_BODY_BYTES, jsonBodyOf, refuseEncodings } from './plugins/body.js';
import { contextOf, type Identity, type IdentityDeps, identify, settleTenant } from './plugins/identity.js';
import { traceparentOf } from './plugins/request-id.js';
import { queryReader, type ReadQuery } from './query-parameters.js';
import { Answer, type JsonBody, type RawContent, type Route, type RouteCall, type RouteServices } from './route.js';
import { type ShapeAnswer, shapeAnswer } from './shape-answer.js';

export type RunOperation = (
  name: string,
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => Promise<Readonly<Record<string, unknown>>>;

export interface Pipeline extends IdentityDeps {
  readonly contract: Contract;
  readonly run: RunOperation;
  readonly services: RouteServices;
}

export const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** A route with everything compiled that a request needs. */
interface Compiled {
  readonly route: Route;
  readonly readQuery: ReadQuery;
  readonly bodyFaults: Validator | null;
  readonly shape: ShapeAnswer;
}

/** Identity, tenant and scope before the body is read; then query, body, tenant again, schema; then the handler. */
export function registerRoute(server: FastifyInstance, route: Route, pipeline: Pipeline): void {
  const compiled = compile(route, pipeline.contract);
  const { body } = route;
  server.route({
    method: route.method,
    url: fastifyPath(route.path),
    bodyLimit: (body?.kind === 'json' && body.maxBytes?.(pipeline.services.limits)) || DEFAULT_BODY_BYTES,
    onRequest: async (request) => {
      refuseEncodings(request);
      if (route.scope !== null) request.identity = await identify(pipeline, route, request);
    },
    handler: (request, reply) => answer(compiled, pipeline, request, reply),
  });
}

function compile(route: Route, contract: Contract): Compiled {
  const operation = route.operation ? operationOf(contract.document, route.operation.field) : null;
  return {
    route,
    readQuery: queryReader(route.query ?? {}, contract),
    bodyFaults: route.body?.kind === 'json' ? contract.compile(route.body.schema) : null,
    shape: shapeAnswer(operation?.selection ?? null),
  };
}

async function answer(
  compiled: Compiled,
  pipeline: Pipeline,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { route } = compiled;
  const query = compiled.readQuery(request.query as Readonly<Record<string, unknown>>);
  const body = route.body?.kind === 'json' ? jsonBodyOf(request) : undefined;
  if (request.identity) request.identity = await settleTenant(pipeline, route, request.identity, body?.value);
  if (body) refuseFaults(compiled, body);
  const result = await route.handle(callOf(compiled, pipeline, request, query, body));
  const { status, body: content, headers } = result instanceof Answer ? result : new Answer(200, result);
  reply.code(status).headers(headers);
  if (content === undefined) return reply.send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(content));
}

function refuseFaults({ bodyFaults }: Compiled, body: JsonBody): void {
  const errors = bodyFaults?.(body.value) ?? [];
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

function callOf(
  { route, shape }: Compiled,
  pipeline: Pipeline,
  request: FastifyRequest,
  query: RouteCall['query'],
  body: JsonBody | undefined,
): RouteCall {
  const traceparent = traceparentOf(request.headers['traceparent']);
  const context = contextOf(request.identity ?? NOBODY, request.id, traceparent);
  return {
    params: request.params as Readonly<Record<string, string>>,
    query,
    body,
    content: route.body?.kind === 'stream' ? contentOf(request) : undefined,
    context,
    tenant: request.identity?.tenant ?? null,
    ifNoneMatch: request.headers['if-none-match'],
    services: pipeline.services,
    run: async (variables) => {
      if (!route.operation) throw new Error(`${route.path} has no operation`);
      const data = await pipeline.run(route.operation.name, variables, context);
      return shape(data[route.operation.field] ?? null);
    },
  };
}

/** On open routes: holds nothing, may do nothing. */
const NOBODY: Identity = {
  principal: { keyId: '', keyName: '', actorId: null, tenantId: null, grantedScopes: [], scopes: new Set() },
  tenant: null,
  named: undefined,
};

function contentOf(request: FastifyRequest): RawContent | undefined {
  if (request.body === undefined || request.body === null) return undefined;
  const length = request.headers['content-length'];
  return {
    contentType: request.headers['content-type'] ?? '',
    contentLengthBytes: length === undefined ? undefined : Number(length),
    stream: request.body as Readable,
  };
}
