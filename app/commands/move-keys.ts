import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock/clock.js';
import type { Config } from '../../shared/config/config.js';
import { MasterKey } from '../../shared/crypto/master-key.js';
import { systemRandomness } from '../../shared/ids/ids.js';
import { SIGNING_PURPOSES } from '../../shared/signing/purposes.js';
import { type ServedSigner, serveSigner } from '../../signer/index.js';
import { StartRefused } from '../data-directory.js';
import type { Stores } from '../stores.js';

interface MoveCommand {
  readonly config: Config;
  say(line: string): void;
  openStores(): Promise<Stores>;
}

/**
 * Moves the keys of an earlier version out of the database and the data folder, and tells the signer the last note of each
 * log: from then on it signs only what extends it. The service must be stopped; an interrupted move continues.
 *
 * @throws StartRefused
 */
export async function moveKeys(command: MoveCommand): Promise<boolean> {
  const { config, say } = command;
  const oldPath = join(config.dataDir, 'master.key');
  const dataKeyHex = config.masterKeyHex ?? (await oldKey(oldPath));
  const served = await serveSigner({
    folder: config.signer.dir,
    masterKeyHex: config.masterKeyHex,
    ...(dataKeyHex === null ? {} : { firstDataKeyHex: dataKeyHex }),
    clock: systemClock,
    randomness: systemRandomness(),
    report: (error) => say(error instanceof Error ? error.message : String(error)),
  });
  if (served === null) throw new StartRefused('stop the service first: its signer holds the folder');
  try {
    if (dataKeyHex !== null && !(await served.engine.dataKey()).equals(Buffer.from(dataKeyHex, 'hex')))
      throw new StartRefused(`${config.signer.dir} holds another master.key than ${config.dataDir}`);
    const { base } = await command.openStores();
    const keys = await moveSeeds(base, served);
    const notes = await adoptNotes(base, served);
    await rm(oldPath, { force: true });
    for (const { origin, size, root } of notes) say(`${origin}: the last note has ${size} leaves, root ${root}`);
    say(`moved ${keys} signing keys to ${config.signer.dir}; keep a copy of that folder apart from the data`);
    return true;
  } finally {
    await served.close();
  }
}

async function oldKey(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

interface OldKeyRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly purpose: string;
  readonly x: string;
  readonly status: string;
  readonly wrapped_seed: string;
}

async function moveSeeds({ database, masterKey }: Stores['base'], { engine }: ServedSigner): Promise<number> {
  const rows = database.db.collection<OldKeyRow>('signing_keys');
  let moved = 0;
  for await (const row of rows.find({ wrapped_seed: { $exists: true } })) {
    const { _id: key_id, tenant_id, x, status } = row;
    const purpose = SIGNING_PURPOSES.find((one) => one === row.purpose);
    if (purpose === undefined) throw new StartRefused(`the signing key ${key_id} has an unknown purpose`);
    const seed = openSeed(masterKey, row);
    await engine.importKey(
      { key_id, tenant_id, purpose },
      { seed, x, isEnded: status === 'RETIRED' || status === 'REVOKED' },
    );
    seed.fill(0);
    await rows.updateOne({ _id: key_id }, { $unset: { wrapped_seed: '' } });
    moved += 1;
  }
  return moved;
}

function openSeed(masterKey: MasterKey, { _id, tenant_id, wrapped_seed }: OldKeyRow): Buffer {
  try {
    return masterKey.unwrap(Buffer.from(wrapped_seed, 'base64'), `signing-key:${tenant_id}:${_id}`);
  } catch {
    throw new StartRefused(`the signing key ${_id} does not open with this master key; nothing of it was moved`);
  }
}

interface OldCheckpoint {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly note: string;
}

async function adoptNotes({ database }: Stores['base'], { engine }: ServedSigner) {
  const rows = database.db.collection<OldCheckpoint>('ledger_checkpoints');
  const adopted = [];
  for (const tenantId of await rows.distinct('tenant_id')) {
    const last = await rows.findOne({ tenant_id: tenantId }, { sort: { tenant_id: -1, number: -1 } });
    if (last !== null) adopted.push(await engine.adoptNote(last.key_id, last.note));
  }
  return adopted;
}
