import { Arg, Args, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext, requireScope } from '../../shared/auth/context.js';
import { problem } from '../../shared/errors/problem.js';
import { JsonScalar } from '../../shared/graph/scalars.js';
import type { SubgraphDefinition } from '../../shared/graph/subgraph.js';
import type { Validator } from '../../shared/graph/validator.js';
import type { Page } from '../../shared/pagination/cursor.js';
import { ApiKey, ApiKeyFilter, ApiKeyInput, ApiKeyPage, CreatedApiKey } from '../../subgraphs/admin/schema/api-key.js';
import { Tenant, TenantFilter, TenantInput, TenantPage } from '../../subgraphs/admin/schema/tenant.js';
import { EventEnvelope, EventPayload } from '../../subgraphs/ledger/schema/event-envelope.js';
import { EventFilter, EventPage, EventRecord } from '../../subgraphs/ledger/schema/event-record.js';
import { EventValidation, IngestBatchResult, IngestResult } from '../../subgraphs/ledger/schema/ingest-result.js';
import { LedgerVerification, PartitionList } from '../../subgraphs/ledger/schema/ledger-verification.js';
import { IngestRowFilter, IngestRowPage, RawIngestResult } from '../../subgraphs/ledger/schema/raw-ingest.js';

// The real schema classes under resolvers that keep nothing: what the facade does by itself is judged without a database.

/** What the last resolver saw, for tests that judge what reached the graph. */
export interface Seen {
  args: Readonly<Record<string, unknown>>;
  context: RequestContext | null;
}

export const seen: Seen = { args: {}, context: null };

const TIME = '2026-03-02T14:11:10.004Z';
const HASH = 'a'.repeat(64);
const EMPTY: Page<never> = { items: [], next_cursor: null };

let envelopeFaults: Validator = () => [];
export const useEnvelopeContract = (validator: Validator): void => {
  envelopeFaults = validator;
};

const note = (context: RequestContext, args: object): void => {
  seen.args = { ...args };
  seen.context = context;
};

function resultOf(item: unknown, index: number, tenantId: string, sizeBytes: number): IngestResult {
  const rejected = (code: string, message: string, errors?: IngestResult['error'] extends infer _ ? object[] : never) =>
    ({ index, status: 'REJECTED', error: { code, message, ...(errors ? { errors } : {}) } }) as IngestResult;
  if (sizeBytes > 262_144) return rejected('PAYLOAD_TOO_LARGE', 'Too large.');
  const errors = envelopeFaults(item);
  if (errors.length > 0) return rejected('VALIDATION_ERROR', 'Does not fit.', [...errors]);
  return {
    index,
    status: 'ACCEPTED',
    event_id: `evt_${index}`,
    tenant_id: tenantId,
    source_system: (item as EventEnvelope).source_system,
    sequence: index + 1,
    prev_hash: HASH,
    entry_hash: HASH,
    worm_sha256: HASH,
    accepted_at: TIME,
  };
}

const EVENT: EventRecord = {
  event_id: 'evt_1',
  tenant_id: 'acme',
  received_at: TIME,
  event_family: 'claim',
  event_type: 'claim_submitted',
  source_system: 'um',
  source_record_id: 'r1',
  event_effective_timestamp: TIME,
  payload: { kept: null },
  sequence: 1,
  recorded_at: TIME,
  prev_hash: HASH,
  entry_hash: HASH,
  tree_index: null,
  state: 'INCLUDED',
};

@Resolver()
export class StandInLedger {
  @Mutation(() => IngestBatchResult, { description: 'Takes events.' })
  ingestEvents(
    @Arg('items', () => [JsonScalar], { nullable: 'items' }) items: unknown[],
    @Arg('byte_sizes', () => [Int], { nullable: true }) byteSizes: number[] | null,
    @Ctx() context: RequestContext,
  ): IngestBatchResult {
    const tenantId = authorise(context, 'events:write');
    note(context, { items, byte_sizes: byteSizes });
    const results = items.map((item, index) => resultOf(item, index, tenantId, byteSizes?.[index] ?? 0));
    const rejected = results.filter((result) => result.status === 'REJECTED').length;
    return { accepted: items.length - rejected, duplicated: 0, rejected, results };
  }

  @Query(() => EventValidation, { description: 'Judges an event.' })
  validateEvent(@Arg('item', () => JsonScalar) item: unknown, @Ctx() context: RequestContext): EventValidation {
    authorise(context, 'events:write');
    const errors = envelopeFaults(item);
    return { valid: errors.length === 0, errors, canonical_sha256: HASH };
  }

  @Query(() => EventRecord, { nullable: true, description: 'One event.' })
  event(@Arg('event_id', () => String) eventId: string, @Ctx() context: RequestContext): EventRecord | null {
    authorise(context, 'events:read');
    if (eventId === 'evt_crash') throw new Error('E11000 { member_id: "M-SECRET-3" }');
    return eventId === 'evt_1' ? EVENT : null;
  }

