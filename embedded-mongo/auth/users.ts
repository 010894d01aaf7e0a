import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Binary } from 'bson';
import { decodeStored } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { asNumber } from '../bson/number.js';
import { BsonDoc } from '../bson/value.js';
import type { ServerContext } from '../commands/command.js';
import { CollectionScan } from '../exec/scans.js';
import { FIRST_USER, PASSWORD_FILE_NAME } from '../store/data-directory.js';
import { type Credentials, credentialsOf, MECHANISM } from './scram.js';

/** Users are documents of `admin.system.users`, in the form MongoDB gives them. */
const HOME = { db: 'admin', name: 'system.users' } as const;

export interface UserName {
  readonly user: string;
  readonly db: string;
}

interface StoredUser {
  readonly rid: number;
  readonly raw: Buffer;
  readonly doc: BsonDoc;
}

type Parts = Pick<ServerContext, 'catalog' | 'store' | 'env'>;

export function allUsers({ catalog, store, env }: Parts): StoredUser[] {
  const collection = catalog.get(HOME.db, HOME.name);
  if (!collection) return [];
  const found: StoredUser[] = [];
  const scan = new CollectionScan(store, env.data, collection, 1);
  while (scan.next()) {
    const raw = Buffer.from(scan.raw);
    found.push({ rid: scan.rid, raw, doc: decodeStored(raw) });
  }
  return found;
}

export function findUser(parts: Parts, { user, db }: UserName): StoredUser | undefined {
  return allUsers(parts).find(({ doc }) => doc.get('user') === user && doc.get('db') === db);
}

/** Stores a user and replaces the user of the same name. Must run inside a write group. */
export function putUser(parts: Parts, doc: BsonDoc, before: StoredUser | undefined): void {
  const collection = parts.catalog.getOrCreate(HOME.db, HOME.name);
  const raw = encodeDocument(doc);
  if (before) parts.store.replace(collection, before.rid, before.raw, raw);
  else parts.store.insert(collection, raw);
}

export function removeUser(parts: Parts, user: StoredUser): void {
  const collection = parts.catalog.get(HOME.db, HOME.name);
  if (collection) parts.store.remove(collection, user.rid, user.raw);
}

export function credentialsIn(doc: BsonDoc | undefined): Credentials | undefined {
  const all = doc?.get('credentials');
  const kept = all instanceof BsonDoc ? all.get(MECHANISM) : undefined;
  if (!(kept instanceof BsonDoc)) return undefined;
  const [salt, storedKey, serverKey] = [kept.get('salt'), kept.get('storedKey'), kept.get('serverKey')];
  const iterationCount = asNumber(kept.get('iterationCount'));
  if (typeof salt !== 'string' || typeof storedKey !== 'string' || typeof serverKey !== 'string') return undefined;
  return iterationCount === undefined ? undefined : { iterationCount, salt, storedKey, serverKey };
}

/** Every user has the role `root`, the only one. */
export const ROOT_ROLE = { role: 'root', db: 'admin' } as const;

export function userDocument(
  { user, db }: UserName,
  userId: unknown,
  credentials: Credentials,
  customData: unknown,
): BsonDoc {
  return BsonDoc.of({
    _id: `${db}.${user}`,
    userId,
    user,
    db,
    credentials: { [MECHANISM]: credentials },
    ...(customData === undefined ? {} : { customData }),
    roles: [ROOT_ROLE],
  });
}

/** Creates the first user of a server that listens on TCP, with a random password stored in a file. */
export async function ensureFirstUser(context: ServerContext, dataDir: string): Promise<void> {
  if (allUsers(context).length > 0) return;
  const password = context.system.randomBytes(24).toString('base64url');
  // The file first: a user with an unknown password would lock out everyone.
  writeDurably(join(dataDir, PASSWORD_FILE_NAME), `${password}\n`);
  const name = { user: FIRST_USER, db: 'admin' };
  const credentials = await credentialsOf(password, context.system.randomBytes);
  const userId = new Binary(context.system.randomBytes(16), Binary.SUBTYPE_UUID);
  await context.writes.run(() => putUser(context, userDocument(name, userId, credentials, undefined), undefined));
}

function writeDurably(path: string, text: string): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
