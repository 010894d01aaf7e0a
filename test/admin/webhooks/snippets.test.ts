import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { itUnless, lackOf } from '../../support/needs.js';
import { type Received, type Receiver, startReceiver } from '../../support/receiver.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// Runs the programs of docs/webhooks.md unchanged against a delivery that the service made. A program in a language that
// this machine lacks is skipped with the reason.

interface Language {
  readonly file: string;
  /** Tells whether the language is here. */
  readonly probe: readonly [string, ...string[]];
  /** Makes the program ready in its folder. */
  readonly build?: readonly [string, ...string[]];
  readonly run: (folder: string) => readonly [string, ...string[]];
  /** Files that the program needs in its folder. */
  readonly beside?: Readonly<Record<string, string>>;
}

const CSPROJ =
  '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework>' +
  '<ImplicitUsings>enable</ImplicitUsings><RollForward>LatestMajor</RollForward></PropertyGroup></Project>';

const LANGUAGES: Readonly<Record<string, Language>> = {
  Node: { file: 'verify.mjs', probe: [process.execPath, '-v'], run: () => [process.execPath, 'verify.mjs'] },
  Python: { file: 'verify.py', probe: ['python3', '-V'], run: () => ['python3', 'verify.py'] },
  Java: {
    file: 'Verify.java',
    probe: ['javac', '-version'],
    build: ['javac', 'Verify.java'],
    run: () => ['java', '-XX:TieredStopAtLevel=1', 'Verify'],
  },
  Go: {
    file: 'verify.go',
    probe: ['go', 'version'],
    build: ['go', 'build', '-o', 'verify-go', 'verify.go'],
    run: (folder) => [join(folder, 'verify-go')],
  },
  'C#': {
    file: 'Verify.cs',
    probe: ['dotnet', '--version'],
    beside: { 'verify.csproj': CSPROJ },
    build: ['dotnet', 'build', '-o', 'out'],
    run: () => ['dotnet', 'out/verify.dll'],
  },
  shell: { file: 'verify.sh', probe: ['openssl', 'version'], run: () => ['sh', 'verify.sh'] },
};

const PAGE = readFileSync(repositoryFile('docs/webhooks.md'), 'utf8');

/** The block of the page that is marked with a file's name. */
function programOf(file: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${file.replace('.', '\\.')}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE);
  if (found?.[1] === undefined) throw new Error(`docs/webhooks.md has no program ${file}`);
  return found[1];
}

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Not in one step with this process: the service runs in it. */
function ran(
  [command, ...args]: readonly [string, ...string[]],
  cwd: string,
  { env = {}, input = '' }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string | Buffer } = {},
): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  // Go's own cache stays where it is: a fresh one costs a minute of compiling its library.
  const tools = { GO111MODULE: 'off', GOTOOLCHAIN: 'local', DOTNET_NOLOGO: '1' };
  const child = spawn(command, args, { cwd, env: { PATH, HOME, ...tools, ...env } });
  return new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, said }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

let service: WholeService;
let receiver: Receiver;
let folder: string;
let http: Http;
/** A delivery of a webhook after one rotation: both secrets sign it. */
let secrets: { readonly former: string; readonly current: string };
let delivery: Received;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eas-snippets-'));
  receiver = await startReceiver();
  service = await startWholeService({
    SERVICE_WEBHOOK_ALLOW_HTTP: 'true',
    SERVICE_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  });
  ({ http } = await freshTenant(service.operator));
  const made = (await http.post('/v1/webhooks', { url: receiver.url, event_types: ['bundle.sealed'] })).json;
  const rotated = (await http.post(`/v1/webhooks/${made.webhook_id}/rotate-secret`, undefined)).json;
  secrets = { former: made.secret, current: rotated.secret };
  await http.post(`/v1/webhooks/${made.webhook_id}/test`, {});
  const [first] = await receiver.until(1);
  if (first === undefined) throw new Error('no delivery came');
  delivery = first;
});

