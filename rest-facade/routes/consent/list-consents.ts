import { graphRoute } from '../../graph-route.js';

export const listConsents = graphRoute({
  method: 'GET',
  path: '/v1/consent',
  area: 'consent',
  scope: 'consent:read',
  tenant: 'required',
  summary: 'List consents',
  operation: { name: 'ListConsents', field: 'consents' },
  answer: 'One page of consents, newest first unless told.',
});
