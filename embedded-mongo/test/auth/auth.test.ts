import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { clientFinal, credentialsOf, readClientFirst, ScramConversation } from '../../auth/scram.js';
import { backUp, checkDatabase } from '../../index.js';
import { type Running, startChild, startInThread } from '../../launch/launch.js';
import { failureOf, temporaryDirectory } from '../test-server.js';

const directory = temporaryDirectory();
const dataDir = join(directory.path, 'data');
let running: Running;
let password: string;

beforeAll(async () => {
  running = await startInThread({ dataDir, tcp: { port: 0 } });
  password = readFileSync(join(dataDir, 'password'), 'utf8').trim();
});
afterAll(async () => {
  await running.stop();
  directory.remove();
});

function tcp(options: MongoClientOptions = {}): MongoClient {
  return new MongoClient(`mongodb://127.0.0.1:${running.port}/`, { serverSelectionTimeoutMS: 2_000, ...options });
}

async function ping(client: MongoClient): Promise<unknown> {
  try {
    return await client.db('app').command({ find: 'c' });
  } finally {
    await client.close();
  }
}

const as = (username: string, given: string) => ({ auth: { username, password: given }, authSource: 'admin' });

describe('SCRAM-SHA-256', () => {
  it('follows the exchange of RFC 7677, section 3', async () => {
    const clientNonce = 'rOprNGfwEbeRWgbNEkqO';
    const first = readClientFirst(`n,,n=user,r=${clientNonce}`);
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
    const credentials = { ...(await credentialsOf('pencil', () => salt)), iterationCount: 4_096 };
    const serverFirst = 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096';
    expect(await clientFinal(first?.bare ?? '', serverFirst, 'pencil', clientNonce)).toEqual({
      message:
        'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
      expected: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
    });
    if (!first) throw new Error('the message was not understood');
    const own = new ScramConversation(first, credentials, 'server');
    expect(own.serverFirst).toBe(`r=${clientNonce}server,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`);
  });

  it('accepts the right password and no other', async () => {
    const credentials = await credentialsOf('a pass, with = signs', () => Buffer.alloc(28, 3));
    const first = readClientFirst('n,,n=a=2Cb=3Dc,r=nonce');
    if (!first) throw new Error('the message was not understood');
    expect(first.user).toBe('a,b=c');
    const conversation = new ScramConversation(first, credentials, 'more');
    const right = await clientFinal(first.bare, conversation.serverFirst, 'a pass, with = signs', 'nonce');
    const wrong = await clientFinal(first.bare, conversation.serverFirst, 'another', 'nonce');
    expect(conversation.finish(right.message)).toBe(right.expected);
    expect(conversation.finish(wrong.message)).toBeUndefined();
    expect(conversation.finish(right.message.replace('r=nonce', 'r=other'))).toBeUndefined();
    expect(conversation.finish('')).toBeUndefined();
  });

  it.each(['', 'n,,n=user', 'y,,n=user,r=x', 'n,,n=us=er,r=x', 'n,a=x,n=user,r=x', 'n,,n=user,r=x\u0000'])(
    'the first message %j is refused',
    (message) => {
      expect(readClientFirst(message)).toBeUndefined();
    },
  );
});

