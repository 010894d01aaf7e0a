import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import { Answer, type Route } from '../../route.js';

/** The only route whose success is a 201 (specification, "Evidence bundle"). */
export function requestBundle(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'POST',
    path: '/v1/bundles',
    area: 'bundles',
    scope: 'bundles:request',
    tenant: 'required',
    summary: 'Have a bundle built',
    description:
      'Exactly one of member_id, matter_id and incident_id, and a window where one is wanted. A worker builds and seals it; a scope in which nothing is found gives a sealed, empty bundle, which is evidence too.',
    operation: { name: 'RequestBundle', field: 'requestBundle' },
    body: { argument: 'input' },
    bodyTenantIn: 'scope',
    bodyExample: { scope: { member_id: 'M-1' }, bundle_type: 'MEMBER', requested_by: 'counsel@acme.test' },
    answer: 'The bundle, REQUESTED.',
  })(contract);
  return { ...route, successStatus: 201, handle: async (call) => new Answer(201, await route.handle(call)) };
}
