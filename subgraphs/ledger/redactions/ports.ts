import type { EventRedaction } from '../../../shared/contracts/redactions.js';
import type { Fact, FactPlace } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';

/** The hidden fields of one event. */
export interface HiddenOfEvent extends EventRedaction {
  /** Ordinal of the redaction that set them; see EventRedactionOrder. */
  readonly ordinal: number;
}

/** What the facts of an event say; null where it has none of a kind. */
export interface EventFacts {
  readonly hidden: HiddenOfEvent | null;
  readonly disposal: Fact | null;
}

/** The hidden fields of one tenant's events. */
export interface TenantRedactions {
  /**
   * Returns hidden fields by event id; omits events without any. The facts decide: a missing row hides no less.
   *
   * @throws INTEGRITY_FAILURE for a row that its fact does not prove.
   */
  of(eventIds: readonly string[]): Promise<ReadonlyMap<string, HiddenOfEvent>>;
  /**
   * Returns the facts of each event: of its redaction, and of its disposal by the same question.
   *
   * @throws INTEGRITY_FAILURE for the row of a redaction that its fact does not prove.
   */
  factsOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, EventFacts>>;
  /** Resolves when durable; ignores an ordinal that is not higher than the current one. */
  put(eventId: string, hidden: HiddenOfEvent, details: JsonObject): Promise<void>;
}

export type RedactionStore = (tenantId: string) => TenantRedactions;

/** Hidden fields as the database stores them, with the place of their fact. */
export interface RedactionRow extends HiddenOfEvent {
  readonly fact: FactPlace;
}

/** The stored rows of one tenant: a second witness to the facts. */
export interface RedactionRows {
  of(eventIds: readonly string[]): Promise<ReadonlyMap<string, Partial<RedactionRow>>>;
  /** Resolves when durable; leaves a row of the same or a later fact as it is. */
  put(eventId: string, row: RedactionRow): Promise<void>;
  /** Writes the place of its fact into a row of an earlier version, which names none. */
  adopt(eventId: string, fact: FactPlace): Promise<void>;
  /** Every row, in the order of events. A row may hold anything. */
  all(): AsyncIterable<{ readonly event_id: unknown; readonly row: Partial<RedactionRow> }>;
}

export type RedactionRowsByTenant = (tenantId: TenantId) => RedactionRows;
