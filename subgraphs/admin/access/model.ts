import type { Db } from 'mongodb';
import { OPERATOR_SCOPE } from '../../../shared/auth/scopes.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import { type DeclaredCollection, declareCollection } from '../../../shared/records/collections.js';
import { RowStore, type RowStoreDeps } from '../../../shared/records/row-store.js';
import type { AdminEffect } from '../parts.js';
import type { Reach } from '../tenants/domain.js';
import type { ApiKeyStatus } from './domain/api-key-status.js';
import type {
  ActorChange,
  ActorName,
  ActorNames,
  ActorRecord,
  ActorStore,
  ApiKeys,
  ApiKeysInReach,
  RoleRecord,
  RoleStore,
  RolesInReach,
  StoredApiKey,
} from './ports.js';

/** The filter of the rows in reach; every read and change starts with it. */
const withinReach = (reach: Reach): object => (reach === ANY_TENANT ? {} : { tenant_id: reach });

const BY_CREATION = [[{ tenant_id: 1, created_at: -1, _id: -1 }], [{ created_at: -1, _id: -1 }]] as const;

export const ACTOR_COLLECTION = declareCollection(
  'actors',
  ...BY_CREATION,
  [{ tenant_id: 1, role_ids: 1 }],
  [{ tenant_id: 1, subject: 1 }],
  [{ tenant_id: 1, email: 1 }],
  PENDING_INDEX,
);

/** Actors of earlier versions lack these members. */
const ACTOR_DEFAULTS = { email: null, subject: null } as const;

/** @param committed called after each commit. */
export function actorStore(deps: RowStoreDeps, committed: () => void): ActorStore {
  const rows = new RowStore<ActorRecord>(deps, {
    collection: ACTOR_COLLECTION,
    id: 'actor_id',
    defaults: ACTOR_DEFAULTS,
    committed,
  });
  return {
    insert: (actor, pending) => rows.insert(actor, pending),
    within: (reach) => ({
      ...rows.reader(withinReach(reach)),
      change: (actorId, { from, set, addRole, removeRole, pending }) =>
        rows.update(
          [withinReach(reach), { _id: actorId }, ...conditionsOf(from)],
          {
            $set: set,
            ...(addRole === undefined ? {} : { $push: { role_ids: addRole } }),
            ...(removeRole === undefined ? {} : { $pull: { role_ids: removeRole } }),
          },
          pending,
        ),
    }),
    isRoleHeld: (tenantId, roleId) => rows.exists({ tenant_id: tenantId, role_ids: roleId }),
    async ofPerson(tenantId, { subject, email }) {
      const bySubject = await rows.find({ tenant_id: tenantId, subject });
      if (bySubject.length > 0 || email === null) return bySubject;
      return rows.find({ tenant_id: tenantId, email: email.toLowerCase(), subject: null });
    },
  };
}

/** Reads actors and keys; a tenant's own, and never those of the operator. */
export const actorNames =
  (db: Db): ActorNames =>
  async (tenant_id, ids) => {
    const filter = { tenant_id, _id: { $in: [...ids] } };
    const projection = { name: 1, kind: 1 } as const;
    const rowsIn = ({ name }: DeclaredCollection) =>
      db.collection<NamedDocument>(name).find(filter, { projection }).toArray();
    const [actors, keys] = await Promise.all([rowsIn(ACTOR_COLLECTION), rowsIn(API_KEY_COLLECTION)]);
    return new Map<string, ActorName>([
      ...keys.map(({ _id, name }) => [_id, { name, kind: 'KEY' as const }] as const),
      ...actors.map(({ _id, name, kind }) => [_id, { name, kind }] as const),
    ]);
  };

type NamedDocument = { readonly _id: string; readonly tenant_id: string } & Pick<ActorRecord, 'name' | 'kind'>;

const conditionsOf = ({ status, hasRole, lacksRole }: ActorChange['from']): object[] => [
  ...(status === undefined ? [] : [{ status }]),
  ...(hasRole === undefined ? [] : [{ role_ids: hasRole }]),
  ...(lacksRole === undefined ? [] : [{ role_ids: { $ne: lacksRole } }]),
];

/** `live_name` is the name while the role exists: deleting a role frees its name. */
export const ROLE_COLLECTION = declareCollection(
  'roles',
  [
    { tenant_id: 1, live_name: 1 },
    { unique: true, partialFilterExpression: { live_name: { $exists: true } } },
  ],
  ...BY_CREATION,
  PENDING_INDEX,
);

const EXISTING = { live_name: { $exists: true } } as const;

/** @param committed called after each commit. */
export function roleStore(deps: RowStoreDeps, committed: () => void): RoleStore {
  const options = { collection: ROLE_COLLECTION, id: 'role_id', hidden: ['live_name'], committed } as const;
  const rows = new RowStore<RoleRecord>(deps, options);
  return {
    insert: (role, pending) => rows.insert(role, pending, { live_name: role.name }),
    within: (reach) => rolesInReach(rows, reach),
    scopesOf: async (tenantId, roleIds) =>
      roleIds.length === 0 ? [] : rows.find({ tenant_id: tenantId, _id: { $in: [...roleIds] } }, EXISTING),
  };
}

function rolesInReach(rows: RowStore<RoleRecord>, reach: Reach): RolesInReach {
  const existing = (roleId: string) => [withinReach(reach), { _id: roleId }, EXISTING];
  return {
    get: (roleId) => rows.findOne(...existing(roleId)),
    list: (query) => rows.list(query, withinReach(reach), EXISTING),
    change(roleId, { set, deleted = false, pending }) {
      const names = set.name === undefined ? {} : { live_name: set.name };
      const change = deleted ? { $set: set, $unset: { live_name: '' } } : { $set: { ...set, ...names } };
      return rows.updateUnique(existing(roleId), change, pending);
    },
  };
}

