import type { JsonObject } from '../../shared/json/strict-json.js';
import { bodyExampleOf, bodySchemaOf, EVENT_KIND_NAMES, EVENT_KINDS } from '../../shared/outbox/event-kinds.js';

const header = (name: string, description: string, required = true): JsonObject => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

/** Headers of a delivery (specification "Webhook delivery"; the last three by the Standard Webhooks convention). */
const DELIVERY_HEADERS: JsonObject[] = [
  header('X-Service-Webhook-Id', 'Identifier of the webhook.'),
  header('X-Service-Signature', 'v1=<lowercase hex HMAC-SHA256 of the raw body, keyed with the secret>.'),
  header(
    'X-Service-Signature-Previous',
    'For 15 minutes after a rotation: a signature by each previous secret.',
    false,
  ),
  header('X-Service-Event', 'The event kind.'),
  header('X-Service-Attempt', 'Number of the attempt, from 1.'),
  header('webhook-id', "The message's identifier: the same on every attempt."),
  header('webhook-timestamp', 'Seconds since 1970 of this attempt.'),
  header('webhook-signature', 'v1,<base64 HMAC-SHA256 of id.timestamp.body>, one for each valid secret.'),
];

/** Not the tag of the routes: generators write one file for each tag, and the second would replace the first. */
export const DELIVERIES_TAG = 'webhook-deliveries';

/** Messages to registered endpoints: one entry per event kind of the catalogue. */
export const webhookObjects = (): JsonObject =>
  Object.fromEntries(
    EVENT_KIND_NAMES.map((kind) => [
      kind,
      {
        post: {
          operationId: `webhook.${kind}`,
          tags: [DELIVERIES_TAG],
          // The receiver verifies the signature; no security scheme applies.
          security: [],
          summary: EVENT_KINDS[kind].description,
          parameters: DELIVERY_HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: bodySchemaOf(kind), example: bodyExampleOf(kind) } },
          },
          responses: { '2XX': { description: 'Accepted within 10 seconds; any other answer is retried.' } },
        },
      },
    ]),
  );
