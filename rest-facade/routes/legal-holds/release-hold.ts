import { graphRoute } from '../../graph-route.js';

export const releaseHold = graphRoute({
  method: 'POST',
  path: '/v1/legal-holds/{id}/release',
  area: 'legal-holds',
  scope: 'holds:write',
  tenant: 'required',
  summary: 'Release a legal hold',
  description: 'Only under a documented authority, and for good. What another hold covers as well stays held.',
  operation: { name: 'ReleaseLegalHold', field: 'releaseLegalHold' },
  params: { id: 'hold_id' },
  body: { argument: 'input' },
  bodyExample: {
    authority: { kind: 'COURT_ORDER', reference: 'No. 24-cv-0001, Dkt. 88' },
    reason: 'Case dismissed with prejudice.',
    released_by: 'General Counsel',
  },
  answer: 'The hold, RELEASED.',
});
