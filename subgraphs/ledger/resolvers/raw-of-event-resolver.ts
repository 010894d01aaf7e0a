import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext, requireScope } from '../../../shared/auth/context.js';
import { EventRaw } from '../schema/event-raw.js';
import type { RawUse } from '../service/ports/raw-use-store.js';
import type { RedactionStore } from '../service/ports/redaction-store.js';
import { rawOfEvent } from '../service/raw-of-event.js';
import type { TenantContexts } from '../service/tenant-context.js';

export interface RawOfEventDeps {
  readonly contexts: TenantContexts;
  readonly rawUse: (tenantId: string) => RawUse;
  readonly redactions: RedactionStore;
}

@Resolver()
export class RawOfEventResolver {
  readonly #deps: RawOfEventDeps;

  constructor(deps: RawOfEventDeps) {
    this.#deps = deps;
  }

  @Query(() => EventRaw, { nullable: true, description: 'Where the raw bytes of an event are.' })
  async eventRaw(
    @Ctx() context: RequestContext,
    @Arg('event_id', () => String, { description: 'The event.' }) eventId: string,
    @Arg('whole', () => Boolean, {
      nullable: true,
      description: 'The whole body, in which others stand too; needs documents:unredacted.',
    })
    whole?: boolean,
  ): Promise<EventRaw | null> {
    const tenantId = authorise(context, 'events:read');
    if (whole === true) requireScope(context, 'documents:unredacted');
    const tenant = await this.#deps.contexts.of(tenantId);
    // What a redaction hides stands in the raw bytes (api.md section 2 "Raw ingest").
    const hidden = (await this.#deps.redactions(tenantId).of([eventId])).get(eventId);
    if (hidden !== undefined) requireScope(context, 'documents:unredacted');
    const raw = await rawOfEvent(tenant, this.#deps.rawUse(tenantId), { eventId, whole: whole === true });
    if (raw === null || hidden?.pointers.includes('/member_id') !== true) return raw;
    // The custody entry of this read is shown to keys that do not get the member any more.
    const { member_id: _, ...unnamed } = raw;
    return unnamed;
  }
}
