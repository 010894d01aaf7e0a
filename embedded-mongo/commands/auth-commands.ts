import { createHmac } from 'node:crypto';
import { Binary } from 'bson';
import { type Credentials, iterationCount, mechanism, readClientFirst, ScramConversation } from '../auth/scram.js';
import { credentialsIn, findUser, type UserName } from '../auth/users.js';
import { BsonDoc } from '../bson/value.js';
import { asNumber, isTrue } from '../catalog/bson-arguments.js';
import { MongoError } from '../errors.js';
import type { ClientConnection } from '../wire/connection.js';
import type { Command, ServerContext } from './command.js';
import { okReply } from './ok-reply.js';

const saslStart: Command = {
  name: 'saslStart',
  beforeAuthentication: true,
  options: ['mechanism', 'payload', 'autoAuthorize', 'options'],
  run: ({ context, request, client }) => okReply(startSasl(context, client, request.db, request.body)),
};

/** Shared with hello, whose `speculativeAuthenticate` is a saslStart that spares a round trip. */
export function startSasl(
  context: ServerContext,
  client: ClientConnection,
  db: string,
  body: BsonDoc,
): { conversationId: number; done: boolean; payload: Binary } {
  if (body.get('mechanism') !== mechanism) {
    throw new MongoError(
      'MechanismUnavailable',
      `only ${mechanism} is supported, not ${String(body.get('mechanism'))}`,
    );
  }
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

const saslContinue: Command = {
  name: 'saslContinue',
  beforeAuthentication: true,
  options: ['conversationId', 'payload'],
  run: ({ request, client }) => {
    const { conversation } = client.auth;
    if (!conversation || asNumber(request.body.get('conversationId')) !== conversation.id) {
      throw new MongoError('ProtocolError', 'No SASL session state found');
    }
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

const logout: Command = {
  name: 'logout',
  beforeAuthentication: true,
  options: [],
  run: ({ client }) => {
    client.auth.user = undefined;
    return okReply();
  },
};

/** One answer for a wrong name and a wrong password: a guesser must not learn which names exist. */
function authenticationFailed(): MongoError {
  return new MongoError('AuthenticationFailed', 'Authentication failed.');
}

/** What an unknown name is answered with: a salt that stays the same for it, and keys that no proof fits. */
function noCredentials(context: ServerContext, { user, db }: UserName): Credentials {
  const secret = context.nameSecret;
  const salt = createHmac('sha256', secret).update(`${db}.${user}`).digest().subarray(0, 28).toString('base64');
  const never = context.system.randomBytes(32).toString('base64');
  return { iterationCount, salt, storedKey: never, serverKey: never };
}

function payloadText(body: BsonDoc): string {
  const payload = body.get('payload');
  if (payload instanceof Binary) return Buffer.from(payload.buffer.subarray(0, payload.position)).toString('utf8');
  if (typeof payload === 'string') return Buffer.from(payload, 'base64').toString('utf8');
  throw new MongoError('TypeMismatch', "BSON field 'payload' is the wrong type, expected types '[binData, string]'");
}

function binary(text: string): Binary {
  return new Binary(Buffer.from(text));
}

export const authCommands: readonly Command[] = [saslStart, saslContinue, logout];
