import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startWorker } from '../../embedded-mongo/index.js';
import { connectDatabase } from '../../shared/db/database.js';
import { isTenantId, type TenantId } from '../../shared/ids/tenant.js';
import { type AuditedTenant, auditCopy } from '../../subgraphs/ledger/index.js';
import { StartRefused } from '../data-directory.js';
import { runCommand } from './run-command.js';

// `npm run audit -- FOLDER|URI [--tenant T] [--json]` folds the state map from the entries of a copy, without the service and
// without its keys: FOLDER is a backup (docs/backup.md) or a data folder that nothing uses, URI a MongoDB. The copy is not
// changed. The exit code is 0 if every ledger is VALID.

interface Place {
  readonly uri: string;
  close(): Promise<void>;
}

function parsed() {
  const options = { tenant: { type: 'string' }, json: { type: 'boolean' } } as const;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error));
  }
}

function questionOf() {
  const { values, positionals } = parsed();
  const [place, ...others] = positionals;
  if (place === undefined || others.length > 0) {
    throw new StartRefused('Name one folder or URI: npm run audit -- FOLDER|URI [--tenant T] [--json]');
  }
  const { tenant, json = false } = values;
  if (tenant !== undefined && !isTenantId(tenant)) throw new StartRefused('--tenant must be a tenant id.');
  return { place, tenant, json };
}

async function opened(place: string): Promise<Place> {
  if (/^mongodb(\+srv)?:\/\//.test(place)) return { uri: place, close: async () => {} };
  const data = join(place, 'embedded');
  const isFolder = await stat(data).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new StartRefused(`${data} is missing: name a backup or a data folder of the embedded database.`);
  // Opening a database writes to it: the audit opens a copy of the copy.
  const dataDir = await mkdtemp(join(tmpdir(), 'eas-audit-'));
  await cp(data, dataDir, { recursive: true });
  const running = await startWorker({ dataDir });
  return {
    uri: running.uri,
    close: async () => {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function audited(uri: string, tenant: TenantId | undefined, say: (one: AuditedTenant) => void): Promise<boolean> {
  const database = await connectDatabase(uri);
  try {
    let isValid = true;
    let ledgers = 0;
    for await (const one of auditCopy(database.db, tenant)) {
      say(one);
      ledgers += 1;
      isValid &&= one.verdict === 'VALID';
    }
    // Nothing to judge is no good verdict: the folder, the database or the tenant is another one.
    if (ledgers === 0) throw new StartRefused('The copy holds no ledger, or none of that tenant.');
    return isValid;
  } finally {
    await database.close();
  }
}

function sentencesOf({
  tenant_id,
  verdict,
  map,
  folded,
  entries,
  voids,
  after,
  differing,
  fault,
  checkpoint,
}: AuditedTenant): string {
  const lines = [`${tenant_id}: ${verdict}`];
  if (map !== null) lines.push(`  map of the first ${map.tree_size} entries: ${map.root} (${map.event_id})`);
  if (fault !== null) lines.push(`  cannot be folded: ${fault}`);
  if (folded !== null) lines.push(`  folded from ${entries} entries: ${folded}`);
  if (differing.length > 0) lines.push(`  differing keys: ${differing.join(', ')}`);
  if (voids > 0) lines.push(`  void entries map.committed: ${voids}`);
  if (after > 0) lines.push(`  entries after the map: ${after}`);
  if (checkpoint !== null) {
    lines.push(
      `  checkpoint of size ${checkpoint.tree_size}: ${checkpoint.root_hash}; compare it with a note that you kept`,
    );
  }
  return lines.join('\n');
}

await runCommand(async ({ say }) => {
  const { place, tenant, json } = questionOf();
  const { uri, close } = await opened(place);
  try {
    return await audited(uri, tenant, (one) => say(json ? JSON.stringify(one) : sentencesOf(one)));
  } finally {
    await close();
  }
});
