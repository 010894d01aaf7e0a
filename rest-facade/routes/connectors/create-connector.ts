import { graphRoute } from '../../graph-route.js';

export const createConnector = graphRoute({
  method: 'POST',
  path: '/v1/connectors',
  area: 'connectors',
  scope: 'connectors:write',
  tenant: 'required',
  summary: 'Make a connector',
  description: 'It is DISABLED until it is enabled. Secrets of its configuration are written and never read.',
  operation: { name: 'CreateConnector', field: 'createConnector' },
  body: { argument: 'input' },
  bodyExample: {
    kind: 'HL7V2',
    name: 'Hospital north, ADT',
    source_system: 'hospital-north',
    config: { transport: 'MLLP', allowed_addresses: ['10.1.0.0/16'] },
  },
  answer: 'The connector, DISABLED.',
});
