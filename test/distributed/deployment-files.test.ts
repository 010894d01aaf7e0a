import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { repositoryFile } from '../../app/repository.js';
import { EXISTING_SUBGRAPHS } from '../../app/subgraph-builders.js';
import { configFrom } from '../../shared/config/config.js';
import type { ConfigEntry } from '../../shared/config/entry.js';
import { CONFIG_TABLE } from '../../shared/config/schema.js';
import { withSecretFiles } from '../../shared/config/secret-files.js';

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly user?: string;
  readonly network_mode?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test?: unknown; readonly disable?: boolean };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
}

let services: Readonly<Record<string, Service>>;
let secrets: Readonly<Record<string, { readonly file: string }>>;
let dockerfile: string;

beforeAll(async () => {
  const text = await readFile(repositoryFile('docker-compose.yml'), 'utf8');
  ({ services, secrets } = parse(text, { merge: true }) as { services: typeof services; secrets: typeof secrets });
  dockerfile = await readFile(repositoryFile('Dockerfile'), 'utf8');
});

/** `*` matches any text within a name. */
const matchesGlob = (name: string, pattern: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(name);

const ours = (): [string, Service][] =>
  Object.entries(services).filter(([, { image }]) => image === 'evidentiary-audit-service');
/** `${NAME:-default}` as compose fills it in. */
const filled = (text: string): string => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
const SECRET_VALUES: Readonly<Record<string, string>> = {
  mongodb_uri: 'mongodb://eas:x@mongo:27017/eas?replicaSet=rs0',
  mongodb_retention_uri: 'mongodb://eas-retention:x@mongo:27017/eas?replicaSet=rs0',
  mongodb_rotator_uri: 'mongodb://eas-rotator:x@mongo:27017/eas?replicaSet=rs0',
  master_key: '5e'.repeat(32),
  internal_secret: 's'.repeat(64),
  admin_api_key: 'k'.repeat(64),
};

describe('docker-compose.yml', () => {
  it('runs the signer, each subgraph, the gateway, two facades and two workers', () => {
    const modes = ours().flatMap(([, { environment }]) => environment?.['SERVICE_MODE'] ?? []);
    expect(modes.sort()).toEqual(
      [...EXISTING_SUBGRAPHS, 'facade', 'facade', 'gateway', 'signer', 'worker', 'worker'].sort(),
    );
  });

  it('gives the private keys to the signer alone, under a separate user without a network', () => {
    const { signer, ...others } = services;
    expect(signer).toMatchObject({ user: '1001:1000', network_mode: 'none' });
    const keys = signer?.volumes?.[0]?.split(':')[0] ?? '';
    for (const [name, { volumes = [], environment }] of Object.entries(others)) {
      expect([name, volumes.filter((volume) => volume.startsWith(`${keys}:`))]).toEqual([name, []]);
      const asks = ['admin', 'worker'].includes(environment?.['SERVICE_MODE'] ?? '');
      expect([name, environment?.['SERVICE_SIGNER_SOCKET']]).toEqual([
        name,
        asks ? '/signer-socket/signer.sock' : undefined,
      ]);
      expect([name, volumes.includes('signer-socket:/signer-socket')]).toEqual([name, asks]);
    }
  });

  it('configures every process with known and valid settings', () => {
    for (const [name, { environment = {}, secrets: mounted = [] }] of ours()) {
      const read = (path: string): string => {
        const secret = path.replace('/run/secrets/', '');
        expect([name, mounted.includes(secret)]).toEqual([name, true]);
        return SECRET_VALUES[secret] ?? '';
      };
      const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filled(String(value))]));
      const config = configFrom(withSecretFiles(env, read));
      if (config.mode === 'signer') continue;
      expect(config.mongodbUri).toContain('replicaSet=rs0');
      expect([config.retentionUri, config.rotatorUri]).toEqual([
        SECRET_VALUES['mongodb_retention_uri'],
        SECRET_VALUES['mongodb_rotator_uri'],
      ]);
      expect([...config.subgraphUrls.keys()].sort()).toEqual([...EXISTING_SUBGRAPHS].sort());
      for (const [subgraph, [url = '']] of config.subgraphUrls) {
        expect(services[new URL(url).hostname]?.environment?.['SERVICE_MODE']).toBe(subgraph);
      }
    }
  });

  it('holds no secret, and mounts each from a file that the script makes', async () => {
    const script = await readFile(repositoryFile('docker/make-secrets.sh'), 'utf8');
    for (const [name, { file }] of Object.entries(secrets)) {
      expect(file).toBe(`docker/secrets/${name}`);
      expect(script).toContain(`make ${name} `);
    }
    const secretNames = Object.entries<ConfigEntry>(CONFIG_TABLE).flatMap(([name, entry]) =>
      entry.secret ? [name] : [],
    );
    for (const [, { environment = {}, secrets: mounted = [] }] of Object.entries(services)) {
      expect(Object.keys(environment).filter((name) => secretNames.includes(name))).toEqual([]);
      for (const secret of mounted) expect(Object.keys(secrets)).toContain(secret);
    }
    // The users that the initial script makes are those of the connection strings, each with the password that it is given.
    const init = services['mongo-init']?.entrypoint?.join(' ') ?? '';
    for (const [user, password, variable] of [
      ['eas', 'mongo_password', 'EAS_MONGO_PASSWORD'],
      ['eas-retention', 'mongo_retention_password', 'EAS_MONGO_RETENTION_PASSWORD'],
      ['eas-rotator', 'mongo_rotator_password', 'EAS_MONGO_ROTATOR_PASSWORD'],
    ]) {
      expect(script).toContain(`"$(uri ${user} ${password})"`);
      expect(init).toContain(`${variable}="$$(cat /run/secrets/${password})"`);
      expect(services['mongo-init']?.secrets).toContain(password);
    }
    expect(await readFile(repositoryFile('.gitignore'), 'utf8')).toContain('docker/secrets/');
    expect(await readFile(repositoryFile('.dockerignore'), 'utf8')).toContain('docker/secrets');
  });

  it('orders the starts by conditions that can be met', () => {
    for (const { depends_on = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const needed = services[name];
        const once = ['mongo-init', 'prepare'].includes(name);
        expect([name, condition]).toEqual([name, once ? 'service_completed_successfully' : 'service_healthy']);
        expect(needed).toBeDefined();
      }
    }
    expect(Object.keys(services['facade-1']?.depends_on ?? {}).sort()).toEqual([...EXISTING_SUBGRAPHS].sort());
  });

  it('runs the service’s processes without privileges, and with time to stop', () => {
    for (const [name, service] of ours()) {
      expect([name, service.read_only, service.cap_drop, service.stop_grace_period]).toEqual([
        name,
        true,
        ['ALL'],
        '30s',
      ]);
    }
  });
});

