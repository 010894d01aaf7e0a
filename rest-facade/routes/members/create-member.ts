import { graphRoute } from '../../graph-route.js';

export const createMember = graphRoute({
  method: 'POST',
  path: '/v1/members',
  area: 'members',
  scope: 'members:write',
  tenant: 'required',
  summary: 'Put a member into the directory',
  description: '409 CONFLICT where the directory has the identifier already.',
  operation: { name: 'CreateMember', field: 'createMember' },
  body: { argument: 'input' },
  bodyExample: {
    member_id: 'M-1001',
    identifiers: [{ system: 'ssn', value: '212-34-5566' }],
    name: { family: 'Okafor', given: ['Adaeze', 'Ruth'] },
    birth_date: '1970-01-31',
    sex: 'FEMALE',
    addresses: [{ lines: ['12 Elm Street'], city: 'Springfield', state: 'IL', postal_code: '62704' }],
    phones: ['217-555-0142'],
    program: 'Medicare',
  },
  answer: 'The member, ACTIVE.',
});
