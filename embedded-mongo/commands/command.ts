import { Double } from 'bson';
import { asNumber } from '../bson/number.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Collection } from '../catalog/collection.js';
import { words } from '../checked-access.js';
import { fail } from '../errors.js';
import type { CursorRegistry, InsertSignal } from '../exec/cursor-registry.js';
import { firstBatch } from '../exec/cursor-reply.js';
import { ListStream } from '../exec/document-stream.js';
import { type LoopMonitor, type Operation, type OperationRegistry, TimeSlice } from '../exec/operation.js';
import type { SessionRegistry } from '../exec/session-registry.js';
import type { System } from '../server/system.js';
import type { DiskRoom } from '../store/disk-room.js';
import type { DocumentStore } from '../store/document-store.js';
import type { Environment } from '../store/environment.js';
import type { WriteQueue } from '../txn/write-queue.js';
import type { ClientConnection } from '../wire/connection.js';
import type { CommandRequest, ReplyBody } from '../wire/op-msg.js';
import type { FailPoint } from './admin/fail-point.js';
import * as arg from './arguments.js';
import { checkStableApi } from './stable-api.js';

/** The services that a command may use. */
export interface ServerContext {
  readonly system: System;
  readonly env: Environment;
  readonly catalog: Catalog;
  readonly store: DocumentStore;
  readonly writes: WriteQueue;
  readonly room: DiskRoom;
  readonly cursors: CursorRegistry;
  readonly inserted: InsertSignal;
  readonly operations: OperationRegistry;
  readonly sessions: SessionRegistry;
  readonly loop: LoopMonitor;
  readonly startedAtMs: number;
  /** Identifies this start of the server to clients that wait for a change. */
  readonly topologyVersion: BsonDoc;
  /** Derives the salts for unknown user names. */
  readonly nameSecret: Buffer;
  readonly openConnections: () => number;
  /** Whether the server also listens on TCP, where clients must log in. */
  readonly tcp: boolean;
  /** Whether indexes of kinds that are not served are accepted as declarations. */
  readonly permissiveIndexes: boolean;
  /** Set on servers started for client tests. */
  readonly failPoint: FailPoint | undefined;
  /** Runs work without a waiting caller and reports its failure. */
  readonly inBackground: (work: Promise<void>) => void;
}

export interface CommandCall {
  readonly context: ServerContext;
  readonly request: CommandRequest;
  readonly client: ClientConnection;
  readonly operation: Operation;
  /** The namespace that a cursor shows, if it differs from the one it reads (views). */
  readonly shownAs?: string;
}

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /**
   * Supported top-level arguments; every other argument is an error. `any` is for hello and currentOp, which accept all
   * arguments.
   */
  readonly options: readonly string[] | 'any';
  /** Whether a client may run it before login. */
  readonly beforeAuthentication?: true;
  run(call: CommandCall): Promise<ReplyBody> | ReplyBody;
}

/** `ok` is a double on the wire. */
export const okDouble = new Double(1);

/** A reply that ends in `ok: 1`. */
export function okReply(fields: Record<string, unknown> = {}): BsonDoc {
  return BsonDoc.of(fields).append('ok', okDouble);
}

export const MAX_WRITE_BATCH_SIZE = 100_000;

/** The documents or statements of a write command, and its options. */
export function writesOf({ request }: CommandCall, sequence: string) {
  const { body, db, name: command, sequences } = request;
  const name = arg.collection(request);
  const writes = sequences.get(sequence) ?? missingField(`${command}.${sequence}`);
  checkBatchSize(writes.length);
  const ordered = isOrdered(body);
  return { db, name, writes, ordered, bypassValidation: arg.boolean(body, 'bypassDocumentValidation') };
}

export function isOrdered(body: BsonDoc): boolean {
  return !body.has('ordered') || arg.boolean(body, 'ordered');
}

/** Rejects fields that a statement may not have. */
export function refuseUnknown(doc: BsonDoc, known: readonly string[], owner: string): void {
  const field = doc.keys.find((key) => !known.includes(key));
  if (field !== undefined) fail(40415, `BSON field '${owner}.${field}' is an unknown field`);
}

