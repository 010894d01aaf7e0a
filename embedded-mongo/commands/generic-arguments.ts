import { BsonDoc, type BsonValue } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import { MongoError } from '../errors.js';
import type { CommandRequest } from '../wire/request.js';
import type { Command } from './command.js';

/** Arguments any command may carry; drivers add them by themselves. */
const generic: ReadonlySet<string> = new Set([
  '$db',
  'lsid',
  '$readPreference',
  '$clusterTime',
  'comment',
  'maxTimeMS',
  'readConcern',
  'writeConcern',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
]);

const transactional: ReadonlySet<string> = new Set([
  'txnNumber',
  'autocommit',
  'startTransaction',
  'stmtId',
  'stmtIds',
]);

export function isGenericArgument(name: string): boolean {
  return generic.has(name);
}

/** Checks everything of a request that is not the command's own business. */
export function checkGenericArguments(command: Command, request: CommandRequest): void {
  const { body } = request;
  if (command.options === 'any') return;
  for (const name of body.keys.slice(1)) {
    if (generic.has(name) || command.options.includes(name)) continue;
    if (transactional.has(name)) {
      throw new MongoError(
        'IllegalOperation',
        'Transaction numbers are only allowed on a replica set member or mongos',
      );
    }
    throw new MongoError(40415, `BSON field '${command.name}.${name}' is an unknown field, or is not supported here`);
  }
  for (const name of request.sequences.keys()) {
    if (!command.options.includes(name)) {
      throw new MongoError(40415, `BSON field '${command.name}.${name}' is an unknown field`);
    }
  }
  checkWriteConcern(body.get('writeConcern'));
  checkReadConcern(body.get('readConcern'));
  const version = body.get('apiVersion');
  if (version !== undefined && version !== '1') throw new MongoError(322, `API version must be "1"`);
}

/** One server, always journalled: every acknowledgement a standalone can give is already given. */
function checkWriteConcern(value: BsonValue | undefined): void {
  if (value === undefined) return;
  if (!(value instanceof BsonDoc)) throw new MongoError('TypeMismatch', "BSON field 'writeConcern' must be an object");
  for (const name of value.keys) {
    if (!['w', 'j', 'wtimeout', 'fsync', 'provenance'].includes(name)) {
      throw new MongoError('FailedToParse', `unrecognized write concern field: ${name}`);
    }
  }
  const w = value.get('w');
  if (w === undefined || w === 'majority') return;
  if (typeof w === 'string') throw new MongoError(79, `No write concern mode named '${w}' found`);
  const members = asNumber(w);
  if (members === undefined || members < 0) throw new MongoError('FailedToParse', 'w has to be a number or string');
  if (members > 1) throw new MongoError('BadValue', "cannot use 'w' > 1 when a host is not replicated");
}

function checkReadConcern(value: BsonValue | undefined): void {
  if (value === undefined) return;
  if (!(value instanceof BsonDoc)) throw new MongoError('TypeMismatch', "BSON field 'readConcern' must be an object");
  for (const name of value.keys) {
    if (name !== 'level') throw new MongoError(123, `readConcern.${name} needs a replica set`);
  }
  const level = value.get('level');
  if (level === undefined || level === 'local' || level === 'majority' || level === 'available') return;
  throw new MongoError(123, `readConcern level '${String(level)}' needs a replica set`);
}
