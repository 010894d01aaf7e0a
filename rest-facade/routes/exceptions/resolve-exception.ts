import { graphRoute } from '../../graph-route.js';

export const resolveException = graphRoute({
  method: 'POST',
  path: '/v1/exceptions/{id}/resolve',
  area: 'exceptions',
  scope: 'exceptions:write',
  tenant: 'required',
  summary: 'End an exception',
  description: 'Final. The same again is opened as a new exception.',
  operation: { name: 'ResolveException', field: 'resolveException' },
  params: { id: 'exception_id' },
  body: { argument: 'input' },
  bodyExample: { resolution: 'CORRECTED_AT_SOURCE', note: 'The sender has sent the interchange again.' },
  answer: 'The exception, RESOLVED.',
});
