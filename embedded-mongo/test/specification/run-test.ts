import { type ClientSession, GridFSBucket, MongoClient, type MongoClientOptions, type ServerApi } from 'mongodb';
import { checkError } from './errors.js';
import { EventLog } from './events.js';
import type { Contents, Json, Operation, SpecFile, SpecTest } from './format.js';
import { MessageLog } from './logs.js';
import { mismatch } from './match.js';
import { isKnownOperation, perform } from './operations.js';

const RUNNER_OPERATIONS = [
  'failPoint',
  'assertCollectionExists',
  'assertCollectionNotExists',
  'assertIndexExists',
  'assertIndexNotExists',
  'createEntities',
  'wait',
  'waitForEvent',
  'assertEventCount',
  'runOnThread',
  'waitForThread',
  'assertNumberConnectionsCheckedOut',
  'assertSessionNotDirty',
  'assertSessionDirty',
  'assertSameLsidOnLastTwoCommands',
  'assertDifferentLsidOnLastTwoCommands',
  'assertSessionPinned',
  'assertSessionUnpinned',
  'assertSessionTransactionState',
];
const ENTITY_KINDS = ['client', 'database', 'collection', 'bucket', 'session', 'thread'];

/** The driver's own option for its runner of these tests. Its type leaves it out: a connect must cause no events of a ping. */
const NO_PING = { __skipPingOnConnect: true } as MongoClientOptions;

/** Why the runner cannot run a test; undefined when it can. */
export function unsupported(file: SpecFile, test: SpecTest): string | undefined {
  if (test.expectTracingMessages) return 'the driver has no tracing';
  const entities = (file.createEntities ?? []).flatMap((entity) => Object.keys(entity));
  const entity = entities.find((kind) => !ENTITY_KINDS.includes(kind));
  if (entity) return `entities of kind ${entity}`;
  for (const { name, object } of test.operations) {
    const here = object === 'testRunner' ? RUNNER_OPERATIONS.includes(name) : isKnownOperation(name);
    if (!here) return `the driver has no operation ${name}`;
  }
  return undefined;
}

/** One test of a file, against the server at `uri`; throws where something differs. */
export class SpecRun {
  readonly #entities = new Map<string, unknown>();
  readonly #events = new Map<string, EventLog>();
  readonly #messages = new Map<string, MessageLog>();
  readonly #clients: MongoClient[] = [];
  readonly #sessions: ClientSession[] = [];
  readonly #threads = new Map<string, Promise<void>>();
  readonly #admin: MongoClient;

  constructor(private readonly uri: string) {
    this.#admin = new MongoClient(uri);
  }

  async run(file: SpecFile, test: SpecTest): Promise<void> {
    try {
      for (const contents of file.initialData ?? []) await this.#fill(contents);
      for (const entity of file.createEntities ?? []) await this.#create(entity);
      for (const operation of test.operations) await this.#operate(operation);
      for (const expected of test.expectEvents ?? []) this.#eventsOf(expected.client).check(expected, this.#entities);
      for (const expected of test.expectLogMessages ?? [])
        this.#messages.get(expected.client)?.check(expected, this.#entities);
      for (const contents of test.outcome ?? []) await this.#checkOutcome(contents);
    } finally {
      await this.#admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
      for (const session of this.#sessions) await session.endSession();
      for (const client of [...this.#clients, this.#admin]) await client.close();
    }
  }

  async #fill({ databaseName, collectionName, documents, createOptions }: Contents): Promise<void> {
    const db = this.#admin.db(databaseName);
    await db.dropCollection(collectionName);
    await db.createCollection(collectionName, createOptions ?? {});
    if (documents.length > 0) await db.collection(collectionName).insertMany([...documents]);
  }

  async #create(entity: Record<string, Json>): Promise<void> {
    const [[kind = '', spec = {}] = []] = Object.entries(entity);
    const id = String(spec['id']);
    if (kind === 'thread') this.#threads.set(id, Promise.resolve());
    else this.#entities.set(id, kind === 'client' ? await this.#createClient(id, spec) : this.#createOther(kind, spec));
  }

  async #createClient(id: string, spec: Json): Promise<MongoClient> {
    const api = spec['serverApi'] === undefined ? {} : { serverApi: spec['serverApi'] as ServerApi };
    const messages = new MessageLog();
    const client = new MongoClient(this.uri, {
      ...NO_PING,
      ...(spec['uriOptions'] as MongoClientOptions | undefined),
      ...api,
      ...messages.options(spec['observeLogMessages'] as Json | undefined),
      monitorCommands: true,
    });
    this.#clients.push(client);
    this.#messages.set(id, messages);
    const ignored = (spec['ignoreCommandMonitoringEvents'] as string[] | undefined) ?? [];
    this.#events.set(id, new EventLog(client, (spec['observeEvents'] as string[] | undefined) ?? [], ignored));
    // A fail point may let the connection fail: the operations of the test connect again and show it.
    await client.connect().catch(() => undefined);
    messages.forgetSelection();
    return client;
  }

