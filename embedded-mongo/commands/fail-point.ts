import { Double } from 'bson';
import { BsonDoc, type BsonValue } from '../bson/value.js';
import { asNumber, isTrue } from '../catalog/bson-arguments.js';
import { MongoError } from '../errors.js';
import type { ClientConnection } from '../wire/connection.js';
import type { ReplyBody } from '../wire/reply.js';
import type { CommandRequest } from '../wire/request.js';
import type { Command } from './command.js';
import { okReply } from './ok-reply.js';

type Run = () => Promise<ReplyBody> | ReplyBody;

const dataFields = [
  'failCommands',
  'errorCode',
  'errorLabels',
  'closeConnection',
  'writeConcernError',
  'blockConnection',
  'blockTimeMS',
  'appName',
];

/** MongoDB's `failCommand`, for tests of clients: makes named commands fail, or be slow, a number of times. */
export class FailPoint {
  private data = new BsonDoc();
  /** How many more hits are let pass, and how many then strike. */
  private skip = 0;
  private times = 0;
  private readonly appNames = new WeakMap<ClientConnection, string>();

  configure(mode: BsonValue | undefined, data: BsonDoc): void {
    for (const name of data.keys) {
      if (!dataFields.includes(name)) throw new MongoError('BadValue', `failCommand does not support '${name}'`);
    }
    this.data = data;
    const times = mode instanceof BsonDoc ? asNumber(mode.get('times')) : undefined;
    const skip = mode instanceof BsonDoc ? asNumber(mode.get('skip')) : undefined;
    if (mode !== 'off' && mode !== 'alwaysOn' && times === undefined && skip === undefined) {
      throw new MongoError('BadValue', 'the mode of a fail point is off, alwaysOn, { times } or { skip }');
    }
    this.skip = skip ?? 0;
    this.times = mode === 'off' ? 0 : (times ?? Number.POSITIVE_INFINITY);
  }

  /** Runs a command as the fail point would have it. */
  run(request: CommandRequest, client: ClientConnection, run: Run): Promise<ReplyBody> | ReplyBody {
    this.noteAppName(request, client);
    if (!this.strikes(request.name, client)) return run();
    return this.strike(client, run);
  }

  private async strike(client: ClientConnection, run: Run): Promise<ReplyBody> {
    const { data } = this;
    if (isTrue(data.get('blockConnection'))) {
      await new Promise((resolve) => setTimeout(resolve, asNumber(data.get('blockTimeMS')) ?? 0));
    }
    const labels = data.get('errorLabels');
    const extra = Array.isArray(labels) ? { errorLabels: labels } : undefined;
    if (isTrue(data.get('closeConnection'))) {
      client.close();
      throw new MongoError('HostUnreachable', 'the connection was closed by a fail point');
    }
    const code = asNumber(data.get('errorCode'));
    if (code !== undefined) throw new MongoError(code, "Failing command via 'failCommand' failpoint", extra);
    const reply = await run();
    const writeConcernError = data.get('writeConcernError');
    if (!(writeConcernError instanceof BsonDoc) || !(reply instanceof BsonDoc)) return reply;
    reply.append('writeConcernError', writeConcernError);
    if (Array.isArray(labels)) reply.append('errorLabels', labels);
    return reply;
  }

  private strikes(name: string, client: ClientConnection): boolean {
    const names = this.data.get('failCommands');
    if (this.times <= 0 || !Array.isArray(names) || !names.includes(name)) return false;
    const appName = this.data.get('appName');
    if (appName !== undefined && this.appNames.get(client) !== appName) return false;
    if (this.skip > 0) {
      this.skip -= 1;
      return false;
    }
    this.times -= 1;
    return true;
  }

  private noteAppName({ body }: CommandRequest, client: ClientConnection): void {
    const metadata = body.get('client');
    const application = metadata instanceof BsonDoc ? metadata.get('application') : undefined;
    const name = application instanceof BsonDoc ? application.get('name') : undefined;
    if (typeof name === 'string') this.appNames.set(client, name);
  }
}

/** There only on servers started for tests (`testCommands`); any other does not know it, as MongoDB. */
export const configureFailPoint: Command = {
  name: 'configureFailPoint',
  options: ['mode', 'data'],
  run: ({ context, request: { body, db } }) => {
    if (!context.failPoint) throw new MongoError('CommandNotFound', "no such command: 'configureFailPoint'");
    if (db !== 'admin')
      throw new MongoError('Unauthorized', 'configureFailPoint may only be run against the admin database.');
    if (body.values[0] !== 'failCommand') throw new MongoError('BadValue', 'the only fail point is failCommand');
    const data = body.get('data');
    context.failPoint.configure(body.get('mode'), data instanceof BsonDoc ? data : new BsonDoc());
    return okReply({ count: new Double(0) });
  },
};
