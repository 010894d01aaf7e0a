import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { configFrom } from '../../../shared/config/config.js';
import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import {
  logNotifier,
  smtpNotifier,
  webhookNotifier,
} from '../../../subgraphs/members-graph/member-access/adapters/notifiers.js';
import type { CodeMessage } from '../../../subgraphs/members-graph/member-access/ports.js';

const MESSAGE: CodeMessage = {
  request_id: 'chl_01JQ0000000000000000000001',
  tenant_id: 'acme' as TenantId,
  kind: 'AVA',
  to: { member_id: 'M-1', emails: ['ada@example.test'], phones: ['+15555550100'] },
  code: '041887',
  purpose: 'APPEAL_SUPPORT',
  requested_by: 'ava-1\r\nBcc: evil@example.test',
  expires_at: new Date('2026-03-02T14:10:00Z'),
};

const logged = (): { lines: string[]; logger: Logger } => {
  const lines: string[] = [];
  const note = (told: object, text: string): void => void lines.push(JSON.stringify([told, text]));
  return { lines, logger: { info: note, warn: note } as unknown as Logger };
};

describe('the log notifier', () => {
  it('logs the code outside production only', async () => {
    const { lines, logger } = logged();
    await logNotifier(logger, false).send(MESSAGE);
    expect(lines[0]).toContain('041887');
    await logNotifier(logger, true).send(MESSAGE);
    expect(lines[1]).not.toContain('041887');
    expect(lines.join()).not.toMatch(/ada@|M-1|ava-1/);
  });
});

describe('the SMTP notifier', () => {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (address, _session, done) =>
      done(address.address.startsWith('full@') ? Object.assign(new Error('full'), { responseCode: 552 }) : undefined),
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('utf8'));
        done();
      });
    },
  });
  let url: string;

  beforeAll(async () => {
    const listening = server.listen(0, '127.0.0.1');
    await new Promise<void>((resolve) => listening.once('listening', () => resolve()));
    url = `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  });

  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

  it('sends the code to the member only, with the caller’s text as plain text', async () => {
    const notifier = smtpNotifier({ url, from: 'codes@example.test', allowPlain: true });
    await notifier.send(MESSAGE);
    const [mail = ''] = mails;
    expect(mail).toMatch(/^To: .*ada@example\.test/m);
    expect(mail).toContain('041887');
    expect(mail).not.toMatch(/^Bcc:/m);
    await notifier.close();
  });

  it('refuses a server without TLS unless the deployment allows it', async () => {
    const before = mails.length;
    const notifier = smtpNotifier({ url, from: 'codes@example.test', allowPlain: false });
    await expect(notifier.send(MESSAGE)).rejects.toThrow(/^smtp_/);
    expect(mails).toHaveLength(before);
    await notifier.close();
  });

  it('reports a rejection by its code, without the address', async () => {
    const notifier = smtpNotifier({ url, from: 'codes@example.test', allowPlain: true });
    const to = (emails: string[]) => ({ ...MESSAGE, to: { ...MESSAGE.to, emails } });
    await expect(notifier.send(to(['full@example.test']))).rejects.toThrow('smtp_552');
    await expect(notifier.send(to([]))).rejects.toThrow('no_address');
    await notifier.close();
  });
});

describe('the webhook notifier', () => {
  const posts: { headers: Record<string, unknown>; body: string }[] = [];
  let status = 200;
  const receiver = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posts.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      answer.writeHead(status).end();
    });
  });
  const clock = { nowMs: () => 1_772_460_000_000, monotonicMs: () => 0 };
  const SECRET = 'a secret of thirty-two characters';
  const local = { allowHttp: true, allowedCidrs: ['127.0.0.0/8'] };
  let url: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/codes`;
  });

  afterAll(() => new Promise<void>((resolve) => receiver.close(() => resolve())));

  it('posts the signed code', async () => {
    const notifier = webhookNotifier({ url, secret: SECRET, targets: local }, clock);
    await notifier.send(MESSAGE);
    const { headers, body } = posts[0] ?? { headers: {}, body: '' };
    expect(JSON.parse(body)).toMatchObject({ code: '041887', member_id: 'M-1', to: { emails: ['ada@example.test'] } });
    expect(headers['x-service-signature']).toBe(`v1=${hmacSha256(SECRET, body).toString('hex')}`);
    expect(headers['webhook-id']).toBe(MESSAGE.request_id);
    status = 500;
    await expect(notifier.send(MESSAGE)).rejects.toThrow('status_500');
    await notifier.close();
  });

  it('refuses a private address unless the deployment allows it', async () => {
    const before = posts.length;
    const notifier = webhookNotifier({ url, secret: SECRET, targets: { allowHttp: true, allowedCidrs: [] } }, clock);
    await expect(notifier.send(MESSAGE)).rejects.toThrow('address_refused');
    expect(posts).toHaveLength(before);
    await notifier.close();
  });
});

describe('invalid notifier settings prevent the start', () => {
  it.each<[string, Record<string, string>]>([
    ['webhook without an address', { SERVICE_NOTIFIER: 'webhook' }],
    ['smtp without a server', { SERVICE_NOTIFIER: 'smtp' }],
    ['codes in answers in production', { SERVICE_CODE_IN_RESPONSE: 'true', NODE_ENV: 'production' }],
    ['an http receiver that nobody allowed', { SERVICE_NOTIFIER_URL: 'http://codes.example' }],
  ])('%s', (_what, env) => {
    expect(() => configFrom(env)).toThrow(/SERVICE_/);
  });
});
