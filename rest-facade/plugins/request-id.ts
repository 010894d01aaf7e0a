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
