// Run once by mongosh as the root user (docker-compose.yml, service mongo-init); running it again changes nothing. Makes
// the replica set, the two roles, and the user that every process of the service connects as.
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
const BOOKKEEPING = ['worm_segments', 'worm_index'];

const ROLES = [
  { role: 'eas-service', privileges: [], roles: [{ role: 'readWrite', db: SERVICE_DATABASE }] },
  {
    role: 'eas-worm',
    privileges: [
      { resource: { db: WORM_DATABASE, collection: '' }, actions: [...READ, ...GROW] },
      ...BOOKKEEPING.map((collection) => ({
        resource: { db: WORM_DATABASE, collection },
        actions: [...READ, ...GROW, 'update'],
      })),
    ],
    roles: [],
  },
];

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
  for (const { role, privileges, roles } of ROLES) {
    if (admin.getRole(role)) admin.updateRole(role, { privileges, roles });
    else admin.createRole({ role, privileges, roles });
  }
}

function makeUser(admin, user, pwd) {
  const roles = ROLES.map(({ role }) => ({ role, db: 'admin' }));
  if (admin.getUser(user)) admin.updateUser(user, { pwd, roles });
  else admin.createUser({ user, pwd, roles });
}

becomePrimary();
const admin = db.getSiblingDB('admin');
makeRoles(admin);
makeUser(admin, 'eas', process.env.EAS_MONGO_PASSWORD);
print('replica set, roles and user are ready');
