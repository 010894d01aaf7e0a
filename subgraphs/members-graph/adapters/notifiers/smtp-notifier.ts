import { createTransport } from 'nodemailer';
import { type Notifier, NotSent } from '../../service/ports/notifier.js';
import { codeMail } from './code-mail.js';

export interface SmtpSettings {
  readonly url: string;
  readonly from: string;
  /** A server without TLS will do. */
  readonly allowPlain: boolean;
}

const TIMEOUT_MS = 10_000;

/** Sends the code by mail to the member's first address. Never without TLS unless the deployment says so. */
export function smtpNotifier({ url, from, allowPlain }: SmtpSettings): Notifier {
  const server = new URL(url);
  const secure = server.protocol === 'smtps:';
  const transport = createTransport({
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
  return {
    name: 'smtp',
    send: async (message) => {
      const [to] = message.to.emails;
      if (to === undefined) throw new NotSent('no_address');
      try {
        await transport.sendMail({ from, to: { name: '', address: to }, ...codeMail(message) });
      } catch (error) {
        // What a mail server says may hold the address it was asked for: its code alone is told.
        throw new NotSent(`smtp_${codeOf(error)}`);
      }
    },
    close: async () => transport.close(),
  };
}

function codeOf(error: unknown): string {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
  if (typeof responseCode === 'number') return String(responseCode);
  return typeof code === 'string' && /^[A-Z]{1,32}$/.test(code) ? code : 'failed';
}
