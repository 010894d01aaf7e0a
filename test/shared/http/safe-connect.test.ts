import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { nextTurn } from '../../../shared/clock/timers.js';
import { addressJudge, plainAddress } from '../../../shared/http/safe-connect/address-policy.js';
import { urlJudge } from '../../../shared/http/safe-connect/judge-url.js';
import { SafeClient, type SendResult } from '../../../shared/http/safe-connect/safe-client.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { selfSigned } from '../../support/self-signed.js';

const SHUT = { allowHttp: false, allowedCidrs: [] };
const LOOPBACK = { allowHttp: true, allowedCidrs: ['127.0.0.0/8'] };

describe('addresses', () => {
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.254', '168.63.129.16'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
    ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '2001:db8::1'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ...['2002:7f00:1::', '2001:0:1::1', '2001:10::1', '3fff::1', '100::1', '5f00::1', 'not an address', ''],
  ])('%s is rejected', (address) => {
    expect(addressJudge(SHUT)(address)).toBe('refused');
  });

  it.each([
    ...['1.1.1.1', '93.184.216.34', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1', '198.17.0.1'],
    ...['2606:4700:4700::1111', '2001:4860:4860::8888', '::ffff:1.1.1.1'],
  ])('%s is public', (address) => {
    expect(addressJudge(SHUT)(address)).toBe('public');
  });

  it('opened by the deployment are open in every spelling, and no others', () => {
    const judge = addressJudge({ allowedCidrs: ['10.1.0.0/16', 'fd00:1::/32'] });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:0a01:203', 'fd00:1::7']) {
      expect(judge(address)).toBe('opened');
    }
    for (const address of ['10.2.0.1', 'fd00:2::1', '127.0.0.1', '::1']) expect(judge(address)).toBe('refused');
  });

  it('of IPv4 stay closed when ::/0 is open', () => {
    expect(addressJudge({ allowedCidrs: ['::/0'] })('127.0.0.1')).toBe('refused');
  });

  it('have one canonical spelling', () => {
    expect(plainAddress('0:0:0:0:0:FFFF:7f00:0001')).toBe('127.0.0.1');
    expect(plainAddress('2001:0DB8::0001')).toBe('2001:db8::1');
    expect(plainAddress('127.1')).toBeUndefined();
  });
});

describe('webhook URLs', () => {
  const judge = urlJudge(SHUT);

  it.each([
    ...['https://127.0.0.1/', 'https://2130706433/', 'https://0x7f000001/', 'https://0177.0.0.1/', 'https://127.1/'],
    ...['https://①②⑦.⓪.⓪.①/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[64:ff9b::7f00:1]/'],
    ...['https://0/', 'https://169.254.169.254/latest/meta-data', 'https://[fd00:ec2::254]/', 'https://10.0.0.1:8443/'],
  ])('%s has no reachable host', (url) => {
    expect(judge(url)).toEqual({ refused: 'Must not lead to a private, local or reserved address.' });
  });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'example.com',
    '',
    'https://',
    'gopher:x',
  ])('%s is no https URL', (url) => {
    expect(judge(url)).toEqual({ refused: 'Must be an absolute https address.' });
  });

  it('reject user information', () => {
    expect(judge('https://user:secret@example.com/')).toEqual({
      refused: 'Must not hold a user name or a password.',
    });
  });

  it.each(['https://1.1.1.1:25/', 'https://1.1.1.1:80/', 'https://1.1.1.1:8443/', 'https://example.com:8443/'])(
    '%s names a port that is not open',
    (url) => {
      expect(judge(url)).toEqual({ refused: 'Must name no port but 443.' });
    },
  );

  it('allow plain http only on its own port', () => {
    const withHttp = urlJudge({ ...SHUT, allowHttp: true });
    expect(withHttp('http://example.com/')).toHaveProperty('target');
    expect(withHttp('http://1.1.1.1:80/')).toHaveProperty('target');
    expect(withHttp('http://example.com:8080/')).toEqual({ refused: 'Must name no port but 443 and 80.' });
  });

  it('allow every port in an open block; a name is checked when it is resolved', () => {
    const open = urlJudge({ ...SHUT, allowedCidrs: ['10.1.0.0/16'] });
    expect(open('https://10.1.2.3:22/')).toHaveProperty('target');
    expect(open('https://1.1.1.1:8443/')).toHaveProperty('refused');
    expect(open('https://inner.example.com:8443/')).toHaveProperty('target');
  });

  it('keep path and query, and drop the fragment', () => {
    expect(judge('https://hooks.example.com:443/a/b?c=1#d')).toEqual({
      target: { origin: 'https://hooks.example.com', path: '/a/b?c=1' },
    });
  });

  it('accept http and blocks that the settings open', () => {
    expect(urlJudge(LOOPBACK)('http://127.0.0.1:9/')).toEqual({ target: { origin: 'http://127.0.0.1:9', path: '/' } });
    expect(urlJudge({ ...LOOPBACK, allowHttp: false })('http://127.0.0.1:9/')).toHaveProperty('refused');
    expect(urlJudge({ ...LOOPBACK, allowedCidrs: [] })('http://127.0.0.1:9/')).toHaveProperty('refused');
  });
});

