import { type RouteArea, routeTable } from '../route-table.js';

const EXCEPTIONS: RouteArea = {
  area: 'exceptions',
  id: 'exception_id',
  reads: 'exceptions:read',
  writes: 'exceptions:write',
};

export const exceptionRoutes = routeTable(EXCEPTIONS, {
  'GET /v1/exceptions': {
    summary: 'List exceptions',
    operation: { name: 'ListExceptions', field: 'exceptions' },
    answer: 'One page of exceptions, newest first by default.',
  },
  'GET /v1/exceptions/{id}': {
    summary: 'Read one exception',
    operation: { name: 'GetException', field: 'exception' },
    answer: 'The exception with its steps and the advice for its kind.',
  },
  'POST /v1/exceptions/{id}/assign': {
    summary: 'Assign an exception',
    operation: { name: 'AssignException', field: 'assignException' },
    bodyExample: { assignee: 'act_01JQ0000000000000000000001' },
    answer: 'The exception, ASSIGNED.',
  },
  'POST /v1/exceptions/{id}/resolve': {
    summary: 'Resolve an exception',
    description: 'Final. A new occurrence opens a new exception.',
    operation: { name: 'ResolveException', field: 'resolveException' },
    bodyExample: { resolution: 'CORRECTED_AT_SOURCE', note: 'The sender has sent the interchange again.' },
    answer: 'The exception, RESOLVED.',
  },
  'POST /v1/exceptions/{id}/mark-known-gap': {
    summary: 'Mark an exception as a known gap',
    description: 'It reopens within a minute after `until`. Until then, new occurrences are counted and open nothing.',
    operation: { name: 'MarkExceptionKnownGap', field: 'markExceptionKnownGap' },
    bodyExample: { reason: 'The clearinghouse was down that night.' },
    answer: 'The exception, KNOWN_GAP.',
  },
});
