import { authorise, type RequestContext, requireScope } from '../../shared/auth/context.js';
import { problem } from '../../shared/errors/problem.js';
import type { Validator } from '../../shared/graph/validator.js';
import type { Page } from '../../shared/pagination/cursor.js';
import type { ApiKey, ApiKeyInput, CreatedApiKey } from '../../subgraphs/admin/access/schema/api-key.js';
import type { Tenant, TenantInput } from '../../subgraphs/admin/tenants/schema.js';
import type { EventEnvelope } from '../../subgraphs/ledger/append/schema/event-envelope.js';
import type {
  EventValidation,
  IngestBatchResult,
  IngestResult,
} from '../../subgraphs/ledger/append/schema/ingest-result.js';
import type { EventFilter, EventRecord } from '../../subgraphs/ledger/events/schema.js';
import { definition as ledgerDefinition } from '../../subgraphs/ledger/index.js';
import type { MessageArgs, RawIngestResult } from '../../subgraphs/ledger/ingest/schema/index.js';
import type { AnchoredVerification } from '../../subgraphs/ledger/integrity/schema.js';

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

/** MessageArgs as the graph gives them. */
type Stated = { readonly [Name in keyof MessageArgs]?: MessageArgs[Name] | null };

class StandInLedger {
  ingestEvents(context: RequestContext, items: unknown[], byteSizes: number[] | null): IngestBatchResult {
    const tenantId = authorise(context, 'events:write');
    note(context, { items, byte_sizes: byteSizes });
    const results = items.map((item, index) => resultOf(item, index, tenantId, byteSizes?.[index] ?? 0));
    const rejected = results.filter((result) => result.status === 'REJECTED').length;
    return { accepted: items.length - rejected, duplicated: 0, rejected, results };
  }

  validateEvent(context: RequestContext, item: unknown): EventValidation {
    authorise(context, 'events:write');
    const errors = envelopeFaults(item);
    return { valid: errors.length === 0, errors, canonical_sha256: HASH };
  }

  event(context: RequestContext, { event_id: eventId }: { readonly event_id: string }): EventRecord | null {
    authorise(context, 'events:read');
    if (eventId === 'evt_crash') throw new Error('E11000 { member_id: "M-SECRET-3" }');
    return eventId === 'evt_1' ? EVENT : null;
  }

  events(context: RequestContext, filter: EventFilter): Page<EventRecord> {
    authorise(context, 'events:read');
    note(context, filter);
    return { items: [EVENT], next_cursor: null };
  }

  ledgerPartitions(context: RequestContext): Page<never> {
    authorise(context, 'events:read');
    return EMPTY;
  }

  verifyLedger(context: RequestContext): AnchoredVerification {
    authorise(context, 'events:read');
    const unanchored = { since_size: 0, since: null };
    const verdict = { verdict: 'VALID_UNANCHORED', anchors: [], unanchored };
    return { valid: true, ...verdict, checked: 0, partitions: [], breaks: [], not_checked: [] };
  }

  ingestRaw(
    context: RequestContext,
    rawSha256: string,
    { format = null, content_type = null, source_system = null, strict = null }: Stated,
  ): RawIngestResult {
    authorise(context, 'events:write');
    note(context, { rawSha256, format, contentType: content_type, sourceSystem: source_system, strict });
    return {
      ingest_id: 'ing_1',
      format: 'x12',
      raw_sha256: rawSha256,
      transactions: 1,
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

  ingest(context: RequestContext, _id: string): RawIngestResult | null {
    authorise(context, 'events:read');
    return null;
  }

  ingestResults(context: RequestContext, _id: string): Page<never> | null {
    authorise(context, 'events:read');
    return null;
  }
}

class StandInAdmin {
  createTenant(input: TenantInput, context: RequestContext): Tenant {
    requireScope(context, 'admin');
    note(context, input);
    return { ...input, status: 'ACTIVE', created_at: TIME };
  }

  tenants(_filter: unknown, context: RequestContext): Page<never> {
    requireScope(context, 'admin');
    return EMPTY;
  }

  tenant(_id: string, context: RequestContext): Tenant | null {
    requireScope(context, 'admin');
    return null;
  }

  createApiKey(input: ApiKeyInput, context: RequestContext): CreatedApiKey {
    requireScope(context, 'admin');
    note(context, input);
    throw problem('CONFLICT', { message: 'Stand-in.' });
  }

  apiKeys(_filter: unknown, context: RequestContext): Page<never> {
    requireScope(context, 'admin');
    note(context, {});
    return EMPTY;
  }

  revokeApiKey(_id: string, context: RequestContext): ApiKey {
    requireScope(context, 'admin');
    throw problem('NOT_FOUND');
  }
}

const ledger = new StandInLedger();
const admin = new StandInAdmin();

/** The real definitions, so that every route has its root field; behind them resolvers that keep nothing. */
export const standInContainer = {
  get: (resolver: unknown): object => (ledgerDefinition.resolvers.includes(resolver as never) ? ledger : admin),
};
