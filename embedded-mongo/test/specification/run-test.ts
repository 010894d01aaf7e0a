import {
  type ClientSession,
  type CommandStartedEvent,
  GridFSBucket,
  MongoClient,
  MongoClientBulkWriteError,
  type MongoClientOptions,
  MongoOperationTimeoutError,
  MongoServerError,
  type ServerApi,
} from 'mongodb';
import type { Contents, ExpectedEvents, Json, Operation, SpecFile, SpecTest } from './format.js';
import { mismatch } from './match.js';
import { isKnownOperation, perform } from './operations.js';

interface Observed {
  readonly kind: string;
  readonly event: unknown;
}

const RUNNER_OPERATIONS = [
  'failPoint',
  'assertCollectionExists',
  'assertCollectionNotExists',
  'assertIndexExists',
  'assertIndexNotExists',
  'createEntities',
  'wait',
  'assertSessionNotDirty',
  'assertSessionDirty',
  'assertSameLsidOnLastTwoCommands',
  'assertDifferentLsidOnLastTwoCommands',
  'assertSessionPinned',
  'assertSessionUnpinned',
  'assertSessionTransactionState',
];
const ENTITY_KINDS = ['client', 'database', 'collection', 'bucket', 'session'];
const EVENT_KINDS = ['commandStartedEvent', 'commandSucceededEvent', 'commandFailedEvent'];
/** Said by the driver on its own account; never part of what a test expects. */
const OWN_COMMANDS = [
  'hello',
  'ismaster',
  'isMaster',
  'saslStart',
  'saslContinue',
  'configureFailPoint',
  'endSessions',
];

/** Why the runner cannot run a test; undefined when it can. */
export function unsupported(file: SpecFile, test: SpecTest): string | undefined {
  const entities = (file.createEntities ?? []).flatMap((entity) => Object.keys(entity));
  const entity = entities.find((kind) => !ENTITY_KINDS.includes(kind));
  if (entity) return `entities of kind ${entity}`;
  for (const { name, object } of test.operations) {
    const here = object === 'testRunner' ? RUNNER_OPERATIONS.includes(name) : isKnownOperation(name);
    if (!here) return `operation ${name}`;
  }
  const events = (test.expectEvents ?? []).find(({ eventType }) => eventType !== undefined && eventType !== 'command');
  return events ? `events of type ${events.eventType}` : undefined;
}

/** One test of a file, against the server at `uri`; throws where something differs. */
export class SpecRun {
  readonly #entities = new Map<string, unknown>();
  readonly #observed = new Map<string, Observed[]>();
  readonly #clients: MongoClient[] = [];
  readonly #sessions: ClientSession[] = [];
  readonly #admin: MongoClient;

  constructor(private readonly uri: string) {
    this.#admin = new MongoClient(uri);
  }

  async run(file: SpecFile, test: SpecTest): Promise<void> {
    try {
      for (const contents of file.initialData ?? []) await this.#fill(contents);
      for (const entity of file.createEntities ?? []) await this.#create(entity);
      for (const operation of test.operations) await this.#operate(operation);
      for (const expected of test.expectEvents ?? []) this.#checkEvents(expected);
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
    this.#entities.set(id, kind === 'client' ? await this.#createClient(id, spec) : this.#createOther(kind, spec));
  }

  async #createClient(id: string, spec: Json): Promise<MongoClient> {
    const api = spec['serverApi'] === undefined ? {} : { serverApi: spec['serverApi'] as ServerApi };
    const options: MongoClientOptions = { ...(spec['uriOptions'] as MongoClientOptions | undefined), ...api };
    const client = new MongoClient(this.uri, { ...options, monitorCommands: true });
    this.#clients.push(client);
    const wanted = (spec['observeEvents'] as string[] | undefined) ?? [];
    const ignored = [...OWN_COMMANDS, ...((spec['ignoreCommandMonitoringEvents'] as string[] | undefined) ?? [])];
    const list: Observed[] = [];
    this.#observed.set(id, list);
    for (const [name, kind] of [
      ['commandStarted', EVENT_KINDS[0]],
      ['commandSucceeded', EVENT_KINDS[1]],
      ['commandFailed', EVENT_KINDS[2]],
    ] as const) {
      if (!kind || !wanted.includes(kind)) continue;
      client.on(name as 'commandStarted', (event: CommandStartedEvent) => {
        if (!ignored.includes(event.commandName)) list.push({ kind, event });
      });
    }
    return client.connect();
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
    if (expectError) throw new Error(`${name} was expected to fail`);
    if (operation.saveResultAsEntity) this.#entities.set(operation.saveResultAsEntity, result);
    if (!('expectResult' in operation)) return;
    const difference = mismatch(expectResult, result, this.#entities);
    if (difference) throw new Error(`result of ${name}: ${difference}`);
  }

  async #operateRunner(name: string, args: Json): Promise<void> {
    if (name === 'failPoint') {
      await this.#admin.db('admin').command(args['failPoint'] as Json);
      return;
    }
    if (name === 'createEntities') {
      for (const entity of args['entities'] as Record<string, Json>[]) await this.#create(entity);
      return;
    }
    if (name.includes('Lsid')) {
      this.#checkLsids(String(args['client']), name.startsWith('assertSame'));
      return;
    }
    if (name.startsWith('assertSession')) {
      checkSession(args['session'] as ClientSession, name, args['state']);
      return;
    }
    if (name === 'wait') {
      await new Promise((resolve) => setTimeout(resolve, Number(args['ms'])));
      return;
    }
    const db = this.#admin.db(String(args['databaseName']));
    const collection = String(args['collectionName']);
    const exists = name.includes('Collection')
      ? (await db.listCollections({ name: collection }).toArray()).length > 0
      : (await db.collection(collection).listIndexes().toArray()).some((index) => index['name'] === args['indexName']);
    if (exists === name.endsWith('NotExists')) throw new Error(`${name} ${collection} does not hold`);
  }

