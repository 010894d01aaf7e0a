import { mechanism } from '../auth/scram.js';
import { findUser, rootRole } from '../auth/users.js';
import { BsonDate, BsonDoc } from '../bson/value.js';
import { MongoError } from '../errors.js';
import type { ClientConnection } from '../wire/connection.js';
import { maxMessageBytes } from '../wire/frame-reader.js';
import type { CommandRequest } from '../wire/request.js';
import { booleanArgument, maxWriteBatchSize } from './arguments.js';
import { startSasl } from './auth-commands.js';
import type { Command, ServerContext } from './command.js';
import { okReply } from './ok-reply.js';

/** The MongoDB release whose commands and answers are followed; wire version 25 belongs to it. */
export const followedVersion = '8.0.0';
export const maxWireVersion = 25;
export const maxBsonObjectBytes = 16 * 1024 * 1024;
const logicalSessionTimeoutMinutes = 30;

/**
 * A standalone: no `setName`, so drivers neither retry writes nor offer transactions. No `topologyVersion`: drivers
 * then poll instead of waiting on an exhaust hello. No `compression`: clients that ask for it go on without.
 */
const hello: Command = {
  name: 'hello',
  aliases: ['ismaster', 'isMaster'],
  options: 'any',
  beforeAuthentication: true,
  run: ({ context, request, client }) => {
    const fields = {
      helloOk: true,
      isWritablePrimary: true,
      maxBsonObjectSize: maxBsonObjectBytes,
      maxMessageSizeBytes: maxMessageBytes,
      maxWriteBatchSize,
      localTime: BsonDate.fromMs(context.system.nowMs()),
      logicalSessionTimeoutMinutes,
      connectionId: client.id,
      minWireVersion: 0,
      maxWireVersion,
      readOnly: false,
      ...authenticationFields(context, request, client),
    };
    return request.name === 'hello' ? okReply(fields) : okReply({ ismaster: true, ...fields });
  },
};

/** What a driver asks in its hello, to log in with fewer round trips. */
function authenticationFields(context: ServerContext, { body }: CommandRequest, client: ClientConnection) {
  const asked = body.get('saslSupportedMechs');
  const [db = '', ...user] = typeof asked === 'string' ? asked.split('.') : [];
  const known = typeof asked === 'string' && findUser(context, { db, user: user.join('.') }) !== undefined;
  const start = body.get('speculativeAuthenticate');
  return {
    ...(known ? { saslSupportedMechs: [mechanism] } : {}),
    ...(start instanceof BsonDoc ? { speculativeAuthenticate: speculate(context, client, start) } : {}),
  };
}

/** Left out when it cannot go on this way: the driver then begins anew and is told why. */
function speculate(context: ServerContext, client: ClientConnection, start: BsonDoc): BsonDoc | undefined {
  try {
    return okReply(startSasl(context, client, String(start.get('db') ?? 'admin'), start));
  } catch (error) {
    if (error instanceof MongoError) return undefined;
    throw error;
  }
}

const ping: Command = { name: 'ping', options: [], beforeAuthentication: true, run: () => okReply() };

const buildInfo: Command = {
  name: 'buildInfo',
  aliases: ['buildinfo'],
  options: [],
  beforeAuthentication: true,
  run: () =>
    okReply({
      version: followedVersion,
      versionArray: followedVersion.split('.').map(Number).concat(0),
      gitVersion: 'embedded-mongo',
      modules: [],
      storageEngines: ['lmdb'],
      bits: 64,
      debug: false,
      maxBsonObjectSize: maxBsonObjectBytes,
    }),
};

const endSessions: Command = { name: 'endSessions', options: [], run: () => okReply() };

const connectionStatus: Command = {
  name: 'connectionStatus',
  options: ['showPrivileges'],
  beforeAuthentication: true,
  run: ({ request, client }) => {
    const { user } = client.auth;
    const everything = { resource: { anyResource: true }, actions: ['anyAction'] };
    const privileges = booleanArgument(request.body, 'showPrivileges')
      ? { authenticatedUserPrivileges: user ? [everything] : [] }
      : {};
    return okReply({
      authInfo: {
        authenticatedUsers: user ? [{ ...user }] : [],
        authenticatedUserRoles: user ? [rootRole] : [],
        ...privileges,
      },
    });
  },
};

export const handshakeCommands: readonly Command[] = [hello, ping, buildInfo, endSessions, connectionStatus];
