import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Binary } from 'bson';
import { type Credentials, ITERATION_COUNT, MECHANISM, readClientFirst, ScramConversation } from '../../auth/scram.js';
import { credentialsIn, findUser, ROOT_ROLE, type UserName } from '../../auth/users.js';
import { asNumber, isTrue } from '../../bson/number.js';
import { BsonDate, BsonDoc } from '../../bson/value.js';
import { fail, MongoError } from '../../errors.js';
import { type ClientConnection, isAwaitableHello } from '../../wire/connection.js';
import { MAX_MESSAGE_BYTES } from '../../wire/frame-reader.js';
import type { CommandRequest } from '../../wire/op-msg.js';
import * as arg from '../arguments.js';
import { type Command, type CommandCall, MAX_WRITE_BATCH_SIZE, okReply, type ServerContext } from '../command.js';

const SASL_START: Command = {
  name: 'saslStart',
  beforeAuthentication: true,
  options: ['mechanism', 'payload', 'autoAuthorize', 'options'],
  run: ({ context, request, client }) => okReply(startSasl(context, client, request.db, request.body)),
};

/** Shared with hello: its `speculativeAuthenticate` is a saslStart that saves a round trip. */
function startSasl(
  context: ServerContext,
  client: ClientConnection,
  db: string,
  body: BsonDoc,
): { conversationId: number; done: boolean; payload: Binary } {
  if (body.get('mechanism') !== MECHANISM)
    fail('MechanismUnavailable', `only ${MECHANISM} is supported, not ${String(body.get('mechanism'))}`);
  const first = readClientFirst(payloadText(body));
  if (!first) throw authenticationFailed();
  const name = { user: first.user, db };
  const known = credentialsIn(findUser(context, name)?.doc);
  const nonce = context.system.randomBytes(24).toString('base64');
  const scram = new ScramConversation(first, known ?? noCredentials(context, name), nonce);
  const options = body.get('options');
  const skipEmpty = options instanceof BsonDoc && isTrue(options.get('skipEmptyExchange'));
  const conversationId = client.auth.begin(scram, name, skipEmpty);
  return { conversationId, done: false, payload: binary(scram.serverFirst) };
}

const SASL_CONTINUE: Command = {
  name: 'saslContinue',
  beforeAuthentication: true,
  options: ['conversationId', 'payload'],
  run: ({ request, client }) => {
    const { conversation } = client.auth;
    if (!conversation || asNumber(request.body.get('conversationId')) !== conversation.id)
      fail('ProtocolError', 'No SASL session state found');
    const conversationId = conversation.id;
    if (conversation.proved) {
      client.auth.conversation = undefined;
      client.auth.user = conversation.name;
      return okReply({ conversationId, done: true, payload: binary('') });
    }
    const last = conversation.scram.finish(payloadText(request.body));
    if (last === undefined) {
      client.auth.conversation = undefined;
      throw authenticationFailed();
    }
    if (conversation.skipEmpty) {
      client.auth.conversation = undefined;
      client.auth.user = conversation.name;
    } else {
      conversation.proved = true;
    }
    return okReply({ conversationId, done: conversation.skipEmpty, payload: binary(last) });
  },
};

const LOGOUT: Command = {
  name: 'logout',
  beforeAuthentication: true,
  options: [],
  run: ({ client }) => {
    client.auth.user = undefined;
    return okReply();
  },
};

/** One error for a wrong name and a wrong password, so that a client cannot learn which names exist. */
function authenticationFailed(): MongoError {
  return new MongoError('AuthenticationFailed', 'Authentication failed.');
}

/** A constant salt for an unknown name, and keys that no proof matches. */
function noCredentials(context: ServerContext, { user, db }: UserName): Credentials {
  const secret = context.nameSecret;
  const salt = createHmac('sha256', secret).update(`${db}.${user}`).digest().subarray(0, 28).toString('base64');
  const never = context.system.randomBytes(32).toString('base64');
  return { iterationCount: ITERATION_COUNT, salt, storedKey: never, serverKey: never };
}

function payloadText(body: BsonDoc): string {
  const payload = body.get('payload');
  if (payload instanceof Binary) return Buffer.from(payload.buffer.subarray(0, payload.position)).toString('utf8');
  if (typeof payload === 'string') return Buffer.from(payload, 'base64').toString('utf8');
  fail('TypeMismatch', "BSON field 'payload' is the wrong type, expected types '[binData, string]'");
}

function binary(text: string): Binary {
  return new Binary(Buffer.from(text));
}

export const AUTH_COMMANDS: readonly Command[] = [SASL_START, SASL_CONTINUE, LOGOUT];

/** The MongoDB release that this server follows; it has wire version 25. */
export const FOLLOWED_VERSION = '8.0.0';
const MAX_WIRE_VERSION = 25;
export const MAX_BSON_OBJECT_BYTES = 16 * 1024 * 1024;
const LOGICAL_SESSION_TIMEOUT_MINUTES = 30;