/** Members with a partial unique index: absent in the document instead of null. */
const SPARSE = ['lookup_id', 'bootstrap_round'] as const;

const sparse = (name: (typeof SPARSE)[number]) =>
  [{ [name]: 1 }, { unique: true, partialFilterExpression: { [name]: { $exists: true } } }] as const;

export const API_KEY_COLLECTION = declareCollection(
  'api_keys',
  [{ key_hmac: 1 }, { unique: true }],
  ...SPARSE.map(sparse),
  ...BY_CREATION,
  [{ tenant_id: 1, role_ids: 1 }],
  PENDING_INDEX,
);

/** Keys of earlier versions lack some of these members. */
const DEFAULTS = {
  role_ids: [],
  actor_id: null,
  allowed_cidrs: [],
  grace_ends_at: null,
  rotated_to: null,
  rotated_from: null,
  last_used_address: null,
} as const;

type KeyRows = RowStore<StoredApiKey, AdminEffect>;

/** @param committed called after each commit with the key. */
export function apiKeyStore(deps: RowStoreDeps, committed: (key: StoredApiKey) => void): ApiKeys {
  const options = { collection: API_KEY_COLLECTION, id: 'key_id', defaults: DEFAULTS, sparse: SPARSE } as const;
  const rows: KeyRows = new RowStore(deps, { ...options, committed });
  return {
    insert: (key, pending) => rows.insert(key, pending),
    async insertSuccessor({ document }) {
      const duplicate = await rows.insertDocument(document);
      if (duplicate !== null && !duplicate.fields.includes('_id')) throw new Error('a unique value of a key is taken');
    },
    within: (reach) => keysInReach(rows, reach),
    byLookupId: async (lookup_id) => (await rows.findOne({ lookup_id })) ?? undefined,
    byHmac: async (key_hmac) => (await rows.findOne({ key_hmac })) ?? undefined,
    hasOtherLiveOperatorKey: (keyId, nowMs) =>
      rows.exists(OPERATOR_KEYS, liveFilter(nowMs), ...(keyId === null ? [] : [{ _id: { $ne: keyId } }])),
    async lastBootstrapRound() {
      const last = await rows.documents.findOne(
        { bootstrap_round: { $exists: true } },
        { sort: { bootstrap_round: -1 } },
      );
      return last === null ? 0 : (rows.rowOf(last).bootstrap_round ?? 0);
    },
    isRoleHeld: (tenantId, roleId, nowMs) => rows.exists({ tenant_id: tenantId, role_ids: roleId }, liveFilter(nowMs)),
    async markUsed(uses) {
      const updates = [...uses].map(([keyId, { at, address }]) => ({
        updateOne: {
          filter: { _id: keyId, $or: [{ last_used_at: null }, { last_used_at: { $lt: at } }] },
          update: { $set: { last_used_at: at, last_used_address: address } },
        },
      }));
      await rows.documents.bulkWrite(updates, { ordered: false });
    },
  };
}

function keysInReach(rows: KeyRows, reach: Reach): ApiKeysInReach {
  const one = (keyId: string) => [withinReach(reach), { _id: keyId }];
  return {
    get: (keyId) => rows.findOne(...one(keyId)),
    among: (keyIds) => rows.among(keyIds, withinReach(reach)),
    list: ({ where: { status, ...where }, ...window }, nowMs) =>
      rows.list(
        { ...window, where },
        withinReach(reach),
        ...(typeof status === 'string' ? [statusFilter(status, nowMs)] : []),
      ),
    change(keyId, { from, set, successor, pending }) {
      const condition = from.activeAtMs === undefined ? { revoked_at: null } : statusFilter('ACTIVE', from.activeAtMs);
      const insertion = successor && ({ id: successor.key_id, kind: 'successor-key' } as const);
      const inserted = insertion ? [{ ...insertion, document: rows.documentOf(successor, []) }] : [];
      return rows.update([...one(keyId), condition], { $set: set }, [...inserted, ...pending]);
    },
  };
}

/** Keys that give an operator access: without an actor, because an actor could be suspended. */
const OPERATOR_KEYS = { tenant_id: ANY_TENANT, scopes: OPERATOR_SCOPE, actor_id: null } as const;

const isOpenAt = (field: 'expires_at' | 'grace_ends_at', now: Date) => ({
  $or: [{ [field]: null }, { [field]: { $gt: now } }],
});

/** ACTIVE or ROTATING. */
function liveFilter(nowMs: number): object {
  const now = new Date(nowMs);
  return { $and: [{ revoked_at: null }, isOpenAt('expires_at', now), isOpenAt('grace_ends_at', now)] };
}

/** The filter that agrees with apiKeyStatusAt (domain/api-key-status.ts). */
function statusFilter(status: ApiKeyStatus, nowMs: number): object {
  const now = new Date(nowMs);
  switch (status) {
    case 'REVOKED':
      return { $or: [{ revoked_at: { $ne: null } }, { grace_ends_at: { $ne: null, $lte: now } }] };
    case 'ROTATING':
      return { revoked_at: null, grace_ends_at: { $gt: now } };
    case 'EXPIRED':
      return { revoked_at: null, grace_ends_at: null, expires_at: { $ne: null, $lte: now } };
    case 'ACTIVE':
      return { $and: [{ revoked_at: null, grace_ends_at: null }, isOpenAt('expires_at', now)] };
  }
}
