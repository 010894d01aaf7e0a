import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Randomness } from '../../shared/ids/ids.js';
import { inSpan } from '../../shared/telemetry/spans.js';
import type { Route } from '../route.js';

/** The place of this request in the caller's trace. */
export interface Trace {
  readonly traceId: string;
  /** Id of the service's span, a child of the caller's. */
  readonly spanId: string;
  /** Header for further calls: the caller's trace and flags, the service's span. */
  readonly traceparent: string;
}

// W3C Trace Context: version 00, and ids that are not all zeros.
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;
const SPAN_ID_BYTES = 8;

/** Adds a span to the caller's trace; null without a trace and for a malformed one, as the standard requires. */
function traceOf(header: string | string[] | undefined, randomness: Randomness): Trace | null {
  const [, traceId, flags] = typeof header === 'string' ? (TRACEPARENT.exec(header) ?? []) : [];
  if (traceId === undefined || flags === undefined) return null;
  const spanId = Buffer.from(randomness.fill(new Uint8Array(SPAN_ID_BYTES))).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

export function takeTraces(server: FastifyInstance, randomness: Randomness): void {
  server.decorateRequest('trace', null);
  server.addHook('onRequest', (request, _reply, done) => {
    const sent = request.headers['traceparent'];
    if (sent !== undefined) request.trace = traceOf(sent, randomness);
    done();
  });
}

/** Runs the handler of a route in the span of its request, where the operator wants traces. */
export const inRequestSpan = (
  { method, path, area }: Pick<Route, 'method' | 'path' | 'area'>,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => Promise<FastifyReply>,
): Promise<FastifyReply> => {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  const attributes = { 'http.request.method': method, 'http.route': path, 'eas.area': area };
  return inSpan({ name: `${method} ${path}`, kind: 'server', parent, attributes }, async (span) => {
    if (span !== null) request.trace = traceIn(span.traceparent);
    const answered = await handle();
    span?.set({ 'http.response.status_code': reply.statusCode });
    return answered;
  });
};

/** The span of a request as the service's logs name it. */
function traceIn(traceparent: string): Trace | null {
  const [, traceId = '', spanId = ''] = traceparent.split('-');
  return traceId === '' ? null : { traceId, spanId, traceparent };
}
