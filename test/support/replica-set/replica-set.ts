import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Document, Long, ObjectId } from 'mongodb';
import { seeded } from '../random.js';
import { apply, type Documents, type Entry, find, keyOf } from './documents.js';
import { type Answer, serveWire } from './wire.js';

/** Faults that strike a write. */
export const REPLICA_FAULTS = ['refused', 'held', 'lost', 'late', 'slow', 'silent'] as const;
export type ReplicaFault = (typeof REPLICA_FAULTS)[number];

export interface ReplicaSetSettings {
  readonly seed: number;
  /** Probability that a fault strikes a write, 0 to 1. */
  readonly rate: number;
  /** How often each fault strikes, relative to the others; 1 by default. */
  readonly weights?: Partial<Record<ReplicaFault, number>>;
}

interface Waiter {
  /** Length of the log that a majority must have. */
  readonly length: number;
  readonly settle: (isDurable: boolean) => void;
}

const NODES = 3;
const TICK_MS = 2;
/** A fault lasts at most this many ticks: commands, or TICK_MS without one. */
const MAX_TICKS = 6;
/** Probability that the primary steps down between a read of writes that wait and its answer. */
const READ_OUTLIVES_PRIMARY = 0.3;
const NOT_PRIMARY = { ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary' };
const STEPPED_DOWN = { code: 189, codeName: 'PrimarySteppedDown', errmsg: 'primary stepped down' };
const INTERRUPTED = { ok: 0, code: 11602, codeName: 'InterruptedDueToReplStateChange', errmsg: 'interrupted' };

/**
 * A replica set of three nodes in one process that speaks the wire protocol, so that the real driver talks to it. A seed
 * decides which writes meet a fault and which: a refusal with a step-down, writes that wait for their majority and may be
 * rolled back, lost replies, writes that land after their connection, late replies, and silence.
 */
export class FakeReplicaSet {
  readonly counts = { stepDowns: 0, rolledBack: 0, writes: 0, faults: 0 };
  readonly #random: () => number;
  readonly #settings: ReplicaSetSettings;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #unique = new Map<string, string[][]>();
  readonly #processIds = Array.from({ length: NODES }, () => new ObjectId());
  #ports: number[] = [];
  #log: Entry[] = [];
  #replicated = 0;
  #local: Documents = new Map();
  #majority: Documents = new Map();
  /** While set, the primary's writes reach no other node. */
  #isHeld = false;
  /** Null during an election. */
  #primary: number | null = 0;
  #term = 1;
  #tick = 0;
  #later: { readonly tick: number; readonly run: () => void }[] = [];
  #waiters: Waiter[] = [];
  #helloWaiters: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: ReplicaSetSettings) {
    this.#settings = settings;
    this.#random = seeded(settings.seed);
  }

  /** Starts the nodes. @returns the connection string, with the driver's monitoring as fast as the faults. */
  async start(): Promise<string> {
    for (let node = 0; node < NODES; node++) {
      const server = createServer((socket) => this.#serve(node, socket));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      this.#servers.push(server);
    }
    this.#ports = this.#servers.map((server) => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('a node has no port');
      return address.port;
    });
    this.#timer = setInterval(() => this.#advance(), TICK_MS);
    return `mongodb://${this.#hosts().join(',')}/fake?replicaSet=fake&heartbeatFrequencyMS=500`;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const wake of this.#helloWaiters.splice(0)) wake();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  /** The documents of a collection that a majority has, in order of insertion. */
  durable(collection: string): Document[] {
    return [...(this.#majority.get(collection)?.values() ?? [])];
  }

  /** Replicates every write and ends the faults that wait. */
  heal(): void {
    this.#replicate();
    for (const { run } of this.#later.splice(0)) run();
    this.#replicate();
  }

  /** From now on the primary's writes reach no other node, until it steps down or the set heals. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Rolls back what only the primary has, and elects another one. */
  stepDown(): void {
    this.#stepDown();
  }

  /** The connections to every node break, and no node is primary until the set heals. */
  leaveWithoutPrimary(): void {
    this.#become(null);
    this.#later.push({ tick: Number.POSITIVE_INFINITY, run: () => this.#become(0) });
  }

  #serve(node: number, socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    serveWire(socket, (command) => this.#answer(node, command));
  }

  async #answer(node: number, command: Document): Promise<Answer> {
    const [name = ''] = Object.keys(command);
    if (/^(hello|ismaster)$/i.test(name)) return this.#hello(node, command);
    this.#advance();
    if (name === 'endSessions' || name === 'ping' || name === 'killCursors') return { ok: 1 };
    if (node !== this.#primary) return this.#refusal(node);
    if (name === 'createIndexes') return this.#createIndexes(command);
    if (name === 'find') return this.#find(command);
    if (name === 'insert') return this.#insert(node, command);
    return { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: `the fake replica set does not know ${name}` };
  }

  async #hello(node: number, { topologyVersion, maxAwaitTimeMS }: Document): Promise<Document> {
    if (topologyVersion && Number(topologyVersion.counter) === this.#counter()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Number(maxAwaitTimeMS ?? 0));
        this.#helloWaiters.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    const isPrimary = node === this.#primary;
    const primary = this.#primary === null ? {} : { primary: this.#hosts()[this.#primary] };
    return {
      ok: 1,
      helloOk: true,
      isWritablePrimary: isPrimary,
      ismaster: isPrimary,
      secondary: !isPrimary,
      setName: 'fake',
      setVersion: 1,
      hosts: this.#hosts(),
      me: this.#hosts()[node],
      ...primary,
      ...(isPrimary ? { electionId: ObjectId.createFromTime(this.#term) } : {}),
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      logicalSessionTimeoutMinutes: 30,
      minWireVersion: 0,
      maxWireVersion: 25,
      localTime: new Date(),
      ...this.#version(node),
    };
  }

  async #find(command: Document): Promise<Document> {
    const isMajority = command['readConcern']?.level === 'majority';
    const found = find(isMajority ? this.#majority : this.#local, command);
    if (this.#isHeld && this.#random() < READ_OUTLIVES_PRIMARY) {
      // A read outlives its primary: the answer arrives when the driver knows the next one.
      this.#stepDown();
      await new Promise<void>((resolve) => this.#after(resolve));
    }
    return { ok: 1, cursor: { id: Long.ZERO, ns: `fake.${command['find']}`, firstBatch: found } };
  }

  #createIndexes({ createIndexes: collection, indexes }: Document): Document {
    const unique = (indexes as Document[]).filter((index) => index['unique']).map(({ key }) => Object.keys(key));
    this.#unique.set(collection, [...(this.#unique.get(collection) ?? []), ...unique]);
    return { ok: 1 };
  }

  async #insert(node: number, command: Document): Promise<Answer> {
    this.counts.writes++;
    const fault = this.#isHeld || this.#random() >= this.#settings.rate ? null : this.#fault();
    if (fault !== null) this.counts.faults++;
    if (fault === 'refused') {
      this.#stepDown();
      return this.#refusal(node);
    }
    if (fault === 'late') {
      const term = this.#term;
      // An operation in progress ends with its primary.
      this.#after(() => {
        if (this.#term === term && this.#primary === node) this.#write(command, null);
      });
      return 'drop';
    }
    const { reply, length } = this.#write(command, fault === 'held' ? this.#documentsBeforeHold(command) : null);
    if (fault === 'held') this.#after(() => (this.#random() < 0.5 ? this.#replicate() : this.#stepDown()));
    if (fault === 'lost') return 'drop';
    if (fault === 'silent') return 'silent';
    if (fault === 'slow') await new Promise<void>((resolve) => this.#after(resolve));
    // A server may answer a write that changed nothing before the writes of others are durable.
    if (reply['n'] === 0 && this.#random() < 0.5) return reply;
    if (await this.#isDurable(length)) return reply;
    return this.#unknown(node, reply);
  }

  /** The answers to a write that a step-down interrupted. */
  #unknown(node: number, reply: Document): Answer {
    const chance = this.#random();
    if (chance < 0.3) return 'drop';
    if (chance < 0.6) return { ...INTERRUPTED, ...this.#version(node) };
    return { ...reply, writeConcernError: STEPPED_DOWN, ...this.#version(node) };
  }

  #documentsBeforeHold({ documents }: Document): number {
    return Math.floor(this.#random() * (documents as Document[]).length);
  }

  /** Inserts in order up to the first duplicate. @param replicatedOf documents before the hold; null for no hold. */
  #write(command: Document, replicatedOf: number | null): { readonly reply: Document; readonly length: number } {
    const { insert: collection, documents } = command as { insert: string; documents: Document[] };
    let n = 0;
    for (const document of documents) {
      if (n === replicatedOf) this.#isHeld = true;
      const refused = this.#duplicate(collection, document, n);
      if (refused) return { reply: { ok: 1, n, writeErrors: [refused] }, length: this.#log.length };
      const entry = { collection, key: keyOf(document['_id']), document };
      this.#log.push(entry);
      apply(this.#local, entry);
      if (!this.#isHeld) this.#replicate();
      n++;
    }
    return { reply: { ok: 1, n }, length: this.#log.length };
  }

  #duplicate(collection: string, document: Document, index: number): Document | null {
    const others = this.#local.get(collection);
    const refusal = (fields: readonly string[], name: string) => ({
      index,
      code: 11000,
      keyPattern: Object.fromEntries(fields.map((field) => [field, 1])),
      errmsg: `E11000 duplicate key error collection: fake.${collection} index: ${name} dup key: {}`,
    });
    if (others?.has(keyOf(document['_id']))) return refusal(['_id'], '_id_');
    for (const fields of this.#unique.get(collection) ?? []) {
      if (fields.some((field) => document[field] === undefined)) continue;
      const isTaken = [...(others?.values() ?? [])].some((other) => fields.every((f) => other[f] === document[f]));
      if (isTaken) return refusal(fields, fields.map((field) => `${field}_1`).join('_'));
    }
    return null;
  }

  #isDurable(length: number): Promise<boolean> {
    if (this.#replicated >= length) return Promise.resolve(true);
    return new Promise((settle) => this.#waiters.push({ length, settle }));
  }

  #replicate(): void {
    for (const entry of this.#log.slice(this.#replicated)) apply(this.#majority, entry);
    this.#replicated = this.#log.length;
    this.#isHeld = false;
    for (const { settle } of this.#waiters.splice(0)) settle(true);
  }

  /** The next primary has what a majority has; the rest is rolled back. */
  #stepDown(): void {
    this.counts.stepDowns++;
    this.counts.rolledBack += this.#log.length - this.#replicated;
    this.#log.length = this.#replicated;
    this.#local = new Map([...this.#majority].map(([name, documents]) => [name, new Map(documents)]));
    this.#isHeld = false;
    const before = this.#primary ?? 0;
    const next = (before + 1 + Math.floor(this.#random() * (NODES - 1))) % NODES;
    const isElectionLong = this.#random() < 0.3;
    this.#become(isElectionLong ? null : next);
    if (isElectionLong) this.#after(() => this.#become(next));
    for (const { settle } of this.#waiters.splice(0)) settle(false);
  }

  #become(primary: number | null): void {
    this.#primary = primary;
    this.#term++;
    for (const wake of this.#helloWaiters.splice(0)) wake();
  }

  #fault(): ReplicaFault {
    const weighted = REPLICA_FAULTS.map((name) => ({ name, weight: this.#settings.weights?.[name] ?? 1 }));
    let at = this.#random() * weighted.reduce((sum, { weight }) => sum + weight, 0);
    for (const { name, weight } of weighted) {
      if (at < weight) return name;
      at -= weight;
    }
    return 'refused';
  }

  #after(run: () => void): void {
    this.#later.push({ tick: this.#tick + 1 + Math.floor(this.#random() * MAX_TICKS), run });
  }

  #advance(): void {
    this.#tick++;
    const due = this.#later.filter(({ tick }) => tick <= this.#tick);
    this.#later = this.#later.filter(({ tick }) => tick > this.#tick);
    for (const { run } of due) run();
  }

  #refusal(node: number): Document {
    return { ...NOT_PRIMARY, ...this.#version(node) };
  }

  #version(node: number): Document {
    return { topologyVersion: { processId: this.#processIds[node], counter: Long.fromNumber(this.#counter()) } };
  }

  #counter(): number {
    return this.#term;
  }

  #hosts(): string[] {
    return this.#ports.map((port) => `127.0.0.1:${port}`);
  }
}
