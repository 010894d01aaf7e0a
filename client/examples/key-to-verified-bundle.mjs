// From an API key to a verified bundle: records two events of a member, requests the bundle of that member, waits for its
// seal, downloads it and verifies it with a verifier that does not come from the bundle.
//
//   EAS_URL=https://evidence.example.com EAS_API_KEY=eas_… EAS_TENANT=acme \
//     node key-to-verified-bundle.mjs /path/to/verify.mjs bundle.zip
//
// The key needs events:write, bundles:request, bundles:read and bundles:export.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createApiClient, saveBundle, unwrap, waitForSealed } from '@eas/client';

const { EAS_URL: baseUrl, EAS_API_KEY: apiKey, EAS_TENANT: tenantId } = process.env;
const [verifier, path = 'bundle.zip'] = process.argv.slice(2);
if (!baseUrl || !apiKey || !tenantId || !verifier) {
  console.error('Usage: EAS_URL=… EAS_API_KEY=… EAS_TENANT=… node key-to-verified-bundle.mjs VERIFY.MJS [BUNDLE.ZIP]');
  process.exit(2);
}

const client = createApiClient({ baseUrl, apiKey });
const memberId = `M-${Date.now()}`;
const eventOf = (type, outcome) => ({
  event_family: 'utilization_management',
  event_type: type,
  source_system: 'um-core',
  source_record_id: `${memberId}-${outcome}`,
  member_id: memberId,
  event_effective_timestamp: new Date().toISOString(),
  outcome,
});

const events = [eventOf('prior_auth.requested', 'PENDED'), eventOf('prior_auth.denied', 'DENIED')];
const { results } = await unwrap(client.POST('/v1/events', { body: { events } }));
console.log(`recorded ${results.map(({ event_id }) => event_id).join(', ')}`);

const { bundle_id } = await unwrap(client.POST('/v1/bundles', { body: { scope: { member_id: memberId } } }));
const bundle = await waitForSealed(client, bundle_id);
console.log(`sealed ${bundle_id} with ${bundle.event_count} events`);

const saved = await saveBundle(client, bundle_id, path);
console.log(`saved ${saved.path}: ${saved.sizeBytes} bytes, SHA-256 ${saved.sha256}`);

// The keys come from the service's open list. Compare them with a list that you kept, if the service itself is in doubt.
const keys = await unwrap(client.GET('/v1/signing-keys/jwks', { params: { query: { tenant_id: tenantId } } }));
writeFileSync(`${path}.keys.json`, JSON.stringify(keys));
const { status } = spawnSync(process.execPath, [verifier, path, '--keys', `${path}.keys.json`], { stdio: 'inherit' });
process.exitCode = status ?? 1;
