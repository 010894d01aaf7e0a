import type { AdminArea } from '../parts.js';
import { LEAD_MACHINE } from './domain.js';
import { LEADS } from './model.js';
import { LeadResolver } from './resolver.js';

export { LEADS } from './model.js';
export { leadStore } from './wiring.js';

/** Leads: enquiries and tips from outside. */
export const leadsArea: AdminArea = {
  resolvers: [LeadResolver],
  stateMachines: [LEAD_MACHINE],
  collections: [LEADS],
  wire: (parts) => ({ resolvers: [new LeadResolver(parts)] }),
};
