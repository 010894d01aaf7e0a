import { graphRoute } from '../../graph-route.js';

export const createLegalMatter = graphRoute({
  method: 'POST',
  path: '/v1/legal-matters',
  area: 'legal-matters',
  scope: 'matters:write',
  tenant: 'required',
  summary: 'Open a legal matter',
  description: 'Holds, bundles, exceptions and documents that it names must be there; members are your own names.',
  operation: { name: 'CreateLegalMatter', field: 'createLegalMatter' },
  body: { argument: 'input' },
  bodyExample: { name: 'Doe v. Acme Health Plan', kind: 'LITIGATION', member_ids: ['M-1'] },
  answer: 'The legal matter, OPEN.',
});
