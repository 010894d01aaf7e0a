// Run once by mongosh as the root user (docker-compose.yml, service mongo-init); running it again changes nothing. Makes
// the replica set, the roles, and the user that every process of the service connects as.
//
// eas-service: reads and writes the service's own database.
// eas-worm: in the write-once database it may insert and read, and neither update nor delete: a record, once written,
// stays as it is for this user. Two collections there are bookkeeping and no evidence, and are updated: worm_segments
// (how much room is reserved) and worm_index (where a record lies; it can be built again from the segments).

/* global db, rs, process, sleep, print */

const SERVICE_DATABASE = 'eas';
const WORM_DATABASE = 'eas_worm';
const READ = ['find', 'listCollections', 'listIndexes', 'collStats', 'dbStats'];
const GROW = ['insert', 'createCollection', 'createIndex'];
// eas-retention: beside reading, it may take away: blobs and segments that were disposed of, and the content of ledger rows.
const TAKE_AWAY = ['update', 'remove', 'dropCollection'];
const BOOKKEEPING = ['worm_segments', 'worm_index'];
// Written to by the service itself whoever opens its segments: large content, its catalogue, who wants it kept, the folder or
// bucket that holds the bytes where they lie outside, and keys and places of the objects of a bucket.
const BLOBS = ['blobs', 'blob_claims', 'worm_blobs.files', 'worm_blobs.chunks', 'worm_store', 'worm_keys', 'worm_places'];
const rotatorPassword = process.env.EAS_MONGO_ROTATOR_PASSWORD;
const inWorm = (collection, actions) => ({ resource: { db: WORM_DATABASE, collection }, actions });

const ROLES = [
  { role: 'eas-service', privileges: [], roles: [{ role: 'readWrite', db: SERVICE_DATABASE }] },
  {
    role: 'eas-worm',
    privileges: [
      // With a rotator the service inserts into the segments alone that eas-worm-segments names.
      inWorm('', rotatorPassword ? READ : [...READ, ...GROW]),
      ...BLOBS.map((collection) => inWorm(collection, [...READ, ...GROW])),
      ...BOOKKEEPING.map((collection) => inWorm(collection, [...READ, ...GROW, 'update'])),
    ],
    roles: [],
  },
];

const RETENTION_ROLE = {
  role: 'eas-retention',
  privileges: [
    { resource: { db: WORM_DATABASE, collection: '' }, actions: [...READ, ...TAKE_AWAY] },
    { resource: { db: SERVICE_DATABASE, collection: 'ledger' }, actions: ['find', 'update'] },
  ],
  roles: [],
};

// eas-worm-segments: the service's right to insert into open segments; empty at first, kept by the rotator from then on.
const SEGMENT_ROLE = { role: 'eas-worm-segments', privileges: [], roles: [] };
// eas-rotator: opens segments, and gives and takes the right to insert into them. It reads and writes no record.
const ROTATOR_ROLE = {
  role: 'eas-rotator',
  privileges: [inWorm('', ['listCollections', 'createCollection', 'grantRole', 'revokeRole'])],
  roles: [],
};

function becomePrimary() {
  try {
    rs.status();
  } catch (error) {
    if (error.codeName !== 'NotYetInitialized') throw error;
    rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] });
  }
  for (let tries = 0; !db.hello().isWritablePrimary; tries++) {
    if (tries > 60) throw new Error('the replica set has no primary');
    sleep(1000);
  }
}

function makeRoles(admin) {
  if (!admin.getRole(SEGMENT_ROLE.role)) admin.createRole(SEGMENT_ROLE);
  for (const { role, privileges, roles } of [...ROLES, RETENTION_ROLE, ROTATOR_ROLE]) {
    if (admin.getRole(role)) admin.updateRole(role, { privileges, roles });
    else admin.createRole({ role, privileges, roles });
  }
}

function makeUser(admin, user, pwd, held) {
  const roles = held.map(({ role }) => ({ role, db: 'admin' }));
  if (admin.getUser(user)) admin.updateUser(user, { pwd, roles });
  else admin.createUser({ user, pwd, roles });
}

becomePrimary();
const admin = db.getSiblingDB('admin');
makeRoles(admin);
makeUser(admin, 'eas', process.env.EAS_MONGO_PASSWORD, [...ROLES, SEGMENT_ROLE]);
// Only where a password is given: without it the service's own user does what it may, and a disposal of blobs fails.
const retentionPassword = process.env.EAS_MONGO_RETENTION_PASSWORD;
if (retentionPassword) makeUser(admin, 'eas-retention', retentionPassword, [RETENTION_ROLE]);
// With it the right to insert into segments is given one by one; the service, started with MONGODB_ROTATOR_URI, asks for
// that of the segments which are open already when it first writes to them.
if (rotatorPassword) makeUser(admin, 'eas-rotator', rotatorPassword, [ROTATOR_ROLE]);
print('replica set, roles and user are ready');