afterAll(async () => {
  await service.stop();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

interface Presented {
  readonly secret: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

const genuine = (): Presented => ({ secret: secrets.current, headers: delivery.headers, body: delivery.body });
const withHeaders = (headers: Readonly<Record<string, string>>): Presented => ({
  ...genuine(),
  headers: { ...delivery.headers, ...headers },
});

/** The right digest, under a version that there is not. */
const ofVersion2 = (): Presented => {
  const signature = String(delivery.headers['x-service-signature']).replace('v1', 'v2');
  return withHeaders({ 'x-service-signature': signature, 'x-service-signature-previous': signature });
};

const atAnotherTime = (): Presented =>
  withHeaders({ 'webhook-timestamp': String(Number(delivery.headers['webhook-timestamp']) + 7) });

/** Recorded ten minutes ago, and genuine then. */
function replayed(): Presented {
  const timestamp = String(Number(delivery.headers['webhook-timestamp']) - 600);
  const key = Buffer.from(secrets.current.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', key).update(`${delivery.headers['webhook-id']}.${timestamp}.`);
  const signature = `v1,${signed.update(delivery.body).digest('base64')}`;
  const headers = { ...delivery.headers, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return { ...genuine(), headers };
}

function altered(): Presented {
  const body = Buffer.from(delivery.body);
  body[body.length - 2] = (body.at(-2) ?? 0) ^ 1;
  return { ...genuine(), body };
}

const CASES: readonly (readonly [string, number, () => Presented])[] = [
  ['a delivery as it came', 0, genuine],
  ['one judged by the former secret, within its 15 minutes', 0, () => ({ ...genuine(), secret: secrets.former })],
  ['one judged by another secret', 1, () => ({ ...genuine(), secret: `whsec_${Buffer.alloc(32).toString('base64')}` })],
  ['a body of which one bit differs', 1, altered],
  ['a time that was written over', 1, atAnotherTime],
  ['a delivery that was recorded and is played again', 1, replayed],
  ['a signature of another version', 1, ofVersion2],
];

const isHere = ([command, ...args]: Language['probe']): boolean => spawnSync(command, args).status === 0;

describe.each(Object.entries(LANGUAGES))('the program in %s', (_name, language) => {
  const onThisMachine = itUnless(lackOf(isHere(language.probe), language.probe[0]));

  onThisMachine(
    'accepts a genuine delivery, and nothing else',
    async () => {
      for (const [file, content] of Object.entries(language.beside ?? {})) await writeFile(join(folder, file), content);
      await writeFile(join(folder, language.file), programOf(language.file));
      if (language.build) expect(await ran(language.build, folder)).toMatchObject({ code: 0 });
      const outcomes = [];
      for (const [what, , presented] of CASES) {
        const { secret, headers, body } = presented();
        const env = {
          WEBHOOK_SECRET: secret,
          HTTP_WEBHOOK_ID: String(headers['webhook-id']),
          HTTP_WEBHOOK_TIMESTAMP: String(headers['webhook-timestamp']),
          HTTP_WEBHOOK_SIGNATURE: String(headers['webhook-signature']),
          HTTP_X_SERVICE_SIGNATURE: String(headers['x-service-signature']),
          HTTP_X_SERVICE_SIGNATURE_PREVIOUS: String(headers['x-service-signature-previous']),
        };
        const { code, said } = await ran(language.run(folder), folder, { env, input: body });
        outcomes.push([what, code, said]);
      }
      expect(outcomes).toEqual(CASES.map(([what, code]) => [what, code, '']));
    },
    120_000,
  );
});

describe('a receiver that still holds the former secret', () => {
  /** What each kind of receiver hands to the program: the specification's header alone, or the convention's too. */
  const KINDS = [
    ['knows only X-Service-Signature', false],
    ['takes every header', true],
  ] as const;

  it.each(KINDS)('gets every delivery in one attempt if it %s', async (_kind, takesAll) => {
    await writeFile(join(folder, 'verify.mjs'), programOf('verify.mjs'));
    const before = receiver.received.length;
    receiver.answer = (response, { headers, body }) => {
      const previous = takesAll ? String(headers['x-service-signature-previous']) : '';
      const env = {
        WEBHOOK_SECRET: secrets.former,
        HTTP_WEBHOOK_ID: String(headers['webhook-id']),
        HTTP_WEBHOOK_TIMESTAMP: String(headers['webhook-timestamp']),
        HTTP_WEBHOOK_SIGNATURE: String(headers['webhook-signature']),
        HTTP_X_SERVICE_SIGNATURE: String(headers['x-service-signature']),
        HTTP_X_SERVICE_SIGNATURE_PREVIOUS: previous,
      };
      void ran([process.execPath, 'verify.mjs'], folder, { env, input: body }).then(({ code }) =>
        response.writeHead(code === 0 ? 200 : 401).end(),
      );
    };
    const [hook] = (await http.get('/v1/webhooks')).json.items;
    const { delivery_id } = (await http.post(`/v1/webhooks/${hook.webhook_id}/test`, {})).json;
    await receiver.until(before + (takesAll ? 1 : 2));
    const delivery = async () => (await http.get(`/v1/webhooks/${hook.webhook_id}/deliveries/${delivery_id}`)).json;
    const delivered = await eventually(delivery, ({ status }) => status === 'DELIVERED');
    expect(delivered).toMatchObject({ status: 'DELIVERED', attempts: [{ status: 200 }] });
    expect(delivered.attempts).toHaveLength(1);
    const sent = receiver.received.slice(before);
    expect(sent).toHaveLength(takesAll ? 1 : 2);
    expect(new Set(sent.map(({ body, headers }) => `${headers['x-service-attempt']} ${body}`)).size).toBe(1);
  });
});

it('the page has a program for every promised language, and each is tested here', () => {
  const marked = [...PAGE.matchAll(/^```\w+ (\S+)$/gm)].map(([, file]) => file);
  expect(marked.sort()).toEqual(
    Object.values(LANGUAGES)
      .map(({ file }) => file)
      .sort(),
  );
});
