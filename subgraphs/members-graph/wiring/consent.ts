import { consentPolicies, consentStore } from '../model/consent-repository.js';
import { ConsentResolver } from '../resolvers/consent-resolver.js';
import type { WireArea } from './parts.js';

/** Consent: what members say about who may see their records. */
export const wireConsent: WireArea = ({ deps, directory, outbox }) => {
  const { db } = deps.database;
  const consents = consentStore(db, outbox);
  const policies = consentPolicies(db, outbox);
  return { resolvers: [[ConsentResolver, new ConsentResolver({ ...deps, directory, consents, policies })]] };
};