describe('a server on TCP', () => {
  it('stores the generated password readable by the owner only', () => {
    expect(password).toMatch(/^[\w-]{32}$/);
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
  });

  it('accepts a driver with the right password', async () => {
    expect(await ping(tcp(as('admin', password)))).toMatchObject({ ok: 1 });
    const client = tcp(as('admin', password));
    const status = await client.db('admin').command({ connectionStatus: 1, showPrivileges: true });
    expect(status).toMatchObject({
      authInfo: {
        authenticatedUsers: [{ user: 'admin', db: 'admin' }],
        authenticatedUserRoles: [{ role: 'root', db: 'admin' }],
        authenticatedUserPrivileges: [{ actions: ['anyAction'] }],
      },
    });
    await client.close();
  });

  it('rejects a wrong password and an unknown user with the same code 18 and text', async () => {
    const wrong = await failureOf(ping(tcp(as('admin', 'wrong'))));
    const unknown = await failureOf(ping(tcp(as('nobody', password))));
    expect(wrong).toMatchObject({ code: 18, codeName: 'AuthenticationFailed', message: 'Authentication failed.' });
    expect(unknown).toMatchObject({ code: 18, message: 'Authentication failed.' });
  });

  it('returns the same salt for an unknown user each time', async () => {
    const client = tcp();
    const start = async () => {
      const payload = Buffer.from('n,,n=nobody,r=abc');
      const reply = await client.db('admin').command({ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload });
      return /s=[^,]+/.exec(reply['payload'].toString())?.[0];
    };
    expect(await start()).toBe(await start());
    await client.close();
  });

  it('rejects every other command with code 13 before login', async () => {
    const client = tcp();
    for (const command of [
      { find: 'c' },
      { listDatabases: 1 },
      { createUser: 'x', pwd: 'x', roles: ['root'] },
      { embeddedBackup: '/tmp' },
    ]) {
      expect(await failureOf(client.db('admin').command(command))).toMatchObject({
        code: 13,
        codeName: 'Unauthorized',
        message: expect.stringMatching(/requires authentication/),
      });
    }
    for (const open of ['hello', 'ping', 'buildInfo', 'connectionStatus']) {
      expect(await client.db('admin').command({ [open]: 1 })).toMatchObject({ ok: 1 });
    }
    await client.close();
  });

  it('rejects other mechanisms and out-of-order conversations by name', async () => {
    const client = tcp();
    const run = (command: Record<string, unknown>) => failureOf(client.db('admin').command(command));
    expect(await run({ saslStart: 1, mechanism: 'SCRAM-SHA-1', payload: Buffer.from('n,,n=a,r=b') })).toMatchObject({
      code: 334,
      message: expect.stringMatching(/SCRAM-SHA-1/),
    });
    expect(await run({ saslContinue: 1, conversationId: 1, payload: Buffer.from('c=biws,r=b,p=AA==') })).toMatchObject({
      code: 17,
    });
    await client.close();
  });

  it('needs no password on the unix socket', async () => {
    expect(await ping(new MongoClient(running.uri))).toMatchObject({ ok: 1 });
  });

  it('listens beyond loopback only with TLS', async () => {
    const elsewhere = { dataDir: join(directory.path, 'remote'), tcp: { host: '0.0.0.0', port: 0 } };
    expect(await failureOf(startInThread(elsewhere))).toMatchObject({ message: expect.stringMatching(/needs TLS/) });
    const [certFile, keyFile] = [join(directory.path, 'cert.pem'), join(directory.path, 'key.pem')];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      keyFile,
      '-out',
      certFile,
      '-subj',
      '/CN=localhost',
    ];
    execFileSync('openssl', [...made, '-days', '1'], { stdio: 'ignore' });
    const secure = await startInThread({ ...elsewhere, tcp: { ...elsewhere.tcp, tls: { certFile, keyFile } } });
    const secret = readFileSync(join(directory.path, 'remote', 'password'), 'utf8').trim();
    const url = `mongodb://127.0.0.1:${secure.port}/`;
    const options = { ...as('admin', secret), tls: true, tlsAllowInvalidCertificates: true };
    expect(await ping(new MongoClient(url, options))).toMatchObject({ ok: 1 });
    // The server drops a client that connects without TLS, and serves the next one.
    await new Promise((resolve) =>
      connectTcp(secure.port ?? 0, '127.0.0.1')
        .on('close', resolve)
        .on('error', () => undefined)
        .end('plain'),
    );
    expect(await ping(new MongoClient(url, options))).toMatchObject({ ok: 1 });
    await secure.stop();
  });
});