describe('the folders of a service that runs here', () => {
  it.each(['.gitignore', '.dockerignore'])(
    'with its keys and data stay out of commits and images: %s',
    async (name) => {
      const patterns = (await readFile(repositoryFile(name), 'utf8'))
        .split('\n')
        .map((line) => line.replace(/\/$/, ''));
      for (const folder of ['.data', '.data-signer', '.data-checkpoints'])
        expect(patterns.some((pattern) => pattern !== '' && matchesGlob(folder, pattern))).toBe(true);
    },
  );
});

describe('the image', () => {
  it('is built from the lock file, runs as an unprivileged user, and has a health check', () => {
    expect(dockerfile).toContain('RUN npm ci\n');
    expect(dockerfile.match(/^FROM node:24/gm)).toHaveLength(2);
    expect(dockerfile.lastIndexOf('\nUSER node\n')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM '));
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD \["node", "docker\/healthcheck\.mjs"\]$/m);
    expect(dockerfile).toMatch(/^CMD \["node", /m);
  });

  it('finds in the lock file the binaries of every platform', async () => {
    const { missingEntries } = (await import('../../docker/complete-lock.mjs' as string)) as {
      missingEntries: (lock: unknown) => ReadonlyMap<string, unknown>;
    };
    const lock = JSON.parse(await readFile(repositoryFile('package-lock.json'), 'utf8')) as unknown;
    // `npm run lock` adds missing entries.
    expect([...missingEntries(lock).keys()]).toEqual([]);
  });
});

interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

describe('docker/mongo-init.js', () => {
  /** Runs the script against fakes of mongosh's objects; `known` lists the results of an earlier run. */
  async function run(known: boolean, passwords: Readonly<Record<string, string>> = {}) {
    const roles = new Map<string, { privileges: Privilege[]; roles: unknown[] }>();
    const users = new Map<string, { pwd: string; roles: unknown[] }>();
    let initiated = known;
    const admin = {
      getRole: (name: string) => (known ? { role: name } : null),
      createRole: ({ role, ...rest }: { role: string; privileges: Privilege[]; roles: unknown[] }) =>
        roles.set(role, rest),
      updateRole: (role: string, rest: { privileges: Privilege[]; roles: unknown[] }) => roles.set(role, rest),
      getUser: (name: string) => (known ? { user: name } : null),
      createUser: ({ user, ...rest }: { user: string; pwd: string; roles: unknown[] }) => users.set(user, rest),
      updateUser: (user: string, rest: { pwd: string; roles: unknown[] }) => users.set(user, rest),
    };
    const notYet = Object.assign(new Error('no set'), { codeName: 'NotYetInitialized' });
    runInNewContext(await readFile(repositoryFile('docker/mongo-init.js'), 'utf8'), {
      rs: {
        status: () => {
          if (!initiated) throw notYet;
        },
        initiate: () => {
          initiated = true;
        },
      },
      db: { hello: () => ({ isWritablePrimary: initiated }), getSiblingDB: () => admin },
      process: { env: { EAS_MONGO_PASSWORD: 'secret', ...passwords } },
      sleep: () => undefined,
      print: () => undefined,
    });
    return { roles, users };
  }

  it.each([false, true])('creates the roles, and the user with three of them (created before: %s)', async (known) => {
    const { roles, users } = await run(known);
    // What the rotator keeps is never set back.
    const kept = known ? [] : ['eas-worm-segments'];
    expect([...roles.keys()]).toEqual([...kept, 'eas-service', 'eas-worm', 'eas-retention', 'eas-rotator']);
    expect(users.get('eas')).toEqual({
      pwd: 'secret',
      roles: [
        { role: 'eas-service', db: 'admin' },
        { role: 'eas-worm', db: 'admin' },
        { role: 'eas-worm-segments', db: 'admin' },
      ],
    });
  });

  const MORE = { EAS_MONGO_RETENTION_PASSWORD: 'r', EAS_MONGO_ROTATOR_PASSWORD: 'o' };

  it('creates separate users for retention and for the rotator if they have passwords', async () => {
    expect([...(await run(false)).users.keys()]).toEqual(['eas']);
    const { users, roles } = await run(false, MORE);
    expect(users.get('eas-retention')).toEqual({ pwd: 'r', roles: [{ role: 'eas-retention', db: 'admin' }] });
    expect(users.get('eas-rotator')).toEqual({ pwd: 'o', roles: [{ role: 'eas-rotator', db: 'admin' }] });
    // Then the service inserts into no collection but those named, and so into no segment that is not opened for it.
    const wide = (roles.get('eas-worm')?.privileges ?? []).filter(({ resource }) => resource.collection === '');
    expect(wide.flatMap(({ actions }) => actions)).not.toContain('insert');
  });

  it('allows inserts into and reads from the write-once database, and no change of its records', async () => {
    const { privileges = [] } = (await run(false)).roles.get('eas-worm') ?? {};
    for (const { resource, actions } of privileges) {
      expect(resource.db).toBe('eas_worm');
      expect(actions).toEqual(expect.arrayContaining(['find', 'insert']));
      const changing = [
        'update',
        'remove',
        'dropCollection',
        'dropDatabase',
        'collMod',
        'convertToCapped',
        'emptycapped',
      ];
      const allowed = actions.filter((action) => changing.includes(action));
      const bookkeeping = ['worm_segments', 'worm_index'].includes(resource.collection);
      expect([resource.collection, allowed]).toEqual([resource.collection, bookkeeping ? ['update'] : []]);
    }
  });
});
