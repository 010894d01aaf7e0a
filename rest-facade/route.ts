import type { Readable } from 'node:stream';
import type { RequestContext } from '../shared/auth/context.js';
import type { Scope } from '../shared/auth/scopes.js';
import type { Config } from '../shared/config/config.js';
import type { TenantSummary } from '../shared/contracts/tenants.js';
import type { ContractDocument, JsonSchema } from '../shared/graph/json-schema.js';
import type { JsonValue } from '../shared/json/strict-json.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import type { WormStore } from '../shared/worm/worm-store.js';
import type { QueryValue } from './query-parameters.js';

// A route is data in one order: where it is, who may use it, which operation it runs, what goes in, what comes out.
// The server registers it and the OpenAPI document prints it; nothing about a route is written anywhere else.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Required scope of a route that leaves the judgement to the graph. */
export const ANY_KEY = 'any key';

export interface Route {
  readonly method: Method;
  /** As OpenAPI writes it: `/v1/events/{id}`. */
  readonly path: string;
  readonly area: string;
  /** ANY_KEY: a key is enough, the fields asked for judge the rest. Null: open to everyone, without a key. */
  readonly scope: Scope | typeof ANY_KEY | null;
  /** Whether the request is about a tenant: `optional` lets an operator's key leave it out, `none` never looks it up. */
  readonly tenant: 'required' | 'optional' | 'none';
  readonly summary: string;
  readonly description?: string;
  /** The named operation: its document is written from the contract of the root field. */
  readonly operation: RouteOperation | null;
  /** Path parameters and the argument that each one is. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters; a route with an operation takes that operation's arguments unless it says otherwise. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly body?: RouteBody;
  readonly response: RouteResponse;
  /** By status: answers beside the 200 that have another form than the Error object. */
  readonly otherAnswers?: Readonly<Record<string, RouteResponse>>;
  /** The answer holds what is nowhere stored in the clear: kept encrypted where an Idempotency-Key has it kept. */
  readonly secretAnswer?: boolean;
  /** On an open route: a key that is presented all the same is held to what keys are, and tells the tenant. */
  readonly takesKey?: boolean;
  /** Answers with an entity tag though it is no single record; those have one anyway. */
  readonly entityTag?: boolean;
  readonly handle: (call: RouteCall) => Promise<unknown>;
}

export interface RouteOperation {
  /** Name of the document: unique among routes, except that routes may share one. */
  readonly name: string;
  /** Root field of the graph. */
  readonly field: string;
}

export type RouteBody = JsonRouteBody | StreamRouteBody;

export interface JsonRouteBody {
  readonly kind: 'json';
  /** What the facade holds the body to. */
  readonly schema: JsonSchema;
  /** What is printed, where the body is judged elsewhere, part by part. */
  readonly documentation?: JsonSchema;
  readonly example?: JsonValue;
  readonly maxBytes?: BodyLimit;
  /** No body stands for `{}`. */
  readonly optional?: boolean;
}

/** Bytes as they come; the handler reads `call.content`. */
export interface StreamRouteBody {
  readonly kind: 'stream';
  readonly mediaTypes: readonly string[];
  /** The wrapper that the same message may come in as `application/json`. */
  readonly jsonSchema: JsonSchema;
}

/** A limit is read from the configuration when the server is built. */
export type BodyLimit = (limits: Config['limits']) => number;

export interface RouteResponse {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly example?: JsonValue;
}

/** A JSON body as parsed, and the bytes it was parsed from. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly value: JsonValue;
}

/** A request that has passed identity, tenant, scope and schema. */
export interface RouteCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
  /** Present on routes with a JSON body. */
  readonly body: JsonBody | undefined;
  readonly content: RawContent | undefined;
  readonly context: RequestContext;
  readonly tenant: TenantSummary | null;
  /** Of the request: a handler that makes its own entity tags compares them with this. */
  readonly ifNoneMatch: string | undefined;
  readonly services: RouteServices;
  /** Runs the route's own operation and gives its root field, shaped as a REST answer. */
  run(variables: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The JSON body, on a route that has one. */
export function bodyOf(call: Pick<RouteCall, 'body'>): JsonBody {
  if (!call.body) throw new Error('a route without a JSON body asked for one');
  return call.body;
}

export interface RawContent {
  readonly contentType: string;
  readonly contentLengthBytes: number | undefined;
  readonly stream: Readable;
}

/** What handlers may reach beside their operation. */
export interface RouteServices {
  readonly limits: Config['limits'];
  readonly worm: WormStore;
  readonly health: () => Promise<HealthReport>;
  readonly readiness: () => Promise<HealthReport>;
  readonly metrics: Pick<Metrics, 'ingested'>;
  readonly openApi: () => JsonValue;
  readonly graphql: (request: GraphRequest, context: RequestContext) => Promise<GraphAnswer>;
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

export interface HealthCheck {
  readonly status: 'ok' | 'failed';
  /** Why not, in words that may be shown to anyone. */
  readonly cause?: string;
}

export interface GraphRequest {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface GraphAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** An answer with a status other than 200, or with headers of its own; one of undefined has no body. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Builds a route once the contract is known. */
export type RouteMaker = (contract: ContractDocument) => Route;
