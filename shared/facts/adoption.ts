import type { TenantId } from '../ids/tenant.js';
import type { JsonObject } from '../json/strict-json.js';
import type { Fact, FactDraft } from './fact.js';

// Rows that an earlier version of the service wrote have no facts. A command of the operator adopts them: it appends a
// first fact of each, which states the row as it is and says that nothing before it is proven (ADR 88).

/** The action of a fact that adopts a row. */
export const ADOPT = 'adopt';

/** True for a fact that states the row of an earlier version as the operator's command found it. */
export const isAdoption = ({ action }: Pick<Fact, 'action'>): boolean => action === ADOPT;

/** Why the command leaves a row as it is. */
export type AdoptionRefusal =
  /** The row names a fact that the ledger does not have. */
  | 'FACT_UNKNOWN'
  /** The row names no fact, but its subject has facts: someone edited or added the row. */
  | 'HAS_FACTS'
  /** The row holds values of wrong types. */
  | 'MALFORMED'
  /** Another record or entry contradicts the row. */
  | 'CONTRADICTED'
  /** The row is newer than the first fact of its kind, or its age is unknown and its kind has facts. */
  | 'NEWER'
  /** An earlier run has adopted the rows of this kind, and this row was not among them. */
  | 'LATE'
  /** The fact would not fit into an entry. */
  | 'TOO_LARGE';

/** Thrown for a row that must not be adopted. */
export class AdoptionRefused extends Error {
  readonly refusal: AdoptionRefusal;

  constructor(refusal: AdoptionRefusal) {
    super(`the row is refused: ${refusal}`);
    this.name = 'AdoptionRefused';
    this.refusal = refusal;
  }
}

/** One fact of an adoption, without what all of them have. */
export interface AdoptedState {
  readonly state: JsonObject;
  /** What the projection needs to write the row. */
  readonly row?: JsonObject;
  readonly refs?: string[];
}

/** A further fact of an adoption, without its subject and state. */
export type AdoptionStep = Pick<
  FactDraft,
  'fact_id' | 'event_family' | 'event_type' | 'at' | 'action' | 'actor' | 'reason'
> & { readonly details: JsonObject };

/** What the facts of one adopted subject follow from. */
export interface AdoptionContext {
  /** The facts that the subject has already, oldest first. */
  readonly facts: readonly Fact[];
  /** A step for a further fact; its identifier follows from the adoption, the subject and `part`. */
  readonly step: (part: string) => AdoptionStep;
}

/** The rows of one subject, as the command finds them. */
export interface AdoptableRow {
  /** Identifier of the subject in the ledger; null for a row without a usable one. */
  readonly id: string | null;
  /** Name of the row for the operator; nothing personal. */
  readonly key: string;
  /** The fact that the row names; undefined for none. */
  readonly fact: unknown;
  readonly createdAt: Date | null;
  /**
   * The facts that adopt the subject, in order; usually one.
   *
   * @throws AdoptionRefused; any other error means that the row is malformed.
   */
  readonly adopted: (context: AdoptionContext) => readonly AdoptedState[] | Promise<readonly AdoptedState[]>;
}

/** The rows of one kind, for the command that adopts them. */
export interface AdoptableRows {
  readonly collection: string;
  /** False for rows that never name their facts: facts of the subject prove them. */
  readonly nameFacts?: false;
  /** Never throws for what a row holds. */
  readonly rows: (tenantId: TenantId) => AsyncIterable<AdoptableRow>;
  /** Writes the places of the facts into the rows; the projector of the kind by default. */
  readonly place?: (tenantId: TenantId, facts: readonly Fact[]) => Promise<void>;
}
