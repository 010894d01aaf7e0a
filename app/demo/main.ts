import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock/clock.js';
import { configFrom } from '../../shared/config/config.js';
import { repositoryFile } from '../repository.js';
import { startService } from '../start-service.js';
import { sealAndVerify } from './bundle-step.js';
import { DemoClient, type EventItem, type IngestAnswer, type VerifyAnswer } from './client.js';
import { fillConsole } from './fill-console.js';
import { openBrowser } from './open-browser.js';

// `npm run demo`: a fresh service in a temporary folder, claims and a remittance in; a verified chain and a sealed bundle,
// verified without the service, out. With `-- --open` it then fills and opens the console, and serves it until Ctrl+C.

const TENANT = 'demo-plan';
const MEMBER = 'M-1001';
const SCOPES = ['events:read', 'events:write', 'bundles:read', 'bundles:request', 'bundles:export'];

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const step = (number: number, text: string): void => say(`\n[${number}/8] ${text}`);

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-demo-'));
  const dataDir = join(folder, 'data');
  try {
    step(1, 'Starting a fresh service on its embedded database …');
    const service = await startService(
      configFrom({ PORT: '0', SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'error' }),
    );
    try {
      say(`      listening on ${service.url}, database: ${service.databaseDescription}`);
      if (service.operatorKey === undefined) throw new Error('a fresh service must print its first operator key');
      const operator = new DemoClient(service.url, service.operatorKey);
      const denialId = await tour(operator, dataDir);
      if (process.argv.includes('--open')) await openConsole(service.url, operator, denialId);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  say('\nDone. Start your own with: npm start');
}

/** Serves the console until the user ends it. */
async function openConsole(url: string, operator: DemoClient, denialId: string): Promise<void> {
  const { api_key: key } = await operator.post<{ api_key: string }>('/v1/api-keys', {
    tenant_id: TENANT,
    name: 'demo console',
    scopes: ['admin'],
  });
  await fillConsole(operator.withKey(key), MEMBER, denialId);
  const address = `${url}/console/members/${MEMBER}`;
  say(
    `\nThe console is at ${address}\nSign in with the key ${key}\nCtrl+C ends the demonstration and deletes its data.`,
  );
  openBrowser(address);
  await once(process, 'SIGINT');
}

/** @returns the identifier of the denial. */
async function tour(operator: DemoClient, folder: string): Promise<string> {
  step(2, 'Making a tenant and an integrator key …');
  await operator.post('/v1/tenants', { tenant_id: TENANT, name: 'Demonstration Plan' });
  const created = await operator.post<{ api_key: string }>('/v1/api-keys', {
    tenant_id: TENANT,
    name: 'demo integrator',
    scopes: SCOPES,
  });
  say(`      tenant ${TENANT}, key ${created.api_key.slice(0, 21)}… (scopes ${SCOPES.join(', ')})`);
  const plan = operator.withKey(created.api_key);

  step(3, 'Posting an authorization denial as a JSON event …');
  const denial: unknown = JSON.parse(await readFile(repositoryFile('app/demo/files/denial.json'), 'utf8'));
  const receipt = await plan.post<{ event_id: string; status: string; entry_hash: string }>('/v1/events', denial);
  say(`      ${receipt.status} ${receipt.event_id}, entry hash ${receipt.entry_hash.slice(0, 16)}…`);

  step(4, 'Posting an X12 837 with three claims and the 835 that answers it …');
  await ingest(plan, 'claims-837p.edi', 'claims-gateway');
  await ingest(plan, 'remittance-835.edi', 'claims-gateway');

  step(5, 'Posting the same 835 once more: nothing may be added …');
  const again = await ingest(plan, 'remittance-835.edi', 'claims-gateway');
  if (again.accepted !== 0 || again.duplicated !== 3) throw new Error('the second post of a file added something');

  step(6, `What happened to member ${MEMBER}:`);
  const events = await plan.get<{ items: EventItem[] }>(`/v1/events?member_id=${MEMBER}&order=asc`);
  for (const event of events.items) say(`      ${lineOf(event)}`);
  if (events.items.length !== 3) throw new Error(`expected 3 events of ${MEMBER}, found ${events.items.length}`);

  step(7, 'Verifying every chain of the tenant against the write-once store …');
  const verdict = await plan.get<VerifyAnswer>('/v1/ledger/verify');
  for (const part of verdict.partitions) {
    say(`      ${part.source_system}: ${part.checked} events, head ${part.head_hash.slice(0, 16)}…`);
  }
  say(`      valid: ${verdict.valid}, checked: ${verdict.checked}, breaks: ${verdict.breaks.length}`);
  for (const gap of verdict.not_checked) say(`      not checked: ${gap.what} (${gap.why})`);
  // The service adds chains (`_platform`, `_system`) to those of the tenant's sources.
  const sources = verdict.partitions.filter(({ source_system }) => !source_system.startsWith('_'));
  const ofSources = sources.reduce((sum, { checked }) => sum + checked, 0);
  if (!verdict.valid || ofSources !== 7) throw new Error('the chains did not verify');

  step(8, `Sealing the evidence about ${MEMBER} in a bundle, and verifying it without the service …`);
  await sealAndVerify({ plan, clock: systemClock, say, folder }, MEMBER, events.items.length);
  return receipt.event_id;
}

async function ingest(plan: DemoClient, file: string, sourceSystem: string): Promise<IngestAnswer> {
  const body = await readFile(repositoryFile(`app/demo/files/${file}`));
  const answer = await plan.postBytes<IngestAnswer>(
    `/v1/ingest/raw?source_system=${sourceSystem}`,
    body,
    'application/edi-x12',
  );
  const counts = `${answer.accepted} accepted, ${answer.duplicated} duplicates, ${answer.rejected} rejected`;
  say(`      ${file}: ${counts}, ${answer.exceptions.length} exceptions`);
  return answer;
}

function lineOf(event: EventItem): string {
  const reasons = event.payload?.carc?.length ? `, CARC ${event.payload.carc.join(' ')}` : '';
  const what = `${event.event_family}/${event.event_type}`;
  return `${event.event_effective_timestamp}  ${what}  ${event.outcome ?? '-'}${reasons}  (${event.source_system} #${event.sequence})`;
}

main().catch((error: unknown) => {
  process.stderr.write(`demo failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
