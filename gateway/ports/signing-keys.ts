import { internalContext } from '../../shared/auth/context.js';
import type { PublicSigningKey, SigningKeys } from '../../shared/contracts/signing-keys.js';
import type { SubgraphClient } from '../subgraph-client.js';

const ACTIVE = 'mutation ActiveSigningKey($purpose: String!) { activeSigningKey(purpose: $purpose) }';
const SIGN =
  'mutation SignWithKey($key_id: String!, $message: String!) { signWithKey(key_id: $key_id, message: $message) }';
const PUBLIC = 'query PublicSigningKey($key_id: String!) { publicSigningKey(key_id: $key_id) }';

/** The registry of signing keys, asked of the admin subgraph: private keys stay there. */
export const signingKeysOver = (admin: SubgraphClient, caller: string): SigningKeys => ({
  async activeKey(tenantId, purpose) {
    const { activeSigningKey } = await admin.run(ACTIVE, { purpose }, internalContext(tenantId, caller));
    return activeSigningKey as PublicSigningKey;
  },
  async sign(keyId, bytes) {
    const message = Buffer.from(bytes).toString('base64');
    const { signWithKey } = await admin.run(SIGN, { key_id: keyId, message }, internalContext(null, caller));
    return Buffer.from(String(signWithKey), 'base64');
  },
  async publicKey(keyId) {
    const { publicSigningKey } = await admin.run(PUBLIC, { key_id: keyId }, internalContext(null, caller));
    return publicSigningKey as PublicSigningKey;
  },
});
