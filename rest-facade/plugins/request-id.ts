import type { IncomingMessage } from 'node:http';
import type { Ids } from '../../shared/ids/ids.js';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns a well-formed `X-Request-Id` of the client, else a new id. */
export const requestIdOf =
  (ids: Ids) =>
  (request: Pick<IncomingMessage, 'headers'>): string => {
    const sent = request.headers['x-request-id'];
    return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : ids.next('request');
  };
