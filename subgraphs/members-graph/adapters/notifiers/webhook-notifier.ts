import type { Clock } from '../../../../shared/clock/clock.js';
import { isoTime } from '../../../../shared/clock/clock.js';
import { hmacSha256 } from '../../../../shared/crypto/hash.js';
import type { TargetPolicy } from '../../../../shared/http/safe-connect/address-policy.js';
import { urlJudge } from '../../../../shared/http/safe-connect/judge-url.js';
import { SafeClient } from '../../../../shared/http/safe-connect/safe-client.js';
import { type CodeMessage, type Notifier, NotSent } from '../../service/ports/notifier.js';

export interface WebhookSettings {
  readonly url: string;
  readonly secret: string;
  readonly targets: TargetPolicy;
}

const TIMEOUT_MS = 10_000;

/**
 * Posts the code to a system of the deployment's own, which knows how to reach members. Signed as deliveries to webhooks are: the
 * published signature over the body, and that of the Standard Webhooks convention over id, time and body.
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
