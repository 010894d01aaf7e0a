import type { MembersArea } from '../parts.js';
import { CONSENT_MACHINE } from './domain.js';
import { CONSENT_HEADS, CONSENTS } from './model/member-consents.js';
import { CONSENT_POLICIES, consentPolicies } from './model/policies.js';
import { ConsentResolver } from './resolver.js';

export { makeConsent } from './change-consent.js';
export { consentStore } from './model/consents.js';
export type { ConsentStore, StoredConsent } from './ports.js';
export { shownConsent } from './resolver.js';

/** Consents and the consent policy. */
export const consentArea: MembersArea = {
  resolvers: [ConsentResolver],
  stateMachines: [CONSENT_MACHINE],
  collections: [CONSENTS, CONSENT_HEADS, CONSENT_POLICIES],
  wire: ({ deps, directory, stores, facts }) => {
    const policies = consentPolicies(deps.database.db, facts);
    return { resolvers: [new ConsentResolver({ ...deps, ...stores, directory, policies })] };
  },
};