describe('requests', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const receiverAt = async (...args: Parameters<typeof startReceiver>): Promise<Receiver> => {
    const receiver = await startReceiver(...args);
    closing.push(() => receiver.close());
    return receiver;
  };
  const clientOf = (options: Partial<ConstructorParameters<typeof SafeClient>[0]> = {}): SafeClient => {
    const client = new SafeClient({ policy: LOOPBACK, ...options });
    closing.push(() => client.close());
    return client;
  };
  const post = async (
    client: SafeClient,
    url: string,
    timeoutMs = 5_000,
    signal?: AbortSignal,
  ): Promise<SendResult> => {
    const { origin, pathname } = new URL(url);
    const target = { origin, path: pathname };
    // A connection is free again one turn after its answer.
    await nextTurn();
    return client.post({
      target,
      headers: ['content-type', 'application/json'],
      body: Buffer.from('{}'),
      timeoutMs,
      ...(signal ? { signal } : {}),
    });
  };
  const portOf = (receiver: Receiver): string => new URL(receiver.url).port;

  it('never connect to a rejected literal address, whatever was checked before', async () => {
    const receiver = await receiverAt();
    expect(await post(clientOf({ policy: { allowHttp: true, allowedCidrs: [] } }), receiver.url)).toEqual({
      failure: 'address_refused',
    });
    const mapped = `http://[::ffff:127.0.0.1]:${portOf(receiver)}/`;
    expect(await post(clientOf({ policy: { allowHttp: true, allowedCidrs: [] } }), mapped)).toEqual({
      failure: 'address_refused',
    });
    expect(receiver.connections()).toBe(0);
  });

  it('use no other port at the public addresses of a name, whatever was checked before', async () => {
    const client = clientOf({ resolve: async () => ['1.1.1.1'] });
    expect(await post(client, 'https://hooks.example.com:8443/')).toEqual({ failure: 'address_refused' });
  });

  it('reject a name with one rejected address among its public ones', async () => {
    const receiver = await receiverAt();
    const client = clientOf({
      policy: { allowHttp: true, allowedCidrs: [] },
      resolve: async () => ['1.1.1.1', '127.0.0.1'],
    });
    expect(await post(client, `http://mixed.test:${portOf(receiver)}/`)).toEqual({ failure: 'address_refused' });
    expect(receiver.connections()).toBe(0);
  });

  it('resolve a name once per connection, and connect to the checked address', async () => {
    const receiver = await receiverAt();
    const asked: string[] = [];
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const client = clientOf({
      resolve: async (hostname) => {
        asked.push(hostname);
        return answers.shift() ?? [];
      },
    });
    const url = `http://rebinding.test:${portOf(receiver)}/`;
    expect(await post(client, url)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['rebinding.test']);
    // An open connection is reused; a new one is checked again.
    expect(await post(client, url)).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(1);
    receiver.answer = (response) => void response.writeHead(200, { connection: 'close' }).end();
    await post(client, url);
    expect(await post(client, url)).toEqual({ failure: 'address_refused' });
    expect(receiver.received).toHaveLength(3);
  });

  it('fail for a name without an answer, and for one without an address', async () => {
    const failing = clientOf({
      resolve: async () => {
        throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      },
    });
    expect(await post(failing, 'http://nobody.test/')).toEqual({ failure: 'dns' });
    expect(await post(clientOf({ resolve: async () => [] }), 'http://nobody.test/')).toEqual({
      failure: 'address_refused',
    });
  });

  it('return redirects, and do not follow them', async () => {
    const receiver = await receiverAt();
    receiver.answer = (response, { path }) =>
      void response.writeHead(path === '/elsewhere' ? 200 : 302, { location: '/elsewhere' }).end();
    expect(await post(clientOf(), receiver.url)).toMatchObject({ status: 302 });
    expect(receiver.received).toHaveLength(1);
  });

  it('give up at the timeout if a receiver hangs or trickles', async () => {
    const receiver = await receiverAt();
    receiver.answer = () => {};
    expect(await post(clientOf(), receiver.url, 100)).toEqual({ failure: 'timeout' });
    receiver.answer = (response) => void response.writeHead(200).write('x');
    expect(await post(clientOf(), receiver.url, 100)).toEqual({ failure: 'timeout' });
  });

  it('give up at the timeout if a receiver does not complete a connection', async () => {
    const silent: Server = createServer((socket) => void socket.on('error', () => {}).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => silent.close(resolve)));
    const { port } = silent.address() as { port: number };
    expect(await post(clientOf(), `https://127.0.0.1:${port}/`, 100)).toEqual({ failure: 'timeout' });
  });

  it('report a receiver that closes without an answer, and one that is absent', async () => {
    const receiver = await receiverAt();
    receiver.answer = (response) => void response.socket?.destroy();
    expect(await post(clientOf(), receiver.url)).toEqual({ failure: 'closed' });
    await receiver.close();
    expect(await post(clientOf(), receiver.url)).toEqual({ failure: 'connect' });
  });

  it('report a receiver that does not speak HTTP', async () => {
    const other = createServer(
      (socket) =>
        void socket
          .on('error', () => {})
          .resume()
          .end('SSH-2.0-other\r\n'),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => other.close(resolve)));
    const { port } = other.address() as { port: number };
    expect(await post(clientOf(), `http://127.0.0.1:${port}/`)).toEqual({ failure: 'protocol' });
  });

  it('read little of an endless answer, and use its status', async () => {
    const receiver = await receiverAt();
    let written = 0;
    receiver.answer = (response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        for (;;) {
          if (response.destroyed || written > 100 * 1024 * 1024) return;
          written += chunk.length;
          if (!response.write(chunk)) break;
        }
        response.once('drain', more);
      };
      response.writeHead(500);
      more();
    };
    expect(await post(clientOf(), receiver.url)).toMatchObject({ status: 500 });
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  it('return Retry-After', async () => {
    const receiver = await receiverAt();
    receiver.answer = (response) => void response.writeHead(429, { 'Retry-After': '120' }).end();
    expect(await post(clientOf(), receiver.url)).toEqual({ status: 429, retryAfter: '120' });
  });

  it('are aborted by their signal, also before they begin', async () => {
    const receiver = await receiverAt();
    receiver.answer = () => {};
    const stopping = new AbortController();
    const sent = post(clientOf(), receiver.url, 5_000, stopping.signal);
    await receiver.until(1);
    stopping.abort();
    expect(await sent).toEqual({ failure: 'aborted' });
    expect(await post(clientOf(), receiver.url, 5_000, stopping.signal)).toEqual({ failure: 'aborted' });
  });

  it('reuse connections', async () => {
    const receiver = await receiverAt();
    const client = clientOf();
    for (let n = 0; n < 5; n++) expect(await post(client, receiver.url)).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBe(1);
  });

  it('require a certificate that is trusted, valid and matches the name', async () => {
    const trusted = selfSigned(['hooks.test']);
    const resolve = async (): Promise<string[]> => ['127.0.0.1'];
    const receiver = await receiverAt({ ...trusted, host: 'hooks.test' });
    const client = clientOf({ resolve, ca: trusted.cert });
    expect(await post(client, receiver.url)).toMatchObject({ status: 200 });
    expect(await post(clientOf({ resolve }), receiver.url)).toEqual({ failure: 'tls' });
    const wrongName = `https://other.test:${portOf(receiver)}/`;
    expect(await post(client, wrongName)).toEqual({ failure: 'tls' });
    const ended = selfSigned(['ended.test'], new Date(Date.now() - 60_000));
    const late = await receiverAt({ ...ended, host: 'ended.test' });
    expect(await post(clientOf({ resolve, ca: ended.cert }), late.url)).toEqual({ failure: 'tls' });
    expect(receiver.received).toHaveLength(1);
  });
});
