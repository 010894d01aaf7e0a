import { Double } from 'bson';
import { asNumber, isTrue } from '../../bson/number.js';
import { BsonDoc, type BsonValue } from '../../bson/value.js';
import { words } from '../../checked-access.js';
import { fail } from '../../errors.js';
import type { ClientConnection } from '../../wire/connection.js';
import { type CommandRequest, type ReplyBody, replyDocument } from '../../wire/op-msg.js';
import { type Command, okReply, requireAdmin } from '../command.js';

type Run = () => Promise<ReplyBody> | ReplyBody;

const DATA_FIELDS = words(`
    failCommands errorCode errorLabels closeConnection writeConcernError blockConnection blockTimeMS appName`);

/** MongoDB's `failCommand`, for tests of clients: makes named commands fail, or be slow, a number of times. */
export class FailPoint {
  #data = new BsonDoc();
  /** Hits to pass before the first strike, and strikes left. */
  #skip = 0;
  #times = 0;
  readonly #appNames = new WeakMap<ClientConnection, string>();

  configure(mode: BsonValue | undefined, data: BsonDoc): void {
    for (const name of data.keys) {
      if (!DATA_FIELDS.includes(name)) fail('BadValue', `failCommand does not support '${name}'`);
    }
    this.#data = data;
    const times = mode instanceof BsonDoc ? asNumber(mode.get('times')) : undefined;
    const skip = mode instanceof BsonDoc ? asNumber(mode.get('skip')) : undefined;
    if (mode !== 'off' && mode !== 'alwaysOn' && times === undefined && skip === undefined)
      fail('BadValue', 'the mode of a fail point is off, alwaysOn, { times } or { skip }');
    this.#skip = skip ?? 0;
    this.#times = mode === 'off' ? 0 : (times ?? Number.POSITIVE_INFINITY);
  }

  /** Runs a command, or fails it as the fail point says. */
  run(request: CommandRequest, client: ClientConnection, run: Run): Promise<ReplyBody> | ReplyBody {
    this.#noteAppName(request, client);
    if (!this.#strikes(request.name, client)) return run();
    return this.#strike(client, run);
  }

  async #strike(client: ClientConnection, run: Run): Promise<ReplyBody> {
    const data = this.#data;
    if (isTrue(data.get('blockConnection')))
      await new Promise((resolve) => setTimeout(resolve, asNumber(data.get('blockTimeMS')) ?? 0));
    const labels = data.get('errorLabels');
    const extra = Array.isArray(labels) ? { errorLabels: labels } : undefined;
    if (isTrue(data.get('closeConnection'))) {
      client.close();
      fail('HostUnreachable', 'the connection was closed by a fail point');
    }
    const code = asNumber(data.get('errorCode'));
    if (code !== undefined) fail(code, "Failing command via 'failCommand' failpoint", extra);
    const replied = await run();
    const writeConcernError = data.get('writeConcernError');
    if (!(writeConcernError instanceof BsonDoc)) return replied;
    const reply = replyDocument(replied);
    reply.append('writeConcernError', writeConcernError);
    if (Array.isArray(labels)) reply.append('errorLabels', labels);
    return reply;
  }

  #strikes(name: string, client: ClientConnection): boolean {
    const names = this.#data.get('failCommands');
    if (this.#times <= 0 || !Array.isArray(names) || !names.some((one) => isName(one, name))) return false;
    const appName = this.#data.get('appName');
    if (appName !== undefined && this.#appNames.get(client) !== appName) return false;
    if (this.#skip > 0) {
      this.#skip -= 1;
      return false;
    }
    this.#times -= 1;
    return true;
  }

  #noteAppName({ body }: CommandRequest, client: ClientConnection): void {
    const metadata = body.get('client');
    const application = metadata instanceof BsonDoc ? metadata.get('application') : undefined;
    const name = application instanceof BsonDoc ? application.get('name') : undefined;
    if (typeof name === 'string') this.#appNames.set(client, name);
  }
}

/** The aliases of a command differ in case: `isMaster` also names the `ismaster` of a driver's first message. */
function isName(given: BsonValue, name: string): boolean {
  return typeof given === 'string' && given.toLowerCase() === name.toLowerCase();
}

/** Exists only on servers started with `testCommands`; other servers reject it as unknown, as MongoDB does. */
export const CONFIGURE_FAIL_POINT: Command = {
  name: 'configureFailPoint',
  options: ['mode', 'data'],
  run: ({ context, request }) => {
    const { body } = request;
    if (!context.failPoint) fail('CommandNotFound', "no such command: 'configureFailPoint'");
    requireAdmin(request);
    if (body.values[0] !== 'failCommand') fail('BadValue', 'the only fail point is failCommand');
    const data = body.get('data');
    context.failPoint.configure(body.get('mode'), data instanceof BsonDoc ? data : new BsonDoc());
    return okReply({ count: new Double(0) });
  },
};
