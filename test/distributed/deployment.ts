import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../embedded-mongo/index.js';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js';

/** The processes of a deployment; where a mode runs twice, both serve the same work. */
export const MEMBERS = {
  admin: 'admin',
  ledger: 'ledger',
  'ledger-2': 'ledger',
  vault: 'vault',
  bundles: 'bundles',
  advocacy: 'advocacy',
  'members-graph': 'members-graph',
  'worker-1': 'worker',
  'worker-2': 'worker',
  'facade-1': 'facade',
  'facade-2': 'facade',
  gateway: 'gateway',
} as const;
export type Member = keyof typeof MEMBERS;

/** Runs every role as a separate process on loopback, over one embedded database. */
export interface Deployment {
  readonly urls: Readonly<Record<Member, string>>;
  readonly databaseUri: string;
  process(member: Member): ServiceProcess;
  /** SIGKILL, then started again at the same address, as an orchestrator would. */
  killAndRestart(member: Member): Promise<void>;
  /** SIGTERM; resolves with the exit code, then `start` brings it back. */
  terminate(member: Member): Promise<number | null>;
  start(member: Member): Promise<void>;
  stop(): Promise<void>;
}

const SHARED = {
  SERVICE_MASTER_KEY: '42'.repeat(32),
  SERVICE_INTERNAL_SECRET: 'internal-secret-of-the-test-deployment',
  SERVICE_RATE_LIMIT_PER_MINUTE: '0',
};

export async function startDeployment(
  members: readonly Member[] = Object.keys(MEMBERS) as Member[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-deployment-'));
  const database = await startChild({ dataDir: join(folder, 'database') });
  const ports = await freePorts(members.length);
  const urls = Object.fromEntries(members.map((member, i) => [member, `http://127.0.0.1:${ports[i]}`])) as Record<
    Member,
    string
  >;
  const subgraphs = members.filter((member) =>
    ['admin', 'ledger', 'vault', 'bundles', 'advocacy', 'members-graph'].includes(MEMBERS[member]),
  );
  const env = (member: Member): Record<string, string> => ({
    ...SHARED,
    ...settings,
    MONGODB_URI: database.uri,
    SERVICE_MODE: MEMBERS[member],
    SERVICE_SIGNER_DIR: join(folder, 'signer'),
    SERVICE_SUBGRAPH_URLS: subgraphs.map((other) => `${MEMBERS[other]}=${urls[other]}`).join(','),
    PORT: urls[member].slice(urls[member].lastIndexOf(':') + 1),
  });
  const running = new Map<Member, ServiceProcess>();
  const start = async (member: Member): Promise<void> => {
    running.set(member, await startServiceProcess(join(folder, member), env(member)));
  };
  const processOf = (member: Member): ServiceProcess => {
    const found = running.get(member);
    if (!found) throw new Error(`${member} does not run`);
    return found;
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((process) => process.stop()));
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  };
  // Together, as an orchestrator starts them: who needs another waits for it.
  const starts = await Promise.allSettled(members.map(start));
  const failed = starts.find((result) => result.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return {
    urls,
    databaseUri: database.uri,
    process: processOf,
    start,
    stop,
    killAndRestart: async (member) => {
      await processOf(member).kill();
      await start(member);
    },
    terminate: (member) => processOf(member).terminate(),
  };
}

/** Below the range that outgoing connections take theirs from: a process that is started again must get its own back. */
const FIRST_PORT = 20_000 + (process.pid % 1_000) * 10;
const PORTS_TRIED = 2_000;

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let port = FIRST_PORT; ports.length < count && port < FIRST_PORT + PORTS_TRIED; port++) {
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
