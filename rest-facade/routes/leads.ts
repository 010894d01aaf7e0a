import { type RouteArea, routeTable } from '../route-table.js';

const LEADS: RouteArea = { area: 'leads', id: 'lead_id', reads: 'leads:read', writes: 'leads:write' };

export const leadRoutes = routeTable(LEADS, {
  'POST /v1/leads': {
    summary: 'Create a lead',
    description: 'Contact and summary are stored encrypted, and never appear in logs or ledger entries.',
    operation: { name: 'CreateLead', field: 'createLead' },
    bodyExample: {
      lead_type: 'APPEAL_HELP',
      source: 'web-form',
      contact: { name: 'A. Person', email: 'a.person@example.test' },
      summary: 'Asks how to appeal.',
      consent_to_contact: true,
    },
    secretAnswer: true,
    answer: 'The lead, NEW.',
  },
  'GET /v1/leads': {
    summary: 'List leads',
    operation: { name: 'ListLeads', field: 'leads' },
    answer: 'One page of leads, newest first by default.',
  },
  'GET /v1/leads/{id}': {
    summary: 'Read one lead',
    operation: { name: 'GetLead', field: 'lead' },
    answer: 'The lead with its steps.',
  },
  'PATCH /v1/leads/{id}': {
    summary: 'Change an open lead',
    description: 'Absent members stay; null removes a value.',
    operation: { name: 'UpdateLead', field: 'updateLead' },
    bodyExample: { assigned_to: 'intake-team', score: 60 },
    answer: 'The lead.',
  },
  'POST /v1/leads/{id}/contact': {
    summary: 'Record that a lead was contacted',
    operation: { name: 'ContactLead', field: 'contactLead' },
    body: 'none',
    secretAnswer: true,
    answer: 'The lead, CONTACTED.',
  },
  'POST /v1/leads/{id}/qualify': {
    summary: 'Qualify a lead',
    operation: { name: 'QualifyLead', field: 'qualifyLead' },
    body: 'none',
    secretAnswer: true,
    answer: 'The lead, QUALIFIED.',
  },
  'POST /v1/leads/{id}/convert': {
    summary: 'Record the conversion of a lead',
    operation: { name: 'ConvertLead', field: 'convertLead' },
    bodyExample: { converted_to: { kind: 'MATTER', id: 'mat_01JQ0000000000000000000001' } },
    secretAnswer: true,
    answer: 'The lead, CONVERTED.',
  },
  'POST /v1/leads/{id}/close': {
    summary: 'Close a lead',
    operation: { name: 'CloseLead', field: 'closeLead' },
    bodyExample: { reason: 'RESOLVED' },
    secretAnswer: true,
    answer: 'The lead, CLOSED.',
  },
});
