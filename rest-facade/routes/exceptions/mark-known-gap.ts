import { graphRoute } from '../../graph-route.js';

export const markKnownGap = graphRoute({
  method: 'POST',
  path: '/v1/exceptions/{id}/mark-known-gap',
  area: 'exceptions',
  scope: 'exceptions:write',
  tenant: 'required',
  summary: 'Note that an exception is known and bearable',
  description: 'Past `until` it reopens within a minute; what is told of it meanwhile is counted and opens nothing.',
  operation: { name: 'MarkExceptionKnownGap', field: 'markExceptionKnownGap' },
  params: { id: 'exception_id' },
  body: { argument: 'input' },
  bodyExample: { reason: 'The clearinghouse was down that night.' },
  answer: 'The exception, KNOWN_GAP.',
});
