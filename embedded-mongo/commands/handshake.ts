import { BsonDate } from '../bson/value.js';
import { maxMessageBytes } from '../wire/frame-reader.js';
import type { Command } from './command.js';
import { okReply } from './ok-reply.js';

/** The MongoDB release whose commands and answers are followed; wire version 25 belongs to it. */
export const followedVersion = '8.0.0';
export const maxWireVersion = 25;
export const maxBsonObjectBytes = 16 * 1024 * 1024;
export const maxWriteBatchSize = 100_000;
const logicalSessionTimeoutMinutes = 30;

/**
 * A standalone: no `setName`, so drivers neither retry writes nor offer transactions. No `topologyVersion`: drivers
 * then poll instead of waiting on an exhaust hello. No `compression`: clients that ask for it go on without.
 */
const hello: Command = {
  name: 'hello',
  aliases: ['ismaster', 'isMaster'],
  options: 'any',
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
    };
    return request.name === 'hello' ? okReply(fields) : okReply({ ismaster: true, ...fields });
  },
};

const ping: Command = { name: 'ping', options: [], run: () => okReply() };

const buildInfo: Command = {
  name: 'buildInfo',
  aliases: ['buildinfo'],
  options: [],
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
  run: () => okReply({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
};

export const handshakeCommands: readonly Command[] = [hello, ping, buildInfo, endSessions, connectionStatus];
