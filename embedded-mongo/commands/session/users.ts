import { Binary } from 'bson';
import { credentialsOf, MECHANISM } from '../../auth/scram.js';
import {
  allUsers,
  credentialsIn,
  findUser,
  putUser,
  ROOT_ROLE,
  removeUser,
  type UserName,
  userDocument,
} from '../../auth/users.js';
import { asNumber } from '../../bson/number.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import { fail, MongoError } from '../../errors.js';
import type { CommandRequest } from '../../wire/op-msg.js';
import * as arg from '../arguments.js';
import { type Command, missingField, okReply, type ServerContext } from '../command.js';

const CREATE_USER: Command = {
  name: 'createUser',
  options: ['pwd', 'roles', 'mechanisms', 'customData', 'digestPassword'],
  run: async ({ context, request }) => {
    const { body } = request;
    const name = nameOf(request);
    requireMechanisms(body);
    if (!body.has('roles')) missingField('createUser.roles');
    requireRoot(body, request.db);
    const credentials = await credentialsOf(passwordOf(body), context.system.randomBytes);
    const doc = userDocument(name, newUserId(context), credentials, arg.doc(body, 'customData'));
    await context.writes.run(() => {
      if (findUser(context, name)) fail(51003, `User "${name.user}@${name.db}" already exists`);
      putUser(context, doc, undefined);
    });
    return okReply();
  },
};

const UPDATE_USER: Command = {
  name: 'updateUser',
  options: ['pwd', 'roles', 'mechanisms', 'customData', 'digestPassword'],
  run: async ({ context, request }) => {
    const { body } = request;
    const name = nameOf(request);
    requireMechanisms(body);
    if (body.has('roles')) requireRoot(body, request.db);
    const fresh = body.has('pwd') ? await credentialsOf(passwordOf(body), context.system.randomBytes) : undefined;
    await context.writes.run(() => {
      const before = findUser(context, name);
      const credentials = fresh ?? credentialsIn(before?.doc);
      if (!before || !credentials) throw unknownUser(name);
      const customData = body.get('customData') ?? before.doc.get('customData');
      putUser(context, userDocument(name, before.doc.get('userId'), credentials, customData), before);
    });
    return okReply();
  },
};

const DROP_USER: Command = {
  name: 'dropUser',
  options: [],
  run: async ({ context, request }) => {
    const name = nameOf(request);
    await context.writes.run(() => {
      const found = findUser(context, name);
      if (!found) throw unknownUser(name);
      removeUser(context, found);
    });
    return okReply();
  },
};

const USERS_INFO: Command = {
  name: 'usersInfo',
  options: ['showCredentials'],
  run: ({ context, request: { body, db } }) => {
    const wanted = wantedUsers(body.values[0], db);
    const showCredentials = arg.boolean(body, 'showCredentials');
    const users = allUsers(context)
      .map(({ doc }) => doc)
      .filter(wanted)
      .map((doc) => described(doc, showCredentials));
    return okReply({ users });
  },
};

/** 1 for the database's users, a name, `{ user, db }`, `{ forAllDBs: true }`, or an array of names. */
function wantedUsers(value: BsonValue | undefined, db: string): (doc: BsonDoc) => boolean {
  if (Array.isArray(value)) {
    const any = value.map((one) => wantedUsers(one, db));
    return (doc) => any.some((wanted) => wanted(doc));
  }
  if (typeof value === 'string') return (doc) => doc.get('user') === value && doc.get('db') === db;
  if (value instanceof BsonDoc) {
    if (value.has('forAllDBs')) return () => true;
    return (doc) => doc.get('user') === value.get('user') && doc.get('db') === value.get('db');
  }
  if (value === null || value === undefined || asNumber(value) !== 1)
    fail('BadValue', 'usersInfo takes 1, a name, { user, db }, { forAllDBs: true } or an array of names');
  return (doc) => doc.get('db') === db;
}

function described(doc: BsonDoc, showCredentials: boolean): BsonDoc {
  const shown = new BsonDoc();
  for (const [key, value] of doc) if (showCredentials || key !== 'credentials') shown.append(key, value);
  return shown.appendAll({ mechanisms: [MECHANISM] });
}

function nameOf({ body, db, name }: CommandRequest): UserName {
  const user = body.values[0];
  if (typeof user !== 'string' || user === '') fail('BadValue', `${name} takes the name of a user`);
  return { user, db };
}

/**
 * Clients of SCRAM-SHA-256 prepare passwords with SASLprep (RFC 4013), which leaves printable ASCII unchanged. The
 * server has no SASLprep, so it rejects other characters.
 */
function passwordOf(body: BsonDoc): string {
  if (body.has('digestPassword') && !arg.boolean(body, 'digestPassword'))
    fail('BadValue', 'Use of SCRAM-SHA-256 requires undigested passwords');
  const password = arg.string(body, 'pwd');
  if (!password) fail('BadValue', 'the password (pwd) must not be empty');
  if (!/^[\x20-\x7e]+$/.test(password)) fail('BadValue', 'passwords may contain only printable ASCII characters');
  return password;
}

function requireMechanisms(body: BsonDoc): void {
  const wanted = arg.array(body, 'mechanisms') ?? [MECHANISM];
  for (const one of wanted) {
    if (one !== MECHANISM) fail('BadValue', `the mechanism ${String(one)} is not supported, only ${MECHANISM}`);
  }
}

/** The server enforces no finer roles, so it rejects them. */
function requireRoot(body: BsonDoc, db: string): void {
  const roles = arg.array(body, 'roles') ?? [];
  const isRoot = (role: BsonValue) =>
    role instanceof BsonDoc
      ? role.get('role') === ROOT_ROLE.role && role.get('db') === 'admin'
      : role === 'root' && db === 'admin';
  if (roles.length === 1 && roles.every(isRoot)) return;
  fail('RoleNotFound', 'the only role is { role: "root", db: "admin" }');
}

function unknownUser({ user, db }: UserName): MongoError {
  return new MongoError('UserNotFound', `User '${user}@${db}' not found`);
}

function newUserId({ system }: ServerContext): Binary {
  const bytes = system.randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return new Binary(bytes, Binary.SUBTYPE_UUID);
}

export const USER_COMMANDS: readonly Command[] = [CREATE_USER, UPDATE_USER, DROP_USER, USERS_INFO];
