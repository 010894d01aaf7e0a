import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Encryption, isEncrypted, startWorker } from '../../embedded-mongo/index.js';
import { connectDatabase } from '../../shared/db/database.js';
import { isTenantId, type TenantId } from '../../shared/ids/tenant.js';
import type { ReportProgress } from '../../shared/progress/progress.js';
import { type AuditedTenant, auditCopy } from '../../subgraphs/ledger/index.js';
import { StartRefused } from '../data-directory.js';
import { readKeys } from '../keys/key-file.js';
import { runCommand } from './run-command.js';

// `npm run audit -- FOLDER|URI [--tenant T] [--json] [--keys FILE]` folds the state map from the entries of a copy, without
// the service and without its signing keys: FOLDER is a backup (docs/backup.md) or a data folder that nothing uses, URI a
// MongoDB, FILE the data keys of an encrypted folder. The copy is not changed. The exit code is 0 if every ledger is VALID.

interface Place {
  readonly uri: string;
  close(): Promise<void>;
}

function parsed() {
  const options = { tenant: { type: 'string' }, keys: { type: 'string' } } as const;
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
    throw new StartRefused('Name one folder or URI: npm run audit -- FOLDER|URI [--tenant T] [--json] [--keys FILE]');
  }
  const { tenant, keys } = values;
  if (tenant !== undefined && !isTenantId(tenant)) throw new StartRefused('--tenant must be a tenant id.');
  return { place, tenant, keys };
}

/**
 * The keys of an encrypted folder: of the named file, else of the signer's folder next to it, else of this deployment.
 *
 * @throws StartRefused when there are none
 */
async function keysOf(data: string, files: readonly string[]): Promise<Encryption | undefined> {
  if (!isEncrypted(data)) return undefined;
  for (const file of files) {
    const keys = await readKeys(file);
    if (keys !== null) return keys;
  }
  throw new StartRefused(`${data} is encrypted: name the file of its data keys with --keys FILE`);
}

async function opened(place: string, keyFiles: readonly string[]): Promise<Place> {
  if (/^mongodb(\+srv)?:\/\//.test(place)) return { uri: place, close: async () => {} };
  const data = join(place, 'embedded');
  const isFolder = await stat(data).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new StartRefused(`${data} is missing: name a backup or a data folder of the embedded database.`);
  const encryption = await keysOf(data, keyFiles);
  // Opening a database writes to it: the audit opens a copy of the copy.
  const dataDir = await mkdtemp(join(tmpdir(), 'eas-audit-'));
  await cp(data, dataDir, { recursive: true });
  const running = await startWorker({ dataDir, ...(encryption === undefined ? {} : { encryption }) });
  return {
    uri: running.uri,
    close: async () => {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function audited(
  uri: string,
  tenant: TenantId | undefined,
  report: ReportProgress,
  say: (one: AuditedTenant) => void,
): Promise<boolean> {
  const database = await connectDatabase(uri);
  try {
    let isValid = true;
    let ledgers = 0;
    for await (const one of auditCopy(database.db, { tenant, report })) {
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

void runCommand(async ({ config, say, progress }) => {
  const { place, tenant, keys } = questionOf();
  const keyFiles = keys === undefined ? [`${resolve(place)}-signer/data-keys.json`, config.dataKeysFile] : [keys];
  const { uri, close } = await opened(place, keyFiles);
  try {
    const report = progress('entries');
    return await audited(uri, tenant, report, (one) => say(sentencesOf(one), one));
  } finally {
    await close();
  }
});
