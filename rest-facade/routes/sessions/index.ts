import { z } from 'zod';
import { problem } from '../../../shared/errors/problem.js';
import { type ExtendRoute, operationOf } from '../../graph-route.js';
import { ANY_KEY, Answer, type RouteCall } from '../../route.js';
import { type RouteArea, routeTable } from '../../route-table.js';

const SESSIONS: RouteArea = { area: 'sessions', id: 'session_id', reads: ANY_KEY, tenant: 'optional' };

const Opened = z.looseObject({ token: z.string(), caller: z.looseObject({}) });

/** Puts the token into a cookie that no script can read; the body never has it. */
const intoCookie: ExtendRoute = (_route, contract) => ({
  // Each sign-in is a new session, so a repeat is answered afresh and no copy of a token is kept.
  reads: true,
  response: { schema: operationOf(contract, 'caller').result, description: 'Identity and rights of the session.' },
  handle: async (call) => {
    const { cookie } = call;
    if (cookie === null) {
      throw problem('FORBIDDEN', {
        message: 'A session opens only from a page of this origin, over HTTPS or on the loopback address.',
      });
    }
    const { token, caller } = Opened.parse(await call.run({ address: call.address }));
    return new Answer(200, caller, { 'set-cookie': cookie.set(token) });
  },
});

const clearCookie: ExtendRoute = () => ({
  handle: async (call: RouteCall) => {
    const ended = await call.run({});
    return new Answer(200, ended, call.cookie === null ? {} : { 'set-cookie': call.cookie.cleared });
  },
});

export const sessionRoutes = routeTable(SESSIONS, {
  'POST /v1/session': {
    summary: 'Open a session with an API key',
    description:
      'For browsers. Exchanges the key of the request once for a cookie (`__Host-eas_session`, HttpOnly, Secure, SameSite=Strict; `eas_session` over HTTP on the loopback address). The session has the rights of its key, ends 60 minutes after its last request and 12 hours after its opening, and ends with its key. Writes by cookie need an Origin of this host.',
    tenant: 'none',
    operation: { name: 'OpenSession', field: 'openSession' },
    body: 'free',
    answer: 'Identity and rights of the session.',
    extend: intoCookie,
  },
  'GET /v1/session': {
    summary: 'Read the identity and rights of the caller',
    operation: { name: 'GetCaller', field: 'caller' },
    answer: 'Identity and rights of the key or session of the request.',
  },
  'DELETE /v1/session': {
    summary: 'End the session of the request',
    tenant: 'none',
    operation: { name: 'EndOwnSession', field: 'endSession' },
    answer: 'The ended session.',
    extend: clearCookie,
  },
  'GET /v1/sessions': {
    summary: 'List sessions',
    description: 'All sessions of the tenant for an administrator, else those of the own key.',
    operation: { name: 'ListSessions', field: 'sessions' },
    answer: 'One page of sessions, without their tokens.',
  },
  'DELETE /v1/sessions/{id}': {
    summary: 'End a session',
    description: 'Takes effect at once in the answering process and within 5 s in the others.',
    operation: { name: 'EndSession', field: 'endSession' },
    answer: 'The ended session.',
  },
});