  #createOther(kind: string, spec: Json): unknown {
    if (kind === 'session') {
      const client = this.#entity(spec['client']) as MongoClient;
      const session = client.startSession((spec['sessionOptions'] as Json | undefined) ?? {});
      this.#sessions.push(session);
      // An ended session still has the id that events name.
      return session;
    }
    if (kind === 'database') {
      const client = this.#entity(spec['client']) as MongoClient;
      return client.db(String(spec['databaseName']), (spec['databaseOptions'] as Json | undefined) ?? {});
    }
    const db = this.#entity(spec['database']) as ReturnType<MongoClient['db']>;
    if (kind === 'bucket') return new GridFSBucket(db, (spec['bucketOptions'] as Json | undefined) ?? {});
    return db.collection(String(spec['collectionName']), (spec['collectionOptions'] as Json | undefined) ?? {});
  }

  /** Operations name their session by its entity. */
  #withSession(args: Json): Json {
    return typeof args['session'] === 'string' && this.#entities.has(args['session'])
      ? { ...args, session: this.#entity(args['session']) }
      : args;
  }

  #entity(id: unknown): unknown {
    if (!this.#entities.has(String(id))) throw new Error(`there is no entity ${String(id)}`);
    return this.#entities.get(String(id));
  }

  #eventsOf(client: unknown): EventLog {
    const log = this.#events.get(String(client));
    if (!log) throw new Error(`there is no client ${String(client)}`);
    return log;
  }

  async #operate(operation: Operation): Promise<void> {
    const { name, object, expectError, expectResult } = operation;
    const args = this.#withSession(operation.arguments ?? {});
    let result: unknown;
    try {
      result =
        object === 'testRunner'
          ? await this.#operateRunner(name, args)
          : await perform(this.#entity(object), name, args);
    } catch (error) {
      if (operation.ignoreResultAndError) return;
      if (!expectError) throw error;
      checkError(expectError, error, (expected, actual) => mismatch(expected, actual, this.#entities));
      return;
    }
    if (operation.ignoreResultAndError) return;
    if (expectError) throw new Error(`${name} was expected to fail`);
    if (operation.saveResultAsEntity) this.#entities.set(operation.saveResultAsEntity, result);
    if (!('expectResult' in operation)) return;
    const difference = mismatch(expectResult, result, this.#entities);
    if (difference) throw new Error(`result of ${name}: ${difference}`);
  }

  async #operateRunner(name: string, args: Json): Promise<void> {
    if (name === 'failPoint') {
      await this.#admin.db('admin').command(args['failPoint'] as Json);
    } else if (name === 'createEntities') {
      for (const entity of args['entities'] as Record<string, Json>[]) await this.#create(entity);
    } else if (name === 'wait') {
      await new Promise((resolve) => setTimeout(resolve, Number(args['ms'])));
    } else if (name.endsWith('Thread')) {
      await this.#thread(name, args);
    } else if (name.includes('Lsid')) {
      this.#checkLsids(this.#eventsOf(args['client']), name.startsWith('assertSame'));
    } else if (name.startsWith('assertSession')) {
      checkSession(args['session'] as ClientSession, name, args['state']);
    } else if (args['client'] !== undefined) {
      await this.#checkClient(name, args);
    } else {
      await this.#checkCatalog(name, args);
    }
  }

  async #thread(name: string, args: Json): Promise<void> {
    const id = String(args['thread']);
    const before = this.#threads.get(id);
    if (!before) throw new Error(`there is no thread ${id}`);
    if (name === 'waitForThread') return before;
    const running = before.then(() => this.#operate(args['operation'] as Operation));
    // The wait for the thread shows its failure.
    running.catch(() => undefined);
    this.#threads.set(id, running);
    return undefined;
  }

  async #checkClient(name: string, args: Json): Promise<void> {
    const log = this.#eventsOf(args['client']);
    if (name === 'waitForEvent') return log.wait(args['event'] as Json, Number(args['count']), this.#entities);
    const found = name === 'assertEventCount' ? log.count(args['event'] as Json, this.#entities) : log.checkedOut;
    const expected = args[name === 'assertEventCount' ? 'count' : 'connections'];
    if (found !== expected) throw new Error(`${name}: ${found} instead of ${String(expected)}`);
    return undefined;
  }

  async #checkCatalog(name: string, args: Json): Promise<void> {
    const db = this.#admin.db(String(args['databaseName']));
    const collection = String(args['collectionName']);
    const exists = name.includes('Collection')
      ? (await db.listCollections({ name: collection }).toArray()).length > 0
      : (await db.collection(collection).listIndexes().toArray()).some((index) => index['name'] === args['indexName']);
    if (exists === name.endsWith('NotExists')) throw new Error(`${name} ${collection} does not hold`);
  }

  /** Compares the sessions of the last two commands that a client sent. */
  #checkLsids(log: EventLog, same: boolean): void {
    const commands = log.lastCommands(2);
    const [first, second] = commands.map((command) => command['lsid']);
    const differs = mismatch(first, second, this.#entities) !== undefined;
    if (commands.length < 2 || differs === same)
      throw new Error(`the last two sessions are ${same ? 'not ' : ''}the same`);
  }

  async #checkOutcome({ databaseName, collectionName, documents }: Contents): Promise<void> {
    const stored = await this.#admin.db(databaseName).collection(collectionName).find().sort({ _id: 1 }).toArray();
    // Not as a root: nothing may be there that is not expected.
    const difference =
      stored.length === documents.length
        ? documents.map((document, i) => mismatch(document, stored[i], this.#entities, false, `[${i}]`)).find(Boolean)
        : `${stored.length} documents instead of ${documents.length}`;
    if (difference) throw new Error(`${databaseName}.${collectionName}: ${difference}`);
  }
}

function checkSession(session: ClientSession, name: string, state: unknown): void {
  const { isDirty } = (session.serverSession ?? {}) as { isDirty?: boolean };
  const found = {
    assertSessionDirty: isDirty === true,
    assertSessionNotDirty: isDirty !== true,
    assertSessionPinned: session.isPinned,
    assertSessionUnpinned: !session.isPinned,
    assertSessionTransactionState: !session.inTransaction() || state !== 'none',
  }[name];
  if (found !== true) throw new Error(`${name} does not hold`);
}
