import { graphRoute } from '../../graph-route.js';

export const recordCustody = graphRoute({
  method: 'POST',
  path: '/v1/custody',
  area: 'custody',
  scope: 'custody:write',
  tenant: 'required',
  summary: 'Record an act of custody',
  description: 'What happened outside the service. What happens inside is recorded by the service itself.',
  operation: { name: 'RecordCustody', field: 'recordCustody' },
  body: { argument: 'input' },
  bodyExample: {
    action: 'TRANSFERRED',
    subject: { kind: 'BUNDLE', id: 'bdl_01JQ0000000000000000000001' },
    recipient: 'Outside counsel',
    purpose: 'litigation',
  },
  answer: 'The entry with its place in the chain.',
});