export function missingField(name: string): never {
  fail(40414, `BSON field '${name}' is missing but a required field`);
}

/** Rejects a command of the admin database that another database got. */
export function requireAdmin({ db, name }: CommandRequest): void {
  if (db !== 'admin') fail('Unauthorized', `${name} may only be run against the admin database.`);
}

function checkBatchSize(count: number): void {
  if (count >= 1 && count <= MAX_WRITE_BATCH_SIZE) return;
  fail('InvalidLength', `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH_SIZE}. Got ${count} operations.`);
}

/** Arguments that any command may carry; drivers add them. */
const GENERIC: ReadonlySet<string> = new Set(
  words(`
    $db lsid $readPreference $clusterTime comment maxTimeMS readConcern writeConcern apiVersion apiStrict
    apiDeprecationErrors`),
);

const TRANSACTIONAL: ReadonlySet<string> = new Set(words('txnNumber autocommit startTransaction stmtId stmtIds'));

export function isGenericArgument(name: string): boolean {
  return GENERIC.has(name);
}

/** Checks the parts of a request that all commands share. */
export function checkGenericArguments(command: Command, request: CommandRequest): void {
  const { body } = request;
  if (command.options === 'any') return;
  for (const name of body.keys.slice(1)) {
    if (GENERIC.has(name) || command.options.includes(name)) continue;
    if (TRANSACTIONAL.has(name))
      fail('IllegalOperation', 'Transaction numbers are only allowed on a replica set member or mongos');
    fail(40415, `BSON field '${command.name}.${name}' is an unknown field, or is not supported here`);
  }
  for (const name of request.sequences.keys()) {
    if (!command.options.includes(name)) fail(40415, `BSON field '${command.name}.${name}' is an unknown field`);
  }
  checkWriteConcern(body.get('writeConcern'));
  checkReadConcern(body.get('readConcern'));
  checkStableApi(command.name, request);
}

/** One journalled server already gives every acknowledgement that a standalone can give. */
function checkWriteConcern(value: BsonValue | undefined): void {
  if (value === undefined) return;
  if (!(value instanceof BsonDoc)) fail('TypeMismatch', "BSON field 'writeConcern' must be an object");
  for (const name of value.keys) {
    if (!['w', 'j', 'wtimeout', 'fsync', 'provenance'].includes(name))
      fail('FailedToParse', `unrecognized write concern field: ${name}`);
  }
  const w = value.get('w');
  if (w === undefined || w === 'majority') return;
  if (typeof w === 'string') fail(79, `No write concern mode named '${w}' found`);
  const members = asNumber(w);
  if (members === undefined || members < 0) fail('FailedToParse', 'w has to be a number or string');
  if (members > 1) fail('BadValue', "cannot use 'w' > 1 when a host is not replicated");
}

function checkReadConcern(value: BsonValue | undefined): void {
  if (value === undefined) return;
  if (!(value instanceof BsonDoc)) fail('TypeMismatch', "BSON field 'readConcern' must be an object");
  for (const name of value.keys) if (name !== 'level') fail(123, `readConcern.${name} needs a replica set`);
  const level = value.get('level');
  if (level === undefined || level === 'local' || level === 'majority' || level === 'available') return;
  fail(123, `readConcern level '${String(level)}' needs a replica set`);
}

export function requireCollection(context: ServerContext, db: string, name: string): Collection {
  return context.catalog.get(db, name) ?? fail('NamespaceNotFound', `ns does not exist: ${db}.${name}`);
}

/** Replies with documents in memory, as a cursor. */
export function listReply(
  { context, request, operation }: CommandCall,
  namespace: string,
  documents: readonly Buffer[],
) {
  const cursor = arg.doc(request.body, 'cursor') ?? new BsonDoc();
  const input = {
    namespace,
    stream: new ListStream(documents),
    batchSize: arg.count(cursor, 'batchSize'),
    singleBatch: false,
    noTimeout: false,
  };
  return firstBatch(context.cursors, input, new TimeSlice(context.system, operation));
}