  @Query(() => EventPage, { description: 'Events.' })
  events(@Args(() => EventFilter) filter: EventFilter, @Ctx() context: RequestContext): Page<EventRecord> {
    authorise(context, 'events:read');
    note(context, filter);
    return { items: [EVENT], next_cursor: null };
  }

  @Query(() => PartitionList, { description: 'Partitions.' })
  ledgerPartitions(@Ctx() context: RequestContext): Page<never> {
    authorise(context, 'events:read');
    return EMPTY;
  }

  @Query(() => LedgerVerification, { description: 'Verifies.' })
  verifyLedger(@Ctx() context: RequestContext): LedgerVerification {
    authorise(context, 'events:read');
    return { valid: true, checked: 0, partitions: [], breaks: [], not_checked: [] };
  }

  @Mutation(() => RawIngestResult, { description: 'Reads a raw message.' })
  ingestRaw(
    @Arg('raw_sha256', () => String) rawSha256: string,
    @Arg('format', () => String, { nullable: true }) format: string | null,
    @Arg('content_type', () => String, { nullable: true }) contentType: string | null,
    @Arg('source_system', () => String, { nullable: true }) sourceSystem: string | null,
    @Arg('strict', () => Boolean, { nullable: true }) strict: boolean | null,
    @Ctx() context: RequestContext,
  ): RawIngestResult {
    authorise(context, 'events:write');
    note(context, { rawSha256, format, contentType, sourceSystem, strict });
    return {
      ingest_id: 'ing_1',
      format: 'x12',
      raw_sha256: rawSha256,
      transactions: 0,
      accepted: 0,
      duplicated: 0,
      rejected: 0,
      exceptions: [],
      results: [],
      results_truncated: false,
      warnings: [],
      provider_level: [],
      acknowledgement: null,
      received_at: TIME,
    };
  }

  @Query(() => RawIngestResult, { nullable: true, description: 'One ingest.' })
  ingest(@Arg('ingest_id', () => String) _id: string, @Ctx() context: RequestContext): RawIngestResult | null {
    authorise(context, 'events:read');
    return null;
  }

  @Query(() => IngestRowPage, { nullable: true, description: 'Its results.' })
  ingestResults(
    @Arg('ingest_id', () => String) _id: string,
    @Args(() => IngestRowFilter) _filter: IngestRowFilter,
    @Ctx() context: RequestContext,
  ): Page<never> | null {
    authorise(context, 'events:read');
    return null;
  }
}

@Resolver()
export class StandInAdmin {
  @Mutation(() => Tenant, { description: 'Makes a tenant.' })
  createTenant(@Args(() => TenantInput) input: TenantInput, @Ctx() context: RequestContext): Tenant {
    requireScope(context, 'admin');
    note(context, input);
    return { ...input, status: 'ACTIVE', created_at: TIME };
  }

  @Query(() => TenantPage, { description: 'Tenants.' })
  tenants(@Args(() => TenantFilter) _filter: TenantFilter, @Ctx() context: RequestContext): Page<never> {
    requireScope(context, 'admin');
    return EMPTY;
  }

  @Query(() => Tenant, { nullable: true, description: 'A tenant.' })
  tenant(@Arg('tenant_id', () => String) _id: string, @Ctx() context: RequestContext): Tenant | null {
    requireScope(context, 'admin');
    return null;
  }

  @Mutation(() => CreatedApiKey, { description: 'Makes a key.' })
  createApiKey(@Arg('input', () => ApiKeyInput) input: ApiKeyInput, @Ctx() context: RequestContext): CreatedApiKey {
    requireScope(context, 'admin');
    note(context, input);
    throw problem('CONFLICT', { message: 'Stand-in.' });
  }

  @Query(() => ApiKeyPage, { description: 'Keys.' })
  apiKeys(@Args(() => ApiKeyFilter) _filter: ApiKeyFilter, @Ctx() context: RequestContext): Page<never> {
    requireScope(context, 'admin');
    note(context, {});
    return EMPTY;
  }

  @Mutation(() => ApiKey, { description: 'Ends a key.' })
  revokeApiKey(@Arg('key_id', () => String) _id: string, @Ctx() context: RequestContext): ApiKey {
    requireScope(context, 'admin');
    throw problem('NOT_FOUND');
  }
}

export const STAND_INS: readonly SubgraphDefinition[] = [
  { name: 'ledger', resolvers: [StandInLedger], contractTypes: [EventEnvelope, EventPayload, IngestResult] },
  { name: 'admin', resolvers: [StandInAdmin], contractTypes: [TenantInput] },
];
