import type { AdminArea } from '../parts.js';
import { SIGNING_KEY_MACHINE } from './domain.js';
import { SIGNING_KEY_COLLECTION } from './model.js';
import { SigningKeyResolver } from './resolver.js';

export { signingKeyStore } from './model.js';
export { isSigningPurpose, retireFormerPerformer } from './registry.js';
export { Signing } from './sign.js';

/** Signing keys of tenants. */
export const signingKeysArea: AdminArea = {
  resolvers: [SigningKeyResolver],
  stateMachines: [SIGNING_KEY_MACHINE],
  collections: [SIGNING_KEY_COLLECTION],
  wire: (parts) => ({ resolvers: [new SigningKeyResolver(parts)] }),
};
