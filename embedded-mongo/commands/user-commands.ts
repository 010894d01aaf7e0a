import { Binary } from 'bson';
import { credentialsOf, mechanism } from '../auth/scram.js';
import {
  allUsers,
  credentialsIn,
  findUser,
  putUser,
  removeUser,
  rootRole,
  type UserName,
  userDocument,
} from '../auth/users.js';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import { MongoError } from '../errors.js';
import type { CommandRequest } from '../wire/request.js';
import { arrayArgument, booleanArgument, docArgument, stringArgument } from './arguments.js';
import type { Command, ServerContext } from './command.js';
import { okReply } from './ok-reply.js';

const createUser: Command = {
  name: 'createUser',
  options: ['pwd', 'roles', 'mechanisms', 'customData', 'digestPassword'],
  run: async ({ context, request }) => {
    const { body } = request;
    const name = nameOf(request);
    requireMechanisms(body);
    if (!body.has('roles'))
      throw new MongoError(40414, "BSON field 'createUser.roles' is missing but a required field");
    requireRoot(body, request.db);
    const credentials = await credentialsOf(passwordOf(body), context.system.randomBytes);
    const doc = userDocument(name, newUserId(context), credentials, docArgument(body, 'customData'));
    await context.writes.run(() => {
      if (findUser(context, name)) throw new MongoError(51003, `User "${name.user}@${name.db}" already exists`);
      putUser(context, doc, undefined);
    });
    return okReply();
  },
};

const updateUser: Command = {
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

const dropUser: Command = {
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

const usersInfo: Command = {
  name: 'usersInfo',
  options: ['showCredentials'],
  run: ({ context, request: { body, db } }) => {
    const wanted = wantedUsers(body.values[0], db);
    const showCredentials = booleanArgument(body, 'showCredentials');
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
    throw new MongoError(
      'BadValue',
      'usersInfo takes 1, a name, { user, db }, { forAllDBs: true } or an array of names',
    );
  return (doc) => doc.get('db') === db;
}

function described(doc: BsonDoc, showCredentials: boolean): BsonDoc {
  const shown = new BsonDoc();
  for (const [key, value] of doc) if (showCredentials || key !== 'credentials') shown.append(key, value);
  for (const [key, value] of BsonDoc.of({ mechanisms: [mechanism] })) shown.append(key, value);
  return shown;
}

function nameOf({ body, db, name }: CommandRequest): UserName {
  const user = body.values[0];
  if (typeof user !== 'string' || user === '') throw new MongoError('BadValue', `${name} takes the name of a user`);
  return { user, db };
}

/**
 * Passwords go through SASLprep (RFC 4013) on the client's side of SCRAM-SHA-256. It leaves printable ASCII as it is;
 * anything else is refused, for without the same preparation here nobody could log in with it.
 */
function passwordOf(body: BsonDoc): string {
  if (body.has('digestPassword') && !booleanArgument(body, 'digestPassword')) {
    throw new MongoError('BadValue', 'Use of SCRAM-SHA-256 requires undigested passwords');
  }
  const password = stringArgument(body, 'pwd');
  if (!password) throw new MongoError('BadValue', 'the password (pwd) must not be empty');
  if (!/^[\x20-\x7e]+$/.test(password)) {
    throw new MongoError('BadValue', 'passwords may only hold printable ASCII characters here');
  }
  return password;
}

function requireMechanisms(body: BsonDoc): void {
  const wanted = arrayArgument(body, 'mechanisms') ?? [mechanism];
  for (const one of wanted) {
    if (one !== mechanism)
      throw new MongoError('BadValue', `the mechanism ${String(one)} is not supported, only ${mechanism}`);
  }
}

/** Finer roles would be promises that nothing keeps. */
function requireRoot(body: BsonDoc, db: string): void {
  const roles = arrayArgument(body, 'roles') ?? [];
  const isRoot = (role: BsonValue) =>
    role instanceof BsonDoc
      ? role.get('role') === rootRole.role && role.get('db') === 'admin'
      : role === 'root' && db === 'admin';
  if (roles.length === 1 && roles.every(isRoot)) return;
  throw new MongoError(
    'RoleNotFound',
    'the only role here is { role: "root", db: "admin" }: every user may do everything',
  );
}

function unknownUser({ user, db }: UserName): MongoError {
  return new MongoError('UserNotFound', `User '${user}@${db}' not found`);
}

function newUserId({ system }: ServerContext): Binary {
  const bytes = system.randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return new Binary(bytes, Binary.SUBTYPE_UUID);
}

export const userCommands: readonly Command[] = [createUser, updateUser, dropUser, usersInfo];
