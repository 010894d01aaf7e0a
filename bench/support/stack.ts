import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { MongoClient } from 'mongodb';
import { Pool } from 'undici';
import { repositoryFile } from '../../app/repository.js';
import { startChild } from '../../embedded-mongo/index.js';
import type { Processes } from './cpu.js';

const OPERATOR_KEY = 'operator-key-of-the-benchmark-0123456789';
const CONNECTIONS = 64;

/** One database, the service in a separate process, and a raw driver client on the same database. */
export interface Stack {
  readonly uri: string;
  /** Address of the service. */
  readonly url: string;
  readonly raw: MongoClient;
  readonly rest: RestClient;
  /** Processes with a reported CPU time: the load client, the service, the embedded database. */
  readonly processes: Processes;
  stop(): Promise<void>;
}

/** The same database at another address. */
interface Detour {
  readonly uri: string;
  stop(): Promise<void>;
}

/**
 * MONGODB_URI measures on that server instead of the embedded database; both sides of every ratio move together.
 *
 * @param detour puts something between the service and the database
 */
export async function startStack(
  settings: Readonly<Record<string, string>> = {},
  detour?: (uri: string) => Promise<Detour>,
): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'eas-bench-'));
  const given = process.env['MONGODB_URI'];
  const database = given === undefined ? await startChild({ dataDir: join(folder, 'embedded') }) : undefined;
  const uri = given ?? database?.uri ?? '';
  const between = await detour?.(uri);
  const service = await startService(between?.uri ?? uri, folder, settings);
  const raw = await MongoClient.connect(uri, {
    maxPoolSize: CONNECTIONS,
    writeConcern: { w: 'majority', journal: true },
  });
  const rest = await RestClient.forNewTenant(service.url, 't-bench');
  return {
    uri,
    url: service.url,
    raw,
    rest,
    processes: { client: process.pid, service: service.pid, ...(database?.pid ? { database: database.pid } : {}) },
    stop: async () => {
      await rest.close();
      await raw.close();
      await service.stop();
      await between?.stop();
      await database?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Service {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** @param mongodbUri null for the service's own database */
export async function startService(
  mongodbUri: string | null,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<Service> {
  const child = spawn(process.execPath, ['--max-semi-space-size=64', repositoryFile('dist/app/main.js')], {
    env: {
      ...process.env,
      PORT: '0',
      MONGODB_URI: mongodbUri ?? '',
      SERVICE_DATA_DIR: join(folder, 'service'),
      SERVICE_ADMIN_API_KEY: OPERATOR_KEY,
      SERVICE_LOG_LEVEL: 'error',
      SERVICE_RATE_LIMIT_PER_MINUTE: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it listened`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /listens on (http:\/\/\S+)/.exec(line);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await gone;
    },
  };
}

/** A lean client: prebuilt bodies, kept-alive connections, answers read as text. */
export class RestClient {
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;
  readonly tenantId: string;

  private constructor(pool: Pool, key: string, tenantId: string) {
    this.#pool = pool;
    this.#headers = { 'x-api-key': key };
    this.tenantId = tenantId;
  }

  /** Headers that authenticate a request. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  static async forNewTenant(url: string, tenantId: string): Promise<RestClient> {
    const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
    const operator = new RestClient(pool, OPERATOR_KEY, tenantId);
    await operator.post('/v1/tenants', JSON.stringify({ tenant_id: tenantId, name: 'Benchmark' }));
    const scopes = ['admin'];
    const made = await operator.post('/v1/api-keys', JSON.stringify({ tenant_id: tenantId, name: 'bench', scopes }));
    return new RestClient(pool, (JSON.parse(made) as { api_key: string }).api_key, tenantId);
  }

  async post(path: string, body: string | Buffer | Readable, contentType = 'application/json'): Promise<string> {
    return this.#send('POST', path, { ...this.#headers, 'content-type': contentType }, body);
  }

  async get(path: string): Promise<string> {
    return this.#send('GET', path, this.#headers, null);
  }

  /** Reads and discards an answer. @returns its number of bytes */
  async drain(path: string): Promise<number> {
    const answer = await this.#pool.request({ method: 'GET', path, headers: this.#headers, headersTimeout: 0 });
    if (answer.statusCode !== 200) throw new Error(`GET ${path} answered ${answer.statusCode}`);
    let bytes = 0;
    for await (const piece of answer.body) bytes += (piece as Buffer).length;
    return bytes;
  }

  async remove(path: string): Promise<string> {
    return this.#send('DELETE', path, this.#headers, null);
  }

  async #send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    headers: Record<string, string>,
    body: string | Buffer | Readable | null,
  ) {
    const answer = await this.#pool.request({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 && answer.statusCode !== 201)
      throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
