import type { Transporter } from 'nodemailer';
import { type Clock, isoTime } from '../../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../../shared/crypto/hash.js';
import type { TargetPolicy } from '../../../../shared/http/safe-connect/address-policy.js';
import { urlJudge } from '../../../../shared/http/safe-connect/judge-url.js';
import { SafeClient } from '../../../../shared/http/safe-connect/safe-client.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import { type CodeMessage, type Notifier, NotSent } from '../ports.js';

/** Logs that a code was created; outside production also the code, for trials. Logs nothing about the member. */
export const logNotifier = (logger: Logger, production: boolean): Notifier => ({
  name: 'log',
  send: async ({ request_id, kind, code }) => {
    const line = { request_id, kind, notifier: 'log', ...(production ? {} : { one_time_code: code }) };
    if (production) logger.warn(line, 'a one-time code was not sent: set SERVICE_NOTIFIER to smtp or webhook');
    else logger.info(line, 'a one-time code was created');
  },
  close: async () => {},
});

interface CodeMail {
  readonly subject: string;
  readonly text: string;
}

/** Writes the mail with a code: the code, its expiry and the reader, but nothing of the record. */
function codeMail({ kind, code, expires_at, requested_by, purpose }: CodeMessage): CodeMail {
  const until = `${expires_at.toISOString().slice(11, 16)} UTC`;
  const who =
    kind === 'AVA'
      ? [
          `${oneLine(requested_by ?? 'An unknown person')} asks to read your health record for ${oneLine(purpose)}.`,
          'Give them this code only if you want them to read it.',
        ]
      : ['Use this code to sign in to your health record.', 'We will never ask you for it.'];
  return {
    subject: kind === 'AVA' ? 'A request to read your health record' : 'Your code',
    text: [
      ...who,
      '',
      code,
      '',
      `You can use it once, until ${until}. If you did not ask for it, ignore this mail.`,
      '',
    ].join('\n'),
  };
}

/** Keeps a caller's text on one line. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 200);

interface SmtpSettings {
  readonly url: string;
  readonly from: string;
  /** True to accept a server without TLS. */
  readonly allowPlain: boolean;
}

const TIMEOUT_MS = 10_000;

/** Sends the code by mail to the member's first address, with TLS unless the deployment allows plain text. */
export function smtpNotifier(settings: SmtpSettings): Notifier {
  let transport: Promise<Transporter> | undefined;
  return {
    name: 'smtp',
    send: async (message) => {
      const [to] = message.to.emails;
      if (to === undefined) throw new NotSent('no_address');
      try {
        transport ??= transportOf(settings);
        const mail = { from: settings.from, to: { name: '', address: to }, ...codeMail(message) };
        await (await transport).sendMail(mail);
      } catch (error) {
        // The server's message may contain the address, so only its code is reported.
        throw new NotSent(`smtp_${codeOf(error)}`);
      }
    },
    close: async () => (await transport)?.close(),
  };
}

/** Loads the package at the first message: most deployments send none. */
async function transportOf({ url, allowPlain }: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const server = new URL(url);
  const secure = server.protocol === 'smtps:';
  return createTransport({
    host: server.hostname.replaceAll(/^\[|\]$/g, ''),
    port: server.port === '' ? (secure ? 465 : 587) : Number(server.port),
    secure,
    requireTLS: !secure && !allowPlain,
    ignoreTLS: !secure && allowPlain,
    ...(server.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(server.username), pass: decodeURIComponent(server.password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if ('responseCode' in error && typeof error.responseCode === 'number') return String(error.responseCode);
  return 'code' in error && typeof error.code === 'string' && /^[A-Z]{1,32}$/.test(error.code) ? error.code : 'failed';
}

interface WebhookSettings {
  readonly url: string;
  readonly secret: string;
  readonly targets: TargetPolicy;
}

/**
 * Posts the code to a system of the deployment that can reach members. Signs the request like webhook deliveries: the
 * service's signature over the body, and the Standard Webhooks signature over id, time and body.
 */
export function webhookNotifier({ url, secret, targets }: WebhookSettings, clock: Clock): Notifier {
  const client = new SafeClient({ policy: targets });
  const judge = urlJudge(targets);
  return {
    name: 'webhook',
    send: async (message) => {
      const verdict = judge(url);
      if ('refused' in verdict) throw new NotSent('address_refused');
      const body = bodyOf(message);
      const headers = headersOf(secret, message.request_id, body, clock.nowMs());
      const result = await client.post({ target: verdict.target, headers, body, timeoutMs: TIMEOUT_MS });
      if ('failure' in result) throw new NotSent(result.failure);
      if (result.status < 200 || result.status > 299) throw new NotSent(`status_${result.status}`);
    },
    close: () => client.close(),
  };
}

const bodyOf = ({ request_id, tenant_id, kind, to, code, purpose, requested_by, expires_at }: CodeMessage): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: 'member.one-time-code',
      request_id,
      tenant_id,
      kind,
      member_id: to.member_id,
      to: { emails: to.emails, phones: to.phones },
      code,
      purpose,
      requested_by,
      expires_at: isoTime(expires_at.getTime()),
    }),
  );

function headersOf(secret: string, id: string, body: Buffer, atMs: number): readonly string[] {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return [
    'content-type',
    'application/json; charset=utf-8',
    'X-Service-Signature',
    `v1=${hmacSha256(secret, body).toString('hex')}`,
    'webhook-id',
    id,
    'webhook-timestamp',
    timestamp,
    'webhook-signature',
    `v1,${hmacSha256(secret, signed).toString('base64')}`,
  ];
}
