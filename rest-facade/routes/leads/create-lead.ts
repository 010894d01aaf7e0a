import { graphRoute } from '../../graph-route.js';

export const createLead = graphRoute({
  method: 'POST',
  path: '/v1/leads',
  area: 'leads',
  scope: 'leads:write',
  tenant: 'required',
  summary: 'Make a lead',
  description: 'Contact and summary are stored encrypted and stand in no log and no ledger entry.',
  operation: { name: 'CreateLead', field: 'createLead' },
  body: { argument: 'input' },
  bodyExample: {
    lead_type: 'APPEAL_HELP',
    source: 'web-form',
    contact: { name: 'A. Person', email: 'a.person@example.test' },
    summary: 'Asks how to appeal.',
    consent_to_contact: true,
  },
  secretAnswer: true,
  answer: 'The lead, NEW.',
});
