import { decodeStored } from '../bson/decode.js';
import { encodeDocument } from '../bson/encode.js';
import { BsonDoc } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import type { ServerContext } from '../commands/command.js';
import { CollectionScan } from '../exec/collection-scan.js';
import { type Credentials, mechanism } from './scram.js';

/** Users are documents of `admin.system.users`, in the form MongoDB gives them. */
const home = { db: 'admin', name: 'system.users' } as const;

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
  const collection = catalog.get(home.db, home.name);
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

/** Stores a user, in place of the one of that name if there is one; must run inside a write group. */
export function putUser(parts: Parts, doc: BsonDoc, before: StoredUser | undefined): void {
  const collection = parts.catalog.getOrCreate(home.db, home.name);
  const raw = encodeDocument(doc);
  if (before) parts.store.replace(collection, before.rid, before.raw, raw);
  else parts.store.insert(collection, raw);
}

export function removeUser(parts: Parts, user: StoredUser): void {
  const collection = parts.catalog.get(home.db, home.name);
  if (collection) parts.store.remove(collection, user.rid, user.raw);
}

export function credentialsIn(doc: BsonDoc | undefined): Credentials | undefined {
  const all = doc?.get('credentials');
  const kept = all instanceof BsonDoc ? all.get(mechanism) : undefined;
  if (!(kept instanceof BsonDoc)) return undefined;
  const [salt, storedKey, serverKey] = [kept.get('salt'), kept.get('storedKey'), kept.get('serverKey')];
  const iterationCount = asNumber(kept.get('iterationCount'));
  if (typeof salt !== 'string' || typeof storedKey !== 'string' || typeof serverKey !== 'string') return undefined;
  return iterationCount === undefined ? undefined : { iterationCount, salt, storedKey, serverKey };
}

/** Every user may do everything: the one role there is. */
export const rootRole = { role: 'root', db: 'admin' } as const;

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
    credentials: { [mechanism]: credentials },
    ...(customData === undefined ? {} : { customData }),
    roles: [rootRole],
  });
}
