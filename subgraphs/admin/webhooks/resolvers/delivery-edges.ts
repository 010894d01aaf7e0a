import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import type { ReferencesTo } from '../../../../shared/graph/edges/references.js';
import { WebhookDeliveryShape } from '../deliveries/schema.js';
import { type WebhookReadDeps, webhookReferences } from '../resolver.js';
import { Webhook } from '../schema.js';

/** Where deliveries lead to. */
@Resolver(() => WebhookDeliveryShape)
export class DeliveryEdgeResolver {
  readonly #webhooks: ReferencesTo<Webhook>;

  constructor(deps: WebhookReadDeps) {
    this.#webhooks = webhookReferences(deps);
  }

  @Extensions({ [CONTRACT]: { graphOnly: true } satisfies ContractExtension })
  @FieldResolver(() => Webhook, { nullable: true, description: 'Its webhook; null if the webhook is deleted.' })
  webhook(@Root() { webhook_id }: WebhookDeliveryShape, @Ctx() context: RequestContext): Promise<Webhook | null> {
    return this.#webhooks({ webhook_id }, context);
  }
}
