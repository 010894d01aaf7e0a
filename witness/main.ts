import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
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

// `npm run witness`: cosigns checkpoints of configured logs (C2SP tlog-witness). It needs no database and no key of the
// service, and preferably runs on another machine.

try {
  await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof SettingsFault;
  if (expected) process.stderr.write(`${error.message}\n${USAGE}`);
  else report(error);
  process.exitCode = expected ? 2 : 1;
}

function report(error: unknown): void {
  process.stderr.write(`${(error instanceof Error && error.stack) || String(error)}\n`);
}

async function main(args: readonly string[]): Promise<void> {
  const { name, dir, logs: logsPath, host, port } = settingsFrom(args);
  const logs = logsFrom(await readFile(logsPath, 'utf8'));
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(dir, process.pid);
  const { key, sign } = await witnessKey(dir, name, systemRandomness());
  const state = await stateFiles(join(dir, 'seen'));
  const witness = new Witness({ key, sign, nowMs: systemClock.nowMs, state, logs });
  const server = witnessServer(witness, report);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const taken = typeof address === 'object' ? address?.port : port;
  process.stdout.write(`witness ${name} of ${logs.size} logs at http://${host}:${taken}\n`);
  process.stdout.write(`verifier key: ${verifierText(key)}\n`);
  const stop = (): void => {
    server.close(() => void unlock());
    server.closeIdleConnections();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