describe('users', () => {
  let client: MongoClient;
  beforeAll(() => {
    client = new MongoClient(running.uri);
  });
  afterAll(() => client.close());
  const admin = () => client.db('admin');

  it('can be created, listed, changed and dropped', async () => {
    await admin().command({ createUser: 'bob', pwd: 'first', roles: ['root'], customData: { team: 'a' } });
    expect(await ping(tcp(as('bob', 'first')))).toMatchObject({ ok: 1 });
    expect(await admin().command({ usersInfo: 'bob' })).toMatchObject({
      users: [{ _id: 'admin.bob', user: 'bob', db: 'admin', customData: { team: 'a' }, mechanisms: ['SCRAM-SHA-256'] }],
    });
    expect((await admin().command({ usersInfo: 'bob' }))['users'][0]).not.toHaveProperty('credentials');
    await admin().command({ updateUser: 'bob', pwd: 'second' });
    expect(await failureOf(ping(tcp(as('bob', 'first'))))).toMatchObject({ code: 18 });
    expect(await ping(tcp(as('bob', 'second')))).toMatchObject({ ok: 1 });
    expect(
      (await admin().command({ usersInfo: { user: 'bob', db: 'admin' }, showCredentials: true }))['users'],
    ).toMatchObject([{ credentials: { 'SCRAM-SHA-256': { iterationCount: 15_000 } } }]);
    await admin().command({ dropUser: 'bob' });
    expect(await failureOf(ping(tcp(as('bob', 'second'))))).toMatchObject({ code: 18 });
    expect((await admin().command({ usersInfo: 1 }))['users']).toMatchObject([{ user: 'admin' }]);
  });

  it.each<[string, Record<string, unknown>, number]>([
    ['a user there is already', { createUser: 'admin', pwd: 'x', roles: ['root'] }, 51_003],
    ['another role', { createUser: 'x', pwd: 'x', roles: ['readWrite'] }, 31],
    ['no role', { createUser: 'x', pwd: 'x', roles: [] }, 31],
    ['no roles argument', { createUser: 'x', pwd: 'x' }, 40_414],
    ['another mechanism', { createUser: 'x', pwd: 'x', roles: ['root'], mechanisms: ['SCRAM-SHA-1'] }, 2],
    ['no password', { createUser: 'x', roles: ['root'] }, 2],
    ['a password that needs preparation', { createUser: 'x', pwd: 'päss', roles: ['root'] }, 2],
    ['a change of nobody', { updateUser: 'nobody', pwd: 'x' }, 11],
    ['a drop of nobody', { dropUser: 'nobody' }, 11],
    ['an unknown option', { createUser: 'x', pwd: 'x', roles: ['root'], nice: true }, 40_415],
  ])('rejects %s', async (_name, command, code) => {
    expect(await failureOf(admin().command(command))).toMatchObject({ code });
  });
});

describe('a platform without unix sockets', () => {
  it('uses loopback TCP with the generated password, also for backups', async () => {
    const own = temporaryDirectory();
    const first = await startChild({ dataDir: own.path, transport: 'tcp' });
    expect(first.socketPath).toBe('');
    const client = await MongoClient.connect(first.uri);
    await client.db('app').collection('c').insertOne({});
    expect(await failureOf(startChild({ dataDir: own.path, transport: 'tcp' }))).toMatchObject({ fault: 'in-use' });
    const target = `${own.path}-backup`;
    expect(await backUp({ root: own.path, database: '', target })).toMatchObject({ whileRunning: true });
    await client.close();
    await first.stop();
    expect(await checkDatabase(own.path)).toEqual(
      expect.arrayContaining([expect.objectContaining({ namespace: 'app.c', records: 1, errors: [] })]),
    );
    const again = await startChild({ dataDir: own.path, transport: 'tcp' });
    expect(await ping(new MongoClient(again.uri))).toMatchObject({ ok: 1 });
    await again.stop();
    writeFileSync(join(target, 'done'), '');
    own.remove();
    execFileSync('rm', ['-r', target]);
  });
});