  /** Compares the sessions of the last two commands that a client sent. */
  #checkLsids(client: string, same: boolean): void {
    const started = (this.#observed.get(client) ?? []).filter(({ kind }) => kind === 'commandStartedEvent').slice(-2);
    const [first, second] = started.map(({ event }) => (event as CommandStartedEvent).command['lsid']);
    const differs = mismatch(first, second, this.#entities) !== undefined;
    if (started.length < 2 || differs === same)
      throw new Error(`the last two sessions are ${same ? 'not ' : ''}the same`);
  }

  #checkEvents({ client, events, ignoreExtraEvents }: ExpectedEvents): void {
    const observed = this.#observed.get(client) ?? [];
    if (ignoreExtraEvents ? observed.length < events.length : observed.length !== events.length) {
      const kinds = observed.map(({ event }) => (event as CommandStartedEvent).commandName);
      throw new Error(`expected ${events.length} events, found ${kinds.join(', ') || 'none'}`);
    }
    for (const [i, expected] of events.entries()) {
      const [[kind, contents] = []] = Object.entries(expected);
      const found = observed[i];
      if (!found || found.kind !== kind) throw new Error(`event ${i} is ${found?.kind} instead of ${kind}`);
      const difference = Object.entries((contents as Json | undefined) ?? {})
        .filter(([name]) => name !== 'hasServiceId' && name !== 'hasServerConnectionId')
        .map(([name, value]) => mismatch(value, (found.event as Json)[name], this.#entities))
        .find((one) => one !== undefined);
      if (difference) throw new Error(`event ${i} (${kind}): ${difference}`);
    }
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

/** A bulk write of the client wraps the error that ended it. */
function endedBy(error: unknown): unknown {
  return error instanceof MongoClientBulkWriteError && error.cause ? error.cause : error;
}

function checkError(
  expected: Json,
  thrown: unknown,
  differs: (expected: unknown, actual: unknown) => string | undefined,
): void {
  const error = endedBy(thrown);
  const {
    message = '',
    code,
    codeName,
    errorLabels,
    result,
  } = error as { message?: string; code?: unknown; codeName?: unknown; errorLabels?: string[]; result?: unknown };
  const labels = new Set(errorLabels ?? []);
  const faults: (string | false | undefined)[] = [
    typeof expected['errorContains'] === 'string' &&
      !message.toLowerCase().includes(expected['errorContains'].toLowerCase()) &&
      'another message',
    expected['errorCode'] !== undefined && Number(expected['errorCode']) !== code && 'another code',
    expected['errorCodeName'] !== undefined && expected['errorCodeName'] !== codeName && 'another code name',
    ((expected['errorLabelsContain'] as string[] | undefined) ?? []).some((label) => !labels.has(label)) &&
      'labels are missing',
    ((expected['errorLabelsOmit'] as string[] | undefined) ?? []).some((label) => labels.has(label)) &&
      'labels too many',
    expected['expectResult'] !== undefined && result !== undefined && differs(expected['expectResult'], result),
    expected['errorResponse'] !== undefined && differs(expected['errorResponse'], responseOf(error)),
    expected['isTimeoutError'] === true &&
      !(error instanceof MongoOperationTimeoutError) &&
      'another kind than a timeout',
    expected['isClientError'] === true && isServerError(error) && 'come from the server',
    expected['isClientError'] === false && !isServerError(error) && 'come from the client',
  ];
  const fault = faults.find((one) => one);
  if (fault) throw new Error(`the error has ${fault}: ${String(code)} ${message}`);
}

/** The reply that the driver keeps on an error; its own fields where it keeps none. */
function responseOf(error: unknown): unknown {
  const { errorResponse, result } = error as { errorResponse?: unknown; result?: unknown };
  return errorResponse ?? result ?? error;
}

function isServerError(error: unknown): boolean {
  return error instanceof MongoServerError;
}
