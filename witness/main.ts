import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../shared/clock/clock.js';
import { systemRandomness } from '../shared/ids/ids.js';
import { verifierText } from '../shared/notes/note-keys.js';
import { Witness } from './add-checkpoint.js';
import { lockFolder } from './folder-lock.js';
import { witnessServer } from './server.js';
import { logsFrom, SettingsFault, settingsFrom, USAGE } from './settings.js';
import { stateFiles } from './state-files.js';
import { witnessKey } from './witness-key.js';

// `npm run witness`: cosigns checkpoints of logs that it is told of (C2SP tlog-witness). It needs nothing of the service: no
// database, no key of it, and best another machine.

try {
  await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof SettingsFault;
  process.stderr.write(expected ? `${error.message}\n${USAGE}` : `${(error as Error).stack ?? String(error)}\n`);
  process.exitCode = expected ? 2 : 1;
}

async function main(args: readonly string[]): Promise<void> {
  const { name, dir, logs: logsPath, host, port } = settingsFrom(args);
  const logs = logsFrom(await readFile(logsPath, 'utf8'));
  await mkdir(dir, { recursive: true });
  const unlock = await lockFolder(dir, process.pid);
  const { key, sign } = await witnessKey(dir, name, systemRandomness());
  const state = await stateFiles(join(dir, 'seen'));
  const witness = new Witness({ key, sign, nowMs: systemClock.nowMs, state, logs });
  const report = (error: unknown): void => void process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
  const server = witnessServer(witness, report);
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  process.stdout.write(`witness ${name} of ${logs.size} logs at http://${host}:${taken}\n`);
  process.stdout.write(`verifier key: ${verifierText(key)}\n`);
  const stop = (): void => {
    server.close(() => void unlock());
    server.closeIdleConnections();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
