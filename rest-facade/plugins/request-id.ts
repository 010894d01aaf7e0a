import type { IncomingMessage } from 'node:http';
import type { Ids } from '../../shared/ids/ids.js';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** `X-Request-Id` as the client sent it where it is well-formed, else one of ours. */
export const requestIdOf =
  (ids: Ids) =>
  (request: Pick<IncomingMessage, 'headers'>): string => {
    const sent = request.headers['x-request-id'];
    return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : ids.next('request');
  };

// W3C Trace Context: version 00, and ids that are not all zeros.
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace, passed on with the request; a malformed one is dropped, as the standard says. */
export const traceparentOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && TRACEPARENT.test(header) ? header : null;