/**
 * Describes a standalone. Without `setName` drivers neither retry writes nor offer transactions. With
 * `topologyVersion` they wait on a hello, which ends when the server ends. Without `compression` they send uncompressed
 * messages.
 */
const HELLO: Command = {
  name: 'hello',
  aliases: ['ismaster', 'isMaster'],
  options: 'any',
  beforeAuthentication: true,
  run: (call) => (isAwaitableHello(call.request) ? awaited(call) : describeServer(call)),
};

function describeServer({ context, request, client }: CommandCall): BsonDoc {
  const fields = {
    helloOk: true,
    isWritablePrimary: true,
    maxBsonObjectSize: MAX_BSON_OBJECT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_WRITE_BATCH_SIZE,
    localTime: BsonDate.fromMs(context.system.nowMs()),
    logicalSessionTimeoutMinutes: LOGICAL_SESSION_TIMEOUT_MINUTES,
    connectionId: client.id,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
    topologyVersion: context.topologyVersion,
    ...authenticationFields(context, request, client),
  };
  return request.name === 'hello' ? okReply(fields) : okReply({ ismaster: true, ...fields });
}

/** By value: drivers may send the counter back in another number type. */
function sameVersion(a: BsonDoc, b: BsonDoc): boolean {
  return (
    String(a.get('processId')) === String(b.get('processId')) &&
    asNumber(a.get('counter')) === asNumber(b.get('counter'))
  );
}

/** A standalone's topology never changes: waits as long as the client asks. Another server's version is answered at once. */
async function awaited(call: CommandCall): Promise<BsonDoc> {
  const { context, request, client } = call;
  const known = arg.doc(request.body, 'topologyVersion');
  const waitMs = arg.count(request.body, 'maxAwaitTimeMS') ?? 0;
  if (known && sameVersion(known, context.topologyVersion))
    await sleep(waitMs, undefined, { signal: client.gone, ref: false }).catch(() => undefined);
  return describeServer(call);
}

/** Authentication that a driver starts in its hello, to save round trips. */
function authenticationFields(context: ServerContext, { body }: CommandRequest, client: ClientConnection) {
  const asked = body.get('saslSupportedMechs');
  const [db = '', ...user] = typeof asked === 'string' ? asked.split('.') : [];
  const known = typeof asked === 'string' && findUser(context, { db, user: user.join('.') }) !== undefined;
  const start = body.get('speculativeAuthenticate');
  return {
    ...(known ? { saslSupportedMechs: [MECHANISM] } : {}),
    ...(start instanceof BsonDoc ? { speculativeAuthenticate: speculate(context, client, start) } : {}),
  };
}

/** Left out when the speculation fails: the driver then restarts the login and gets the error. */
function speculate(context: ServerContext, client: ClientConnection, start: BsonDoc): BsonDoc | undefined {
  try {
    return okReply(startSasl(context, client, String(start.get('db') ?? 'admin'), start));
  } catch (error) {
    if (error instanceof MongoError) return undefined;
    throw error;
  }
}

const PING: Command = { name: 'ping', options: [], beforeAuthentication: true, run: () => okReply() };

const BUILD_INFO: Command = {
  name: 'buildInfo',
  aliases: ['buildinfo'],
  options: [],
  beforeAuthentication: true,
  run: () =>
    okReply({
      version: FOLLOWED_VERSION,
      versionArray: FOLLOWED_VERSION.split('.').map(Number).concat(0),
      gitVersion: 'embedded-mongo',
      modules: [],
      storageEngines: ['lmdb'],
      bits: 64,
      debug: false,
      maxBsonObjectSize: MAX_BSON_OBJECT_BYTES,
    }),
};

const END_SESSIONS: Command = {
  name: 'endSessions',
  options: [],
  run: ({ context, request }) => {
    const ended = request.body.values[0];
    for (const lsid of Array.isArray(ended) ? ended : []) context.sessions.end(lsid);
    return okReply();
  },
};

const CONNECTION_STATUS: Command = {
  name: 'connectionStatus',
  options: ['showPrivileges'],
  beforeAuthentication: true,
  run: ({ request, client }) => {
    const { user } = client.auth;
    const everything = { resource: { anyResource: true }, actions: ['anyAction'] };
    const privileges = arg.boolean(request.body, 'showPrivileges')
      ? { authenticatedUserPrivileges: user ? [everything] : [] }
      : {};
    return okReply({
      authInfo: {
        authenticatedUsers: user ? [{ ...user }] : [],
        authenticatedUserRoles: user ? [ROOT_ROLE] : [],
        ...privileges,
      },
    });
  },
};

export const HANDSHAKE_COMMANDS: readonly Command[] = [HELLO, PING, BUILD_INFO, END_SESSIONS, CONNECTION_STATUS];

/** MongoDB's own text for a standalone; drivers and mongoose know the code. */
function refused(name: string): Command {
  return {
    name,
    options: [],
    run: () => {
      fail('IllegalOperation', 'Transaction numbers are only allowed on a replica set member or mongos');
    },
  };
}

export const TRANSACTION_COMMANDS: readonly Command[] = [refused('commitTransaction'), refused('abortTransaction')];
